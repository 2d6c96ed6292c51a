import {
  createError,
  createWarning,
  foldLines,
  type HeaderFault,
  KNOWN_KEYS,
  LIMITING_KEYS,
  LIST_KEYS,
  PROSE_KEYS,
  TEXT_KEYS,
} from "./fields.ts";
import { isValidYaml } from "./yaml.ts";

/** A header made valid, line for line, and what had to be done for it. */
export interface HeaderRepair {
  text: string;
  /** An error among these means that the header must not be used. */
  faults: HeaderFault[];
}

/** One key of the header with all the lines that belong to it. */
interface Entry {
  key: string;
  /** One-based line in the file. */
  line: number;
  lines: string[];
}

const KEY = /^(?:"([^"]+)"|'([^']+)'|([^\s"'#\-[\]{},&*!|>%@`?:][^:]*?))[ \t]*:(?=[ \t]|$)[ \t]*/;
const BLOCK_SCALAR = /^[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?$/;

/**
 * Repairs the faults that people really make in a header: a colon or ` #` in unquoted text, text that begins
 * with a sign of YAML, tabs, unindented continuation lines. Each entry is repaired by itself, so that one
 * fault never costs the others. A limit that stays unreadable is an error; any other unreadable entry is
 * dropped, which never widens what the skill may do.
 *
 * @param source A header that is not valid YAML.
 * @param firstLine The line of the file at which the header begins.
 */
export function repairHeader(source: string, firstLine: number): HeaderRepair {
  const faults: HeaderFault[] = [];
  const { preamble, entries } = splitEntries(source, firstLine, faults);
  const lines = [...preamble, ...entries.flatMap((entry) => repairEntry(entry, faults))];
  return { text: lines.join("\n"), faults };
}

function splitEntries(source: string, firstLine: number, faults: HeaderFault[]) {
  const lines = source.split("\n");
  const margin = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  const preamble: string[] = [];
  const entries: Entry[] = [];
  for (const [index, raw] of lines.entries()) {
    const text = raw.slice(Number.isFinite(margin) ? margin : 0);
    const line = firstLine + index;
    const entry = entries.at(-1);
    const match = KEY.exec(text);
    if (match !== null) {
      entries.push({ key: match[1] ?? match[2] ?? match[3] ?? "", line, lines: [text] });
    } else if (entry !== undefined && isStrayKey(entry, text)) {
      const key = /[^\s:]+/.exec(text)?.[0] ?? "";
      faults.push(
        createWarning("header-indent", line, `"${key}" is indented like a part of "${entry.key}".`),
      );
      entries.push({ key, line, lines: [text.trim()] });
    } else if (text.trim() === "" || /^[ \t]*#/.test(text)) {
      (entry?.lines ?? preamble).push(text);
    } else if (entry !== undefined && (/^[ \t]/.test(text) || /^- /.test(text))) {
      entry.lines.push(text);
    } else if (entry !== undefined && PROSE_KEYS.has(entry.key) && isSentence(text)) {
      const message = `This line of "${entry.key}" is not indented; it is read as part of the text.`;
      faults.push(createWarning("header-indent", line, message));
      entry.lines.push(`  ${text}`);
    } else {
      faults.push(createError("header-unreadable", line, `Not a "key: value" line: "${text.slice(0, 60)}".`));
    }
  }
  return { preamble, entries };
}

// "disallowed-tools Bash" under a description is a limit without its colon, and no part of the sentence.
function isSentence(text: string): boolean {
  const word = /^[\w-]+/.exec(text)?.[0] ?? "";
  return /^[^.\-%]/.test(text) && !(word.includes("-") && KNOWN_KEYS.has(word));
}

// "name: x" and then "  disallowed-tools: Bash": the limit must not become a part of the name.
function isStrayKey(entry: Entry, text: string): boolean {
  const key = /^[ \t]+([\w-]+)[ \t]*:(?:[ \t]|$)/.exec(text)?.[1];
  if (key === undefined || !KNOWN_KEYS.has(key)) return false;
  const value = plainValue(entry.lines[0] ?? "");
  return value !== "" && !BLOCK_SCALAR.test(value) && !/^["'[{]/.test(value);
}

function repairEntry(entry: Entry, faults: HeaderFault[]): string[] {
  if (isValidYaml(entry.lines.join("\n"))) return entry.lines;
  const untabbed = entry.lines.map((line) =>
    line.replace(/^[ \t]+/, (blanks) => blanks.replaceAll("\t", "  ")),
  );
  if (isValidYaml(untabbed.join("\n"))) {
    const line =
      entry.line +
      Math.max(
        0,
        entry.lines.findIndex((text) => /^ *\t/.test(text)),
      );
    faults.push(createWarning("header-tab", line, `A tab indents "${entry.key}"; read as two blanks.`));
    return untabbed;
  }
  const repaired = rewriteEntry({ ...entry, lines: untabbed });
  if (repaired !== undefined && isValidYaml(repaired.join("\n"))) {
    const message = `"${entry.key}" is not valid YAML: ${describeFault(entry)}. Read as it is written; put it in quotes.`;
    faults.push(createWarning("header-repaired", entry.line, message));
    return repaired;
  }
  const message = `"${entry.key}" is not valid YAML and could not be repaired`;
  if (LIMITING_KEYS.has(entry.key)) {
    faults.push(
      createError("header-unreadable", entry.line, `${message}. It sets a limit: the skill is not used.`),
    );
  } else {
    faults.push(createWarning("header-dropped", entry.line, `${message}; it is left out.`));
  }
  return entry.lines.map(() => "");
}

function rewriteEntry(entry: Entry): string[] | undefined {
  const [head = "", ...rest] = entry.lines;
  const value = plainValue(head);
  if (LIST_KEYS.has(entry.key)) return rewriteToolList(entry, value, rest);
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

// What is left of a broken list, such as "[Bash", would be the name of a tool that nobody has: it would forbid
// nothing.
function isToolText(text: string): boolean {
  const names = text.replace(/\([^()]*\)/g, "");
  const quotes = names.match(/["']/g)?.length ?? 0;
  return !/[[\]{}]/.test(names) && quotes % 2 === 0;
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
  return quote === '"' ? inner.replaceAll('\\"', '"') : inner.replaceAll("''", "'");
}

function describeFault(entry: Entry): string {
  if (LIST_KEYS.has(entry.key) && plainValue(entry.lines[0] ?? "") === "") return "an entry needs quotes";
  const value = [plainValue(entry.lines[0] ?? ""), ...entry.lines.slice(1)].join(" ").trim();
  if (/^[`@%*&!,[\]{}|>?-]/.test(value)) return `it begins with "${value[0]}"`;
  if (/^["']/.test(value)) return "its quotes do not match";
  if (/:(?:\s|$)/.test(value)) return 'a colon followed by a blank (": ") ends plain text';
  if (/\s#/.test(value)) return 'a " #" begins a comment';
  return "it cannot be read as plain text";
}

function plainValue(head: string): string {
  return head.replace(KEY, "").trim();
}
