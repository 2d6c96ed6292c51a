import type { Fix, TextEdit } from "../schema.ts";
import { findEntry, type HeaderSource, KEY, readMargin, type SourceEntry } from "./entries.ts";
import { normalizeText, splitFences } from "./fences.ts";

/** Words that some reader of YAML takes for something else than text. */
const WORDS = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/**
 * Gives a key another value, in quotes where it is not a plain word, in place of all its lines.
 *
 * @param line The key's line in the file, where the key may stand more than once.
 * @returns Nothing when the key has no lines of its own, as in `{name: x}`.
 */
export function toValueFix(
  source: HeaderSource,
  key: string,
  text: string,
  line?: number,
  description = `put "${key}" in quotes`,
): Fix | undefined {
  const entry = findEntry(source, key, line);
  return entry && replaceEntry(source, entry, `${writeKey(key)}: ${writeText(text)}`, description);
}

/** Writes a tool list as the specification wants it: one text, its entries parted by blanks. */
export function toToolsFix(source: HeaderSource, key: string, tools: readonly string[]): Fix | undefined {
  const text = tools.join(" ");
  const isPlain = /^[A-Za-z]/.test(text) && !/: | #|[\s:]$/.test(text);
  const entry = findEntry(source, key);
  const value = isPlain ? text : JSON.stringify(text);
  return entry && replaceEntry(source, entry, `${key}: ${value}`, `write "${key}" as one text`);
}

/** Puts a value of `metadata` in quotes. */
export function toMetadataFix(
  source: HeaderSource,
  key: string,
  text: string,
  line: number,
): Fix | undefined {
  const entry = findEntry(source, key, line);
  const isNested = entry !== undefined && entry.indent.length > readMargin(source.lines).length;
  if (!isNested) return undefined;
  const value = `${writeKey(key)}: ${JSON.stringify(text)}`;
  return replaceEntry(source, entry, value, `put "${key}" in quotes`);
}

/** Writes the right key in place of a misspelled one; its value stays. */
export function toKeyFix(source: HeaderSource, key: string, meant: string): Fix | undefined {
  const entry = findEntry(source, key);
  if (entry === undefined) return undefined;
  const text = `${entry.indent}${meant}${entry.head.replace(KEY, ":")}`;
  return createFix(source, `write "${meant}"`, [{ line: entry.line, count: 1, text }]);
}

/** Takes a key out with all its lines. */
export function toRemovalFix(source: HeaderSource, key: string, line: number): Fix | undefined {
  const entry = findEntry(source, key, line);
  if (entry === undefined) return undefined;
  const lines = source.lines.slice(entry.line - source.firstLine).slice(0, entry.count);
  // What other values refer to must stay.
  if (lines.some((text) => /(?:^|\s)&\S/.test(text))) return undefined;
  return createFix(source, `remove the second "${key}"`, [{ line: entry.line, count: entry.count }]);
}

