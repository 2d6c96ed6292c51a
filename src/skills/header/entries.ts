import type { TextEdit } from "../schema.ts";

/** The lines between the fences, as they stand in the file. */
export interface HeaderSource {
  lines: readonly string[];
  /** The one-based line of the file at which they begin. */
  firstLine: number;
  /** Edits that mend the header itself. No other fix touches their lines before they are made. */
  pending: readonly TextEdit[];
}

/** A key of a header with all its lines; `line` is that of the file. */
export interface SourceEntry {
  line: number;
  count: number;
  /** Blanks before the key. */
  indent: string;
  /** The first line, from the key on. */
  head: string;
}

/** A key at the beginning of a line, with the blanks before it. */
export const KEY = /^([ \t]*)(?:"([^"]+)"|'([^']+)'|([^\s"'#\-[\]{},&*!|>%@`?:][^:]*?))[ \t]*:(?=[ \t]|$)/;

/**
 * Finds a key with all its lines.
 *
 * @param line The key's line in the file, where it may stand more than once or below another.
 */
export function findEntry(
  { lines, firstLine }: HeaderSource,
  key: string,
  line?: number,
): SourceEntry | undefined {
  const at =
    line === undefined
      ? lines.findIndex((text) => readKey(text) === key && readIndent(text) === readMargin(lines))
      : line - firstLine;
  const first = lines[at];
  if (first === undefined || readKey(first) !== key) return undefined;
  const indent = readIndent(first);
  const count = countOwnLines(lines.slice(at), indent.length);
  return { line: firstLine + at, count, indent, head: first.slice(indent.length) };
}

/** How many lines belong to the key of the first: not the blank lines and comments behind them. */
export function countOwnLines(lines: readonly string[], indent: number): number {
  let count = 1;
  for (const [index, text] of lines.entries()) {
    if (index === 0 || text.trim() === "") continue;
    const depth = readIndent(text).length;
    if (depth <= indent && text.startsWith("#", depth)) continue;
    if (depth < indent || (depth === indent && KEY.test(text))) break;
    count = index + 1;
  }
  return count;
}

function readKey(line: string): string | undefined {
  const match = KEY.exec(line);
  return match?.[2] ?? match?.[3] ?? match?.[4];
}

function readIndent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** The blanks before the keys of a header: of the first line that is neither blank nor a comment. */
export function readMargin(lines: readonly string[]): string {
  return readIndent(lines.find((line) => line.trim() !== "" && !/^\s*#/.test(line)) ?? "");
}
