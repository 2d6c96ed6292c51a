import type { TextEdit } from "../schema.ts";
import { countOwnLines } from "./entries.ts";
import {
  createError,
  createWarning,
  foldLines,
  type HeaderFault,
  type Mending,
  TEXT_KEYS,
  toReadText,
} from "./fields.ts";
import { isToolList } from "./limits.ts";
import { BLOCK_SCALAR, type Entry, plainValue, splitEntries } from "./split-entries.ts";
import { isValidYaml, readHeaderYaml } from "./yaml.ts";

/** A header made valid, line for line, and what had to be done for it. */
export interface HeaderRepair {
  text: string;
  /** An error among these means that the header must not be used. */
  faults: HeaderFault[];
}

/**
 * Repairs the faults that people really make in a header: a colon or ` #` in unquoted text, text that begins
 * with a sign of YAML, tabs, unindented continuation lines. Each entry is repaired by itself, so that one
 * fault never costs the others. A limit that stays unreadable is an error; any other unreadable entry is
 * dropped, which never widens what the skill may do.
 *
 * @param source A header that is not valid YAML.
 * @param firstLine The line of the file at which the header begins.
 * @param isLimit Whether a key sets a limit.
 */
export function repairHeader(
  source: string,
  firstLine: number,
  isLimit: (key: string) => boolean,
): HeaderRepair {
  const faults: HeaderFault[] = [];
  const { preamble, entries } = splitEntries(source, firstLine, faults);
  const lines = [...preamble, ...entries.flatMap((entry) => repairEntry(entry, faults, isLimit))];
  return { text: lines.join("\n"), faults };
}

function repairEntry(whole: Entry, faults: HeaderFault[], isLimit: (key: string) => boolean): string[] {
  if (isValidYaml(whole.lines.join("\n"))) return whole.lines;
  const count = countOwnLines(whole.lines, 0);
  const entry = { ...whole, lines: whole.lines.slice(0, count) };
  // Comments behind the value are none of it.
  const behind = whole.lines.slice(count);
  const untabbed = entry.lines.map((line) =>
    line.replace(/^[ \t]+/, (blanks) => blanks.replaceAll("\t", "  ")),
  );
  if (isValidYaml(untabbed.join("\n"))) {
    const at = entry.lines.findIndex((text) => /^ *\t/.test(text));
    const message = `A tab indents "${entry.key}"; read as two blanks.`;
    const mending = describeRepair(entry, untabbed, "put blanks in place of the tabs");
    faults.push(createWarning("header-tab", entry.line + Math.max(0, at), message, mending));
    return [...untabbed, ...behind];
  }
  const repaired = rewriteEntry({ ...entry, lines: untabbed });
  if (repaired !== undefined && isValidYaml(repaired.join("\n"))) {
    const advice = isBlock(entry) ? "indent all of them alike" : "put it in quotes";
    const message = `"${entry.key}" is not valid YAML: ${describeFault(entry)}. Read as it is written; ${advice}.`;
    const mending = describeRepair(entry, repaired, `put "${entry.key}" in quotes`);
    faults.push(createWarning("header-repaired", entry.line, message, mending));
    return [...repaired, ...behind];
  }
  const message = `"${entry.key}" is not valid YAML and could not be repaired`;
  if (isLimit(entry.key)) {
    faults.push(
      createError("header-unreadable", entry.line, `${message}. It sets a limit: the skill is not used.`),
    );
  } else {
    faults.push(createWarning("header-dropped", entry.line, `${message}; it is left out.`));
  }
  // Left out, it would mean that the skill is always offered.
  const rest = entry.key === "paths" ? ["paths: {}"] : [""];
  return [...rest, ...entry.lines.slice(1).map(() => ""), ...behind];
}

function describeRepair(entry: Entry, repaired: string[], description: string): Mending {
  const { values } = readHeaderYaml(repaired.join("\n"), entry.line);
  return {
    read: toReadText([...values.values()][0]),
    fix: { description, edits: toEdits(entry, repaired) },
  };
}

/** The lines of an entry replaced by others, of which empty ones only keep the count. */
function toEdits({ line, lines, margin }: Entry, repaired: string[]): TextEdit[] {
  const isShorter = repaired.some((text, index) => text === "" && lines[index]?.trim() !== "");
  if (isShorter) {
    const written = repaired.filter((text) => text !== "").map((text) => `${margin}${text}`);
    return [{ line, count: lines.length, text: written.join("\n") }];
  }
  return repaired.flatMap((text, index) =>
    text === lines[index] ? [] : [{ line: line + index, count: 1, text: `${margin}${text}` }],
  );
}

