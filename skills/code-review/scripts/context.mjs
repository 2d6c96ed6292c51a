#!/usr/bin/env node
import { findUsers, listExports } from "./exports.mjs";
import { count, runScript, show, UsageError } from "./git.mjs";
import { findKind } from "./kinds.mjs";
import { readWords, toShown } from "./options.mjs";
import { findEnclosing } from "./outline.mjs";
import { scan } from "./report.mjs";
import { maskSecrets } from "./secrets.mjs";
import { openSource } from "./source.mjs";

const usualTop = 5;
const longestFunction = 80;
const linesAround = 8;
const shownLines = 250;
const closed = new Set(["binary", "lock", "generated", "submodule", "link"]);

await runScript(async (words) => {
  const { what, paths, options } = readWords(words, "context.mjs", {
    file: { type: "string", multiple: true },
    top: { type: "string" },
  });
  const source = await openSource(what, paths, options);
  const files = options.file
    ? pickNamed(source, options.file)
    : await pickWorst(source, readTop(options.top));
  if (files.length === 0) return `Looked at: ${source.title}. No file to read line by line.`;
  const parts = [`Looked at: ${source.title}: ${count(files.length, "file")} of ${source.files.length}.`];
  for (const file of files) parts.push(await describeFile(file, source));
  return parts.join("\n\n");
});

function readTop(text = String(usualTop)) {
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new UsageError(`--top takes a number from 1 to 999, not "${show(text)}".`);
  return Number(text);
}

/** Only files of the change are shown, so that this prints no other file of the disk. */
function pickNamed(source, names) {
  return names.map((name) => {
    const wanted = name.replace(/^\.\//, "");
    const file = source.files.find(
      ({ path }) => path === wanted || toShown(path, source.repository) === wanted,
    );
    if (file) return file;
    const known = source.files.slice(0, 10).map(({ path }) => show(toShown(path, source.repository)));
    throw new UsageError(`"${show(name)}" did not change. Changed: ${known.join(", ") || "nothing"}.`);
  });
}

/** The files with the heaviest findings first, then those that changed most. */
async function pickWorst(source, top) {
  const { findings } = await scan(source);
  const weights = new Map();
  for (const { file, severity } of findings) {
    const weight = { high: 10_000, medium: 100, low: 1 }[severity];
    weights.set(file, (weights.get(file) ?? 0) + weight);
  }
  const weigh = ({ path }) => weights.get(toShown(path, source.repository)) ?? 0;
  const size = ({ additions, deletions }) => additions + deletions;
  return source.files
    .filter((file) => !closed.has(findKind(file)) && (weigh(file) > 0 || findKind(file) === "source"))
    .sort((one, other) => weigh(other) - weigh(one) || size(other) - size(one))
    .slice(0, top);
}

async function describeFile(file, source) {
  const { path, status, additions, deletions } = file;
  const heading = `== ${show(toShown(path, source.repository))}  ${findKind(file)}, ${status}, +${additions} -${deletions}`;
  if (closed.has(findKind(file)) || file.binary) return `${heading}\nIts lines are not for people to read.`;
  const content = status === "deleted" ? undefined : await source.readNew(path);
  const lines = content?.split(/\r?\n/);
  const shown = lines ? showRegions(file, lines) : showHunks(file);
  const cut = shown.slice(0, shownLines);
  if (shown.length > cut.length) cut.push(`… and ${shown.length - cut.length} more lines`);
  return [heading, ...cut, ...(await describeExports(file, lines, source))].join("\n");
}

/** Each changed place with the function around it, or some lines around where that is long. */
function showRegions(file, lines) {
  const removed = new Map();
  const added = new Set();
  for (const hunk of file.hunks) {
    let next = hunk.newCount === 0 ? hunk.newStart + 1 : hunk.newStart;
    for (const { sign, text, number } of hunk.lines) {
      if (sign === "-") removed.set(next, [...(removed.get(next) ?? []), { text, number }]);
      if (sign === "+") added.add(number);
      if (sign !== "-") next = number + 1;
    }
  }
  const numbers = [...new Set([...added, ...removed.keys()])].sort((one, other) => one - other);
  const output = [];
  for (const { start, end, head } of mergeRegions(
    numbers.map((number) => toRegion(number, lines, file.path)),
  )) {
    output.push(
      "",
      head === undefined ? `-- lines ${start}-${end}` : `-- lines ${start}-${end}, in: ${toLine(head, file)}`,
    );
    for (let number = start; number <= end; number += 1) {
      for (const old of removed.get(number) ?? []) output.push(toMarked("-", old.number, old.text, file));
      if (number <= lines.length)
        output.push(toMarked(added.has(number) ? "+" : " ", number, lines[number - 1], file));
    }
  }
  return output;
}

function toRegion(number, lines, path) {
  // A removal may stand behind the last line.
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const near = {
    start: Math.max(1, number - linesAround),
    end: Math.max(number, Math.min(last, number + linesAround)),
  };
  const around = findEnclosing(lines, Math.min(number, last), path);
  if (!around) return near;
  if (around.end - around.start < longestFunction) return { ...around, end: Math.max(around.end, number) };
  return { ...near, start: Math.max(around.start, near.start), head: around.head };
}

function mergeRegions(regions) {
  const merged = [];
  for (const region of regions.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last && region.start <= last.end + 1) {
      last.end = Math.max(last.end, region.end);
      last.head ??= region.head;
    } else merged.push({ ...region });
  }
  return merged;
}

function showHunks(file) {
  return file.hunks.flatMap(({ lines }) => [
    "",
    ...lines.map(({ sign, text, number }) => toMarked(sign, number, text, file)),
  ]);
}

function toMarked(sign, number, text, file) {
  return `${sign} ${String(number).padStart(5)}  ${toLine(text, file)}`;
}

function toLine(text, { path }) {
  const line = show(maskSecrets(text, path));
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

async function describeExports(file, lines, source) {
  const exported = listExports(file, lines);
  if (exported.length === 0) return [];
  if (!source.search) return ["", `Exports touched: ${exported.map(({ name }) => name).join(", ")}`];
  const output = ["", "Exports touched, and who names them:"];
  for (const { name, change } of exported) {
    const { users, more } = await findUsers(name, file, source);
    output.push(
      `  ${name} (${change}): ${users.length === 0 ? "nobody" : count(users.length + more, "line")}`,
    );
    for (const { path, number, text } of users) {
      const line = toLine(text.trim(), { path }).slice(0, 120);
      output.push(`    ${show(toShown(path, source.repository))}:${number}  ${line}`);
    }
    if (more > 0) output.push(`    … and ${more} more`);
  }
  return output;
}
