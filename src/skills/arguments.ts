import { fillShell } from "./fill-shell.ts";
import { findRunBlocks } from "./run-blocks.ts";
import { FIELD } from "./shell-values.ts";
import { splitArguments } from "./shell-words.ts";

export { quoteWord, splitArguments } from "./shell-words.ts";

/** What the placeholders of a skill's text stand for. */
export interface ArgumentValues {
  /** What the person wrote after the skill's name; may be empty. */
  arguments: string;
  /** Real path of the skill's folder. */
  skillDirectory: string;
  /** What earlier stages of a wizard handed over, by placeholder: `{plan.version}`. */
  fields?: ReadonlyMap<string, string>;
}

const ARGUMENT =
  /\\\$|\$\$(?=\d|ARGUMENTS\b|\{CLAUDE_SKILL_DIR\})|\$\{CLAUDE_SKILL_DIR\}|(?<!\$)\{baseDir\}|\$ARGUMENTS(?![\w[])|\$[1-9](?!\w|[.,]\d)/;
const PLACEHOLDER = new RegExp(`${ARGUMENT.source}|${FIELD.source}`, "g");
// Programs in which `$1` in single quotes is theirs: a field of awk, a group of a pattern.
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|$(?![\s\S]))/gm;
const OWN_DOLLAR = /'(?<=\b(?:[gmn]?awk|perl|rg|sd|(?:ba|z)?sh)\b[^'\n]{0,200}')[^']*'/g;

/**
 * Fills in the placeholders of a skill's text: `$ARGUMENTS` (all that was written), `$1` … `$9` (its words,
 * counted from one), `${CLAUDE_SKILL_DIR}` and `{baseDir}` (the skill's folder), `{stage-id.field}` (a value that
 * an earlier stage handed over; any other name in braces stays). Values are inserted literally.
 * `$$` before a digit or a placeholder's name stands for `$`; prices such as `$0.25` stay.
 *
 * A missing argument becomes empty text, but stays where it is likely no placeholder at all: in fenced code (a
 * parameter of SQL, of a shell function) and for a `$2` without a `$1` beside it (a price).
 * In blocks marked `run`, values become quoted shell words, and what has no value stays for the model to ask.
 *
 * @param text Body of the skill, with `\n` as line end.
 */
export function applyArguments(text: string, values: ArgumentValues): string {
  const words = splitArguments(values.arguments);
  const whole = values.arguments.trim();
  const { skillDirectory: directory, fields } = values;
  const shell = { directory, words, ...(whole === "" ? {} : { whole }), ...(fields ? { fields } : {}) };
  let output = "";
  let from = 0;
  const used = findUsedNumbers(text);
  for (const { start, end } of findRunBlocks(text)) {
    output +=
      fillProse(text.slice(from, start), values, words, used) + fillShell(text.slice(start, end), shell).code;
    from = end;
  }
  return output + fillProse(text.slice(from), values, words, used);
}

/**
 * Fills in the skill's folder only, quoted for a shell. Used for entries of `allowed-tools`, so that they match
 * the commands of the skill's text.
 */
export function applyDirectory(text: string, directory: string): string {
  return fillShell(text, { directory }).code;
}

function fillProse(text: string, values: ArgumentValues, words: string[], used: Set<number>): string {
  const own = findRanges(text, OWN_DOLLAR);
  const fenced = findRanges(text, FENCED);
  return text.replace(PLACEHOLDER, (match, offset: number) => {
    if (match === "\\$") return match;
    if (match === "$$") return "$";
    if (match === "$ARGUMENTS") return values.arguments.trim();
    if (match === "{baseDir}" || match.startsWith("${")) return values.skillDirectory;
    if (match.startsWith("{")) return indentFences(values.fields?.get(match) ?? match);
    if (isWithin(offset, own)) return match;
    const number = Number(match.slice(1));
    return words[number - 1] ?? (isCounted(number, used) && !isWithin(offset, fenced) ? "" : match);
  });
}

// A model wrote the value: it must neither end the fenced code it stands in nor begin a block that is run.
function indentFences(value: string): string {
  return value.replace(/^ {0,3}(?=```|~~~)/gm, "    ");
}

function findUsedNumbers(text: string): Set<number> {
  return new Set([...text.matchAll(/\$([1-9])(?!\w)/g)].map((match) => Number(match[1])));
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
