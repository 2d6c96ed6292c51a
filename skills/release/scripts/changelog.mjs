import { isLoud } from "./history.mjs";
import { versionPattern } from "./version.mjs";

const title = "# Changelog";
const largest = 15_000;
const groups = [
  ["Breaking changes", ({ breaking }) => breaking],
  ["Features", ({ type }) => type === "feat"],
  ["Fixes", ({ type }) => type === "fix"],
  ["Performance", ({ type }) => type === "perf"],
  ["Other changes", () => true],
];
const versionHeading = new RegExp(
  `^(#{1,4})\\s+(?:(?:version|release)\\s+)?(\\[?)(v?)(${versionPattern})(?![\\w.])(\\]?)(\\(?)(.*)$`,
  "i",
);
const openHeading = /^(#{1,4})\s+\[?unreleased\b/i;
const linkDefinition = /^\[[^\]]+\]:\s/;

/** The changes for people, grouped, as Markdown. Commits that nobody notices appear only when there are no others. */
export function renderChanges(commits) {
  const counted = commits.filter(({ undone }) => !undone);
  const loud = counted.filter(isLoud);
  const left = new Set(loud.length > 0 ? loud : counted);
  const blocks = [];
  let size = 0;
  for (const [heading, belongs] of groups) {
    const members = [...left].filter(belongs);
    if (members.length === 0) continue;
    const shown = [];
    for (const commit of members) {
      left.delete(commit);
      const entry = renderEntry(commit);
      size += entry.length + 1;
      if (size <= largest) shown.push(entry);
    }
    const rest = members.length - shown.length;
    if (rest > 0) shown.push(`- … and ${rest} more`);
    blocks.push(`### ${heading}\n\n${shown.join("\n")}`);
  }
  return blocks.join("\n\n");
}

function renderEntry({ scope, text, note, short }) {
  const says = note && !text.includes(note) ? `${text}: ${note}` : text;
  return `- ${scope === "" ? "" : `**${scope}:** `}${says} (${short})`;
}

/** What a changelog says already about a version, or else under "Unreleased"; undefined when that is nothing. */
export function findWritten(text, version) {
  const sections = findSections(splitLines(text));
  for (const section of [
    sections.find((each) => each.version === version),
    sections.find(({ isOpen }) => isOpen),
  ]) {
    const body = section?.body.join("").replace(/\r\n/g, "\n").trim();
    if (body) return { body, where: section.isOpen ? "Unreleased" : version };
  }
  return undefined;
}

/**
 * The changelog with the section of a version: a new one on top, in the style of the others, or the text of one
 * that is there replaced. What "Unreleased" held leaves it when the new section holds all of it. The rest stays
 * byte for byte.
 */
export function addSection(text, version, changes, date) {
  const body = dropOwnHeading(changes, version);
  const lines = splitLines(text ?? "");
  const sections = findSections(lines);
  const known = sections.find((section) => section.version === version);
  const ending = /\r\n/.test(lines[0] ?? "") ? "\r\n" : "\n";
  const toLines = (...parts) =>
    parts
      .join("\n")
      .split("\n")
      .map((line) => line + ending);
  if (known) {
    if (known.body.join("").replace(/\r\n/g, "\n").trim() === body) return text;
    const after = known.end < lines.length ? [ending] : [];
    lines.splice(known.start + 1, known.body.length, ending, ...toLines(body), ...after);
    return closeLine(lines, known.start, ending).join("");
  }
  if (lines.length === 0) lines.push(...toLines(title));
  const open = sections.find(({ isOpen }) => isOpen);
  const isTaken = open?.body.some((line) => line.trim() !== "") && holdsAll(body, open.body);
  if (isTaken) lines.splice(open.start + 1, open.body.length, ending);
  const heading = renderHeading(sections, version, date);
  const at = findPlace(lines, findSections(lines));
  closeLine(lines, at - 1, ending);
  const before = at > 0 && lines[at - 1].trim() !== "" ? [ending] : [];
  const after = at < lines.length ? [ending] : [];
  lines.splice(at, 0, ...before, ...toLines(heading, "", body), ...after);
  return lines.join("");
}

