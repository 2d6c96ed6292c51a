import type { Word, WordPart } from "unbash";
import { parseScript } from "../command/scan.ts";
import { matchesSteps, type Step, toSteps } from "./wildcard.ts";

/** The words of a command rule. `exact` is true when no `*` stands in it, so that it names whole commands. */
export interface CommandPattern {
  words: WordPattern[];
  /** Further words may follow. */
  prefix: boolean;
  exact: boolean;
}

/** One word of a pattern; `star` when a wildcard stands in it, `text` as it is without quotes. */
export interface WordPattern {
  steps: Step[];
  star: boolean;
  text: string;
}

/** True for a pattern that stands for every command: none, `*` or `:*`. */
export function isAnyCommand(pattern: string | undefined): boolean {
  return pattern === undefined || /^:?\*+$/.test(pattern.trim());
}

/**
 * Reads the text in `Bash(…)` with the quoting of the shell: `git status:*` and `git add *` are prefixes of
 * whole words, `*` inside a word stays inside that word, without `*` all words must be equal.
 *
 * @returns undefined for a text that is not one simple command: it matches nothing.
 */
export function parseCommandPattern(pattern: string): CommandPattern | undefined {
  const known = parsed.get(pattern);
  if (known !== undefined || parsed.has(pattern)) return known;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  const result = parsePattern(pattern);
  parsed.set(pattern, result);
  return result;
}

/** Every rule is asked about every command of a text, so what was parsed is kept. */
const parsed = new Map<string, CommandPattern | undefined>();
const MAX_PARSED = 500;

function parsePattern(pattern: string): CommandPattern | undefined {
  const ending = /(?::|\s)\*+\s*$/.exec(pattern);
  const prefix = ending !== null;
  const script = parseScript(prefix ? pattern.slice(0, ending.index) : pattern);
  const [statement, ...others] = script?.commands ?? [];
  if (statement === undefined || others.length > 0 || (script?.errors?.length ?? 0) > 0) return undefined;
  const command = statement.command;
  if (statement.background === true || command.type !== "Command" || command.name === undefined)
    return undefined;
  if (command.prefix.length > 0 || command.redirects.length > 0) return undefined;
  const words = [command.name, ...command.args].map((word) =>
    word.type === "Word" ? toWordPattern(word) : toLiteral(word.text),
  );
  if (!words.every((item) => item !== undefined)) return undefined;
  return { words, prefix, exact: !prefix && words.every((item) => !item.star) };
}

/** True when the words of a command begin with, or are, what the pattern says. */
export function matchesWords(pattern: CommandPattern, words: string[]): boolean {
  if (pattern.prefix ? words.length < pattern.words.length : words.length !== pattern.words.length)
    return false;
  return beginsAlike(pattern, words, pattern.words.length);
}

/**
 * The same for rules that restrict: a `*` stands for any text, blanks included, so that `rm -rf*` and
 * `git * --force` are for all commands that look so.
 */
export function matchesLoosely(pattern: CommandPattern, words: string[]): boolean {
  if (!pattern.words.some(({ star }) => star)) return false;
  const steps = pattern.words.flatMap((word, index) => [
    ...(index === 0 ? [] : toSteps(" ")),
    ...(word.star ? word.steps : toSteps(word.text)),
  ]);
  const text = words.join(" ");
  return (
    matchesSteps(steps, text) || (pattern.prefix && matchesSteps([...steps, ...toSteps(" "), "*"], text))
  );
}

/** True when as many of the first words fit the pattern as are compared. */
export function beginsAlike(pattern: CommandPattern, words: string[], compared: number): boolean {
  return pattern.words.slice(0, compared).every(({ steps, star, text }, index) => {
    const word = words[index] ?? "";
    // A star never climbs: `scripts/*` is not `scripts/../../other`.
    return star ? matchesSteps(steps, word) && !/(^|\/)\.\.(\/|$)/.test(word) : word === text;
  });
}

function toWordPattern(word: Word): WordPattern | undefined {
  if (word.parts === undefined) return toLiteral(word.value);
  const pattern: WordPattern = { steps: [], star: false, text: "" };
  for (const part of word.parts) {
    const isStar = part.type === "Glob" && part.kind === "star";
    const text = toPartText(part);
    if (text === undefined) return undefined;
    pattern.steps.push(...(isStar ? ["*" as const] : toSteps(text)));
    pattern.star ||= isStar;
    pattern.text += text;
  }
  return pattern;
}

function toLiteral(text: string): WordPattern {
  return { steps: toSteps(text), star: false, text };
}

function toPartText(part: WordPart): string | undefined {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Glob") return part.value;
  if (part.type !== "DoubleQuoted") return undefined;
  const texts = part.parts.map((child) => (child.type === "Literal" ? child.value : undefined));
  return texts.includes(undefined) ? undefined : texts.join("");
}
