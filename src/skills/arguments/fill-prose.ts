import { readLines } from "../lines.ts";
import { toNamePattern, toPlace } from "./argument-names.ts";
import { FIELD } from "./shell-values.ts";

/** What the placeholders of a text stand for. */
export interface ProseValues {
  /** All that the person wrote. */
  whole: string;
  /** Its words. */
  words: string[];
  /** Names of the words, in their order. */
  names?: readonly string[];
  directory: string;
  fields?: ReadonlyMap<string, string>;
}

/** How a value is put into text; undefined where it is not. */
export type WriteValue = (value: string, place: { isField: boolean; isInfo: boolean }) => string | undefined;

const ARGUMENT =
  /\\\$|\$\$(?=\d|ARGUMENTS\b|\{CLAUDE_SKILL_DIR\})|\$\{CLAUDE_SKILL_DIR\}|(?<!\$)\{baseDir\}|\$ARGUMENTS(?![\w[])|\$[1-9](?!\w|[.,]\d)/;
// Programs in which `$1` in single quotes is theirs: a field of awk, a group of a pattern.
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|$(?![\s\S]))/gm;
const OWN_DOLLAR = /'(?<=\b(?:[gmn]?awk|perl|rg|sd|(?:ba|z)?sh)\b[^'\n]{0,200}')[^']*'/g;
/** What can begin or end a line, a fence or a comment. */
const STRUCTURE = /[`~\r\n]|<!|--/;

/**
 * The ways to write values, each safer than the one before. The last cannot change what is a line, a fence or a comment:
 * a value in quotes begins none and ends none, and the words after a fence stay as they are.
 */
export const WRITERS: readonly WriteValue[] = [
  (value, { isField }) => (isField ? indentFences(value) : value),
  (value, place) => (STRUCTURE.test(value) || place.isInfo ? writeQuoted(value, place) : value),
  writeQuoted,
];

/**
 * What fills in the placeholders of a text outside its blocks to be run.
 *
 * @returns A function for the parts of the text, to be called in their order.
 */
export function createProseFiller(
  whole: string,
  values: ProseValues,
  write: WriteValue,
): (start: number, end: number) => string {
  const used = findUsedNumbers(whole);
  const isInfo = createInfoTest(whole);
  const placeholder = createPlaceholder(values.names);
  return (start, end) =>
    fillPart(whole.slice(start, end), placeholder, values, used, (value, match, offset) =>
      write(value, { isField: /^\{(?!baseDir\})/.test(match), isInfo: isInfo(start + offset) }),
    );
}

function createPlaceholder(names: readonly string[] | undefined): RegExp {
  const name = toNamePattern(names);
  const named = name === undefined ? [] : [`\\$\\$(?=${name})`, `\\$${name}`];
  return new RegExp([ARGUMENT.source, ...named, FIELD.source].join("|"), "g");
}

function fillPart(
  text: string,
  placeholder: RegExp,
  values: ProseValues,
  used: Set<number>,
  write: (value: string, match: string, offset: number) => string | undefined,
): string {
  const own = findRanges(text, OWN_DOLLAR);
  const fenced = findRanges(text, FENCED);
  return text.replace(placeholder, (match, offset: number) => {
    if (match === "\\$") return match;
    if (match === "$$") return "$";
    const value = findValue(match, values) ?? findMissing(match, offset);
    if (value === undefined || (isWord(match) && isWithin(offset, own))) return match;
    return write(value, match, offset) ?? match;
  });

  function findMissing(name: string, offset: number): string | undefined {
    if (!isWord(name) || isWithin(offset, fenced)) return undefined;
    return !/^\$\d/.test(name) || isCounted(Number(name.slice(1)), used) ? "" : undefined;
  }
}

function findUsedNumbers(text: string): Set<number> {
  return new Set([...text.matchAll(/\$([1-9])(?!\w)/g)].map((match) => Number(match[1])));
}

/** Whether a placeholder stands for one word: `$1`, or `$file`. */
function isWord(name: string): boolean {
  return /^\$[^{]/.test(name) && name !== "$ARGUMENTS";
}

function findValue(name: string, values: ProseValues): string | undefined {
  const { whole, words, names, directory, fields } = values;
  if (name === "$ARGUMENTS") return whole;
  if (name === "{baseDir}" || name.startsWith("${")) return directory;
  return name.startsWith("{") ? fields?.get(name) : words[toPlace(name, names)];
}

// A model wrote the value: it must neither end the fenced code it stands in nor begin a block that is run.
function indentFences(value: string): string {
  return value.replace(/^ {0,3}(?=```|~~~)/gm, "    ");
}

/** One line of JSON that holds no end of a comment and no beginning of one. */
function writeQuoted(value: string, { isInfo }: { isInfo: boolean }): string | undefined {
  if (isInfo) return undefined;
  return JSON.stringify(value).replaceAll("<!--", "\\u003c!--").replaceAll("-->", "--\\u003e");
}

/** Whether an offset is on the first line of fenced code; to be asked with rising offsets. */
function createInfoTest(text: string): (offset: number) => boolean {
  const openings = readLines(text).lines.filter(({ kind }) => kind === "opening");
  let next = 0;
  return (offset) => {
    while ((openings[next]?.end ?? offset) < offset) next += 1;
    return (openings[next]?.start ?? Number.POSITIVE_INFINITY) <= offset;
  };
}

/** Whether all smaller numbers are placeholders of the text too. */
function isCounted(number: number, used: Set<number>): boolean {
  for (let smaller = 1; smaller < number; smaller += 1) if (!used.has(smaller)) return false;
  return true;
}

function findRanges(text: string, pattern: RegExp): [number, number][] {
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}

function isWithin(offset: number, ranges: [number, number][]): boolean {
  return ranges.some(([start, end]) => offset > start && offset < end);
}