/** Sets the name, also where the header has none. */
export function toNameFix(source: HeaderSource, name: string): Fix | undefined {
  const description = `write "name: ${name}"`;
  if (findEntry(source, "name") !== undefined)
    return toValueFix(source, "name", name, undefined, description);
  const first = source.lines.find((line) => line.trim() !== "" && !/^\s*#/.test(line));
  if (first === undefined || !KEY.test(first)) return undefined;
  const text = `${readMargin(source.lines)}name: ${writeText(name)}`;
  return createFix(source, description, [{ line: source.firstLine, count: 0, text }]);
}

/**
 * Puts the fences where every client looks for them: the first on the first line, without a byte-order mark
 * before it, and both without blanks behind them.
 *
 * @param text The whole file.
 * @returns Nothing when they stand so already, or when there are none.
 */
export function toFenceFix(text: string): Fix | undefined {
  const fences = splitFences(normalizeText(text));
  if (fences.kind !== "found") return undefined;
  const opening = fences.headerLine - 1;
  const lines = splitLines(text);
  const closing = lines.findIndex((line, index) => index >= opening && line.text.trimEnd() === "---") + 1;
  const edits: TextEdit[] = [];
  if (opening > 1 || lines[0]?.text !== "---") edits.push({ line: 1, count: opening, text: "---" });
  if (lines[closing - 1]?.text !== "---") edits.push({ line: closing, count: 1, text: "---" });
  return edits.length === 0 ? undefined : { description: 'put the "---" lines in their places', edits };
}

/** A fix for lines of which nothing else is to be mended first. */
function createFix(source: HeaderSource, description: string, edits: TextEdit[]): Fix | undefined {
  const isPending = edits.some((edit) => source.pending.some((other) => areAdjoining(edit, other)));
  return isPending ? undefined : { description, edits };
}

/**
 * Applies fixes to a file. Of two that touch one line the first wins, and the other is left out whole: it is found
 * again when the file is read the next time.
 */
export function applyFixes(text: string, fixes: readonly Fix[]): string {
  const edits: TextEdit[] = [];
  for (const fix of fixes) {
    const isFree = fix.edits.every((edit) => !edits.some((other) => areOverlapping(edit, other)));
    if (isFree) edits.push(...fix.edits);
  }
  return applyEdits(text, edits);
}

/**
 * Applies edits to a file. Untouched lines keep their ends, new ones get those of the file, and a byte-order mark
 * stays unless the first line is replaced. Of two edits of one line the first wins.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const taken: TextEdit[] = [];
  for (const edit of edits) if (!taken.some((other) => areOverlapping(edit, other))) taken.push(edit);
  taken.sort((left, right) => left.line - right.line || left.count - right.count);
  const isMarked = text.startsWith("\uFEFF") && !taken.some(({ line, count }) => line === 1 && count > 0);
  const lines = splitLines(text.replace(/^\uFEFF/, ""));
  const usual = lines[0]?.end || "\n";
  const output: Line[] = [];
  let next = 0;
  for (const { line, count, text: written } of taken) {
    output.push(...lines.slice(next, line - 1));
    next = line - 1 + count;
    if (written === undefined) continue;
    const last = output.at(-1);
    if (last?.end === "") last.end = usual;
    const end = count > 0 ? (lines[Math.min(next, lines.length) - 1]?.end ?? "") : usual;
    const added = written.split("\n").map((each) => ({ text: each, end: end || usual }));
    output.push(...added.slice(0, -1), ...added.slice(-1).map((each) => ({ ...each, end })));
  }
  output.push(...lines.slice(next));
  return (isMarked ? "\uFEFF" : "") + output.map((line) => line.text + line.end).join("");
}

/** Whether two edits touch one line. What goes in before the first of the lines that are replaced touches none. */
export function areOverlapping(left: TextEdit, right: TextEdit): boolean {
  const isBefore = (left.count === 0) !== (right.count === 0) && left.line === right.line;
  return !isBefore && areAdjoining(left, right);
}

function areAdjoining(left: TextEdit, right: TextEdit): boolean {
  return (
    left.line < right.line + Math.max(right.count, 1) && right.line < left.line + Math.max(left.count, 1)
  );
}

interface Line {
  text: string;
  end: string;
}

function splitLines(text: string): Line[] {
  const parts = text.split(/(\r\n|\r|\n)/);
  return Array.from({ length: Math.ceil(parts.length / 2) }, (_, index) => ({
    text: parts[index * 2] ?? "",
    end: parts[index * 2 + 1] ?? "",
  }));
}

function replaceEntry(
  source: HeaderSource,
  { line, count, indent }: SourceEntry,
  text: string,
  description: string,
): Fix | undefined {
  return createFix(source, description, [{ line, count, text: `${indent}${text}` }]);
}

function writeKey(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) && !WORDS.test(key) ? key : JSON.stringify(key);
}

function writeText(text: string): string {
  return /^[A-Za-z][\w-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}