/** The date in the heading of a version, as an earlier run wrote it. */
export function findDate(text, version) {
  const lines = splitLines(text);
  const section = findSections(lines).find((each) => each.version === version);
  return section && /\d{4}-\d{2}-\d{2}/.exec(section.tail)?.[0];
}

function splitLines(text) {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** The last line of a file may have no line break. */
function closeLine(lines, at, ending) {
  if (at >= 0 && !lines[at].endsWith("\n")) lines[at] += ending;
  return lines;
}

/** The sections of versions and of what is unreleased; headings in fenced code are none. */
function findSections(lines) {
  const headings = [];
  let fence;
  for (const [start, line] of lines.entries()) {
    const text = line.replace(/^\uFEFF/, "").trimEnd();
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (mark && (fence === undefined || (mark.startsWith(fence) && text.trim() === mark))) {
      fence = fence === undefined ? mark : undefined;
    } else if (fence === undefined && /^#{1,6}\s/.test(text)) {
      headings.push({ start, level: /^#+/.exec(text)[0].length, ...readHeading(text) });
    }
  }
  return headings.flatMap((heading, index) => {
    if (heading.version === undefined && !heading.isOpen) return [];
    const isNext = (other) => other.level <= heading.level || other.version !== undefined || other.isOpen;
    const end = headings.slice(index + 1).find(isNext)?.start ?? lines.length;
    const body = lines.slice(heading.start + 1, end);
    // The definitions of links at the end of the file belong to all sections.
    while (
      end === lines.length &&
      body.length > 0 &&
      (linkDefinition.test(body.at(-1)) || body.at(-1).trim() === "")
    )
      body.pop();
    return [{ ...heading, body, end }];
  });
}

function readHeading(text) {
  if (openHeading.test(text)) return { isOpen: true };
  const match = versionHeading.exec(text);
  if (!match) return {};
  const [bracket, prefix, version] = match.slice(2, 5);
  const [link, rest] = match.slice(-2);
  const tail = link === "" ? rest : rest.slice(rest.indexOf(")") + 1);
  return { version, prefix, tail, isBracketed: bracket !== "" && link === "" };
}

function renderHeading(sections, version, date) {
  const like = sections.find((section) => section.version !== undefined);
  if (!like) return `## ${version} - ${date}`;
  const name = like.isBracketed ? `[${like.prefix}${version}]` : like.prefix + version;
  const [, before = "", after = ""] = /^([^\d]*)\d{4}-\d{2}-\d{2}(\)?)/.exec(like.tail) ?? [];
  return `${"#".repeat(like.level)} ${name}${before === "" ? "" : `${before}${date}${after}`}`;
}

/** Above the newest version; else below "Unreleased"; else below the heading of the file and its introduction. */
function findPlace(lines, sections) {
  const newest = sections.find(({ version }) => version !== undefined);
  if (newest) return newest.start;
  const open = sections.find(({ isOpen }) => isOpen);
  if (open) return open.end;
  const headings = lines.flatMap((line, index) => (/^\uFEFF?#{1,6}\s/.test(line) ? [index] : []));
  if (headings.length === 0) return 0;
  return headings[1] ?? lines.length;
}

/** A person may have written the heading of the version above the changes. */
function dropOwnHeading(changes, version) {
  const [first, ...rest] = changes.replace(/\r\n?/g, "\n").trim().split("\n");
  return readHeading(first).version === version ? rest.join("\n").trim() : [first, ...rest].join("\n");
}

function holdsAll(body, lines) {
  const held = new Set(body.split("\n").map((line) => line.trim()));
  return lines.every((line) => held.has(line.trim()) || line.trim() === "");
}
