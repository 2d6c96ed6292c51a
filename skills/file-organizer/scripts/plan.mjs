#!/usr/bin/env node
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  count,
  hashFile,
  lookUp,
  openFolder,
  runScript,
  show,
  stateFolder,
  toCommand,
  UsageError,
} from "./common.mjs";
import { findKind, parseRules, splitName } from "./kinds.mjs";

const shownOfKind = 30;

await runScript(async (words) => {
  const { folderName, options } = readOptions(words);
  const folder = await openFolder(folderName);
  const rules = options.rules === undefined ? [] : await readRules(options.rules);
  const { files, left } = await findFiles(folder, options.recursive === true);
  const plan = await makePlan(folder, files, rules, options["by-year"] === true);
  await savePlan(folder, { version: 1, folder, ...plan });
  console.log(describePlan(plan, left, folderName));
  return 0;
});

function readOptions(words) {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { recursive: { type: "boolean" }, "by-year": { type: "boolean" }, rules: { type: "string" } },
    });
    if (positionals.length > 1) throw new Error(`one folder at a time, not ${positionals.length}`);
    return { folderName: positionals[0], options: values };
  } catch (error) {
    throw new UsageError(
      `Usage: plan.mjs <folder> [--recursive] [--by-year] [--rules FILE]: ${error.message}`,
    );
  }
}

async function readRules(path) {
  try {
    return parseRules(await readFile(path, "utf8"));
  } catch (error) {
    throw new UsageError(`The rules in "${show(path)}" cannot be used: ${error.message}`);
  }
}

/** The ordinary files, and what is left alone and why. */
async function findFiles(folder, recursive, under = "") {
  const files = [];
  const left = [];
  const entries = await readdir(join(folder, under), { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = under + entry.name;
    if (path === stateFolder) continue;
    if (entry.name.startsWith(".")) left.push({ path, why: "hidden" });
    else if (entry.isSymbolicLink()) left.push({ path, why: "link" });
    // Node hands a name that is not UTF-8 over with this mark in it, and cannot open the file by it.
    else if (entry.name.includes("\uFFFD")) left.push({ path, why: "name that is not UTF-8" });
    else if (entry.isFile()) files.push(path);
    else if (!entry.isDirectory()) left.push({ path, why: "not a file" });
    else if (!recursive) left.push({ path, why: "folder" });
    else {
      const below = await findFiles(folder, recursive, `${path}/`);
      files.push(...below.files);
      left.push(...below.left);
    }
  }
  return { files, left };
}

async function makePlan(folder, files, rules, byYear) {
  const taken = new Set(files.map(toKey));
  const places = new Set();
  const moves = [];
  const byHash = new Map();
  for (const from of files) {
    const path = join(folder, from);
    const { size, mtimeMs, mtime } = await lookUp(path);
    const sha256 = await hashFile(path);
    byHash.set(sha256, [...(byHash.get(sha256) ?? []), from]);
    const name = from.split("/").at(-1);
    const kind = await findFreeFolder(folder, findKind(name, rules));
    const place = byYear ? await findFreeFolder(folder, `${kind}/${mtime.getFullYear()}`) : kind;
    if (from === `${place}/${name}`) continue;
    if (!places.has(place)) for (const path of await listPaths(folder, place)) taken.add(toKey(path));
    places.add(place);
    const to = findFreeName(place, name, taken);
    taken.add(toKey(to));
    moves.push({ from, to, size, mtimeMs, sha256 });
  }
  // Empty files are all alike and say nothing.
  const sizes = new Map(moves.map(({ sha256, size }) => [sha256, size]));
  const duplicates = [...byHash].filter(([sha256, same]) => same.length > 1 && sizes.get(sha256) !== 0);
  return { moves, duplicates: duplicates.map(([, same]) => same) };
}

/** A file or a link may bear the folder's name; then the folder gets another one. */
async function findFreeFolder(folder, kind) {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? kind : `${kind} (${number})`;
    const facts = await lookUp(join(folder, name));
    if (facts === undefined || facts.isDirectory()) return name;
  }
}

/** What a folder holds already, as paths; nothing when it is not there yet. */
async function listPaths(folder, place) {
  const names = await readdir(join(folder, place)).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.map((name) => `${place}/${name}`);
}

function findFreeName(place, name, taken) {
  const { stem, ending } = splitName(name);
  for (let number = 1; ; number += 1) {
    const path = `${place}/${number === 1 ? name : `${stem} (${number})${ending}`}`;
    if (!taken.has(toKey(path))) return path;
  }
}

/** Many disks take `A.txt`, `a.txt` and differently composed letters for one name. */
function toKey(path) {
  return path.normalize("NFC").toLowerCase();
}

/** Written beside and renamed, so that a plan is whole or not there. */
async function savePlan(folder, plan) {
  const place = join(folder, stateFolder);
  await mkdir(place, { recursive: true });
  const facts = await lookUp(place);
  if (!facts?.isDirectory())
    throw new UsageError(`"${stateFolder}" in the folder is not a folder. Move it away first.`);
  await writeFile(join(place, "plan.json.new"), `${JSON.stringify(plan, undefined, 2)}\n`);
  await rename(join(place, "plan.json.new"), join(place, "plan.json"));
}

function describePlan({ moves, duplicates }, left, folderName) {
  const groups = new Map();
  for (const move of moves) {
    const place = move.to.slice(0, move.to.lastIndexOf("/"));
    groups.set(place, [...(groups.get(place) ?? []), move]);
  }
  const heading =
    moves.length === 0
      ? `Plan for ${show(folderName)}: nothing to move.`
      : `Plan for ${show(folderName)}: ${count(moves.length, "file")} into ${count(groups.size, "folder")}. Nothing has moved yet.`;
  const lines = [heading];
  for (const [place, group] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1))) {
    lines.push("", `${show(place)}/ (${group.length})`, ...group.slice(0, shownOfKind).map(describeMove));
    if (group.length > shownOfKind) lines.push(`  … and ${group.length - shownOfKind} more`);
  }
  if (duplicates.length > 0) {
    lines.push("", "Same content (all are kept):");
    lines.push(...duplicates.map((same) => `  ${same.map(show).join("  =  ")}`));
  }
  if (left.length > 0) {
    lines.push(
      "",
      `Left alone: ${left
        .slice(0, shownOfKind)
        .map(({ path, why }) => `${show(path)} (${why})`)
        .join(", ")}`,
    );
    if (left.length > shownOfKind) lines.push(`  … and ${left.length - shownOfKind} more`);
  }
  if (moves.length === 0) return lines.join("\n");
  lines.push("", `Plan saved in ${show(folderName)}/${stateFolder}/plan.json`);
  lines.push(`To apply it: ${toCommand("apply.mjs", folderName)}`);
  lines.push(`To undo it afterwards: ${toCommand("undo.mjs", folderName)}`);
  return lines.join("\n");
}

function describeMove({ from, to }) {
  const name = to.split("/").at(-1);
  return name === from ? `  ${show(from)}` : `  ${show(from)}  ->  ${show(name)}`;
}