function rewriteEntry(entry: Entry): string[] | undefined {
  const [head = "", ...rest] = entry.lines;
  const value = plainValue(head);
  if (isToolList(entry.key)) return rewriteToolList(entry, value, rest);
  if (TEXT_KEYS.has(entry.key)) return quoteEntry(entry, readWrittenText(value, rest));
  if (value === "" || /^#/.test(value)) return [head, ...rest.map(quoteNested)];
  return rest.every((line) => line.trim() === "") ? quoteEntry(entry, stripQuotes(value)) : undefined;
}

function rewriteToolList(entry: Entry, value: string, rest: string[]): string[] | undefined {
  const [head = ""] = entry.lines;
  if (value === "") return rest.every(isToolText) ? [head, ...rest.map(quoteItem)] : undefined;
  if (rest.some((line) => line.trim() !== "" && !/^\s*#/.test(line))) return undefined;
  const text = /^\[(.*)\]$/.exec(value)?.[1] ?? value;
  return isToolText(text) ? quoteEntry(entry, text) : undefined;
}

// What is left of a broken list, such as "[Bash", would be the name of a tool that nobody has, and so would "*list",
// which stands for a value elsewhere: it would forbid nothing.
function isToolText(text: string): boolean {
  const names = text.replace(/\([^()]*\)/g, "");
  const quotes = names.match(/["']/g)?.length ?? 0;
  return !/[[\]{}]|(?:^|[\s,-])\*\w/.test(names) && quotes % 2 === 0;
}

function readWrittenText(value: string, rest: string[]): string {
  if (!BLOCK_SCALAR.test(value)) return stripQuotes(foldLines([value, ...rest]));
  return value.startsWith("|")
    ? rest
        .map((line) => line.trim())
        .join("\n")
        .trim()
    : foldLines(rest);
}

// The blank lines keep the line numbers of everything that follows.
function quoteEntry(entry: Entry, text: string): string[] {
  return [`${entry.key}: ${JSON.stringify(text)}`, ...entry.lines.slice(1).map(() => "")];
}

function quoteItem(line: string): string {
  const match = /^([ \t]*- +)(.*\S)[ \t]*$/.exec(line);
  if (match === null || isValidYaml(line)) return line;
  return `${match[1]}${JSON.stringify(stripQuotes(match[2] ?? ""))}`;
}

function quoteNested(line: string): string {
  const match = /^([ \t]+[^\s:#"'-][^:]*:[ \t]+)(.*\S)[ \t]*$/.exec(line);
  if (match === null || isValidYaml(line)) return quoteItem(line);
  return `${match[1]}${JSON.stringify(stripQuotes(match[2] ?? ""))}`;
}

// `"He said "hi" to me"` is quoted as a whole, `"Foo" and "Bar"` is not.
function stripQuotes(text: string): string {
  const quote = text[0];
  if ((quote !== '"' && quote !== "'") || text.length < 2 || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  const next = inner.indexOf(quote);
  if (next > 0 && /\S/.test(inner[next - 1] ?? "") && !/\w/.test(inner[next + 1] ?? " ")) return text;
  return quote === '"' ? inner.replace(/\\(["'])/g, "$1") : inner.replaceAll("''", "'");
}

function describeFault(entry: Entry): string {
  if (isToolList(entry.key) && plainValue(entry.lines[0] ?? "") === "") return "an entry needs quotes";
  if (isBlock(entry)) return "its lines are not indented alike";
  const value = [plainValue(entry.lines[0] ?? ""), ...entry.lines.slice(1)].join(" ").trim();
  if (/^[`@%*&!,[\]{}|>?-]/.test(value)) return `it begins with "${value[0]}"`;
  if (/^["']/.test(value)) return "its quotes do not match";
  if (/:(?:\s|$)/.test(value)) return 'a colon followed by a blank (": ") ends plain text';
  if (/\s#/.test(value)) return 'a " #" begins a comment';
  return "it cannot be read as plain text";
}

/** Whether the lines below the key are its text, as behind `>-`. */
function isBlock(entry: Entry): boolean {
  return BLOCK_SCALAR.test(plainValue(entry.lines[0] ?? ""));
}
