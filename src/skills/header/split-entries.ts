import { createError, createWarning, type HeaderFault, KNOWN_KEYS, PROSE_KEYS } from "./fields.ts";
import { findSkillLimit } from "./limits.ts";

/** One key of the header with all the lines that belong to it. */
export interface Entry {
  key: string;
  /** One-based line in the file. */
  line: number;
  lines: string[];
  /** Blanks that stand before each line of the header. */
  margin: string;
}

const KEY = /^(?:"([^"]+)"|'([^']+)'|([^\s"'#\-[\]{},&*!|>%@`?:][^:]*?))[ \t]*:(?=[ \t]|$)[ \t]*/;
/** The first line of a text of several lines. */
export const BLOCK_SCALAR = /^[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?$/;

/** Keys that are words of a sentence as well. */
const COMMON_WORDS: ReadonlySet<string> = new Set(["arguments", "mode", "paths"]);

/** Splits a header that is not valid YAML at its keys, and reports what stands at the wrong depth. */
export function splitEntries(source: string, firstLine: number, faults: HeaderFault[]) {
  const lines = source.split("\n");
  const width = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  const margin = (lines.find((line) => line.trim() !== "") ?? "").slice(0, width);
  if (margin.includes("\t")) faults.push(warnMargin(lines, firstLine, width));
  const preamble: string[] = [];
  const entries: Entry[] = [];
  for (const [index, raw] of lines.entries()) {
    const text = raw.slice(margin.length);
    const line = firstLine + index;
    const entry = entries.at(-1);
    const match = KEY.exec(text);
    if (match !== null) {
      entries.push({ key: match[1] ?? match[2] ?? match[3] ?? "", line, margin, lines: [text] });
    } else if (entry !== undefined && isStrayKey(entry, text)) {
      const key = /[^\s:]+/.exec(text)?.[0] ?? "";
      const message = `"${key}" is indented like a part of "${entry.key}".`;
      const edits = [{ line, count: 1, text: `${margin}${text.trim()}` }];
      const fix = { description: `move "${key}" to the beginning of its line`, edits };
      faults.push(createWarning("header-indent", line, message, { read: text.trim(), fix }));
      entries.push({ key, line, margin, lines: [text.trim()] });
    } else if (text.trim() === "" || /^[ \t]*#/.test(text)) {
      (entry?.lines ?? preamble).push(text);
    } else if (entry !== undefined && (/^[ \t]/.test(text) || /^- /.test(text))) {
      entry.lines.push(text);
    } else if (entry !== undefined && PROSE_KEYS.has(entry.key) && isSentence(text)) {
      const message = `This line of "${entry.key}" is not indented; it is read as part of the text.`;
      const edits = [{ line, count: 1, text: `${margin}  ${text}` }];
      const fix = { description: "indent the line", edits };
      faults.push(createWarning("header-indent", line, message, { read: text.trim(), fix }));
      entry.lines.push(`  ${text}`);
    } else {
      faults.push(createError("header-unreadable", line, `Not a "key: value" line: "${text.slice(0, 60)}".`));
    }
  }
  return { preamble, entries };
}

function warnMargin(lines: string[], firstLine: number, width: number): HeaderFault {
  // One edit of all lines: what else is to be mended stands elsewhere after it.
  const text = lines.map((each) => each.slice(width)).join("\n");
  const edits = [{ line: firstLine, count: lines.length, text }];
  const line = firstLine + lines.findIndex((each) => each.trim() !== "");
  const fix = { description: "move the keys to the beginning of their lines", edits };
  return createWarning("header-tab", line, "Tabs stand before the keys; read without them.", { fix });
}

// "disallowed-tools Bash" under a description is a limit without its colon, and no part of the sentence.
function isSentence(text: string): boolean {
  const word = /^[\w-]+/.exec(text)?.[0] ?? "";
  if (findSkillLimit(word) !== undefined) return false;
  return /^[^.\-%]/.test(text) && !(word.includes("-") && KNOWN_KEYS.has(word));
}

// "name: x" and then "  disallowed-tools: Bash": the limit must not become a part of the name.
function isStrayKey(entry: Entry, text: string): boolean {
  const key = /^[ \t]+([\w-]+)[ \t]*:(?:[ \t]|$)/.exec(text)?.[1];
  if (key === undefined || !(KNOWN_KEYS.has(key) || findSkillLimit(key))) return false;
  if (PROSE_KEYS.has(entry.key) && COMMON_WORDS.has(key)) return false;
  const value = plainValue(entry.lines[0] ?? "");
  return value !== "" && !BLOCK_SCALAR.test(value) && !/^["'[{]/.test(value);
}

/** What stands behind the key. */
export function plainValue(head: string): string {
  return head.replace(KEY, "").trim();
}
