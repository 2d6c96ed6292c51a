import type { Word } from "unbash";
import { parseScript } from "./scan.ts";

/** The words of a command rule. `exact` is true when no `*` stands in it, so that it names whole commands. */
export interface CommandPattern {
  words: WordPattern[];
  /** Further words may follow. */
  prefix: boolean;
  exact: boolean;
}

/** One word of a pattern; `star` when a wildcard stands in it. */
export interface WordPattern {
  expected: RegExp;
  star: boolean;
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
  const ending = /(?::|\s)\*+\s*$/.exec(pattern);
  const prefix = ending !== null;
  const script = parseScript(prefix ? pattern.slice(0, ending.index) : pattern);
  const [statement, ...others] = script?.commands ?? [];
  if (statement === undefined || others.length > 0 || (script?.errors?.length ?? 0) > 0) return undefined;
  const command = statement.command;
  if (statement.background === true || command.type !== "Command" || command.name === undefined)
    return undefined;
  if (command.prefix.length > 0 || command.redirects.length > 0) return undefined;
  const sources = [toWordSource(command.name)];
  for (const argument of command.args) {
    sources.push(
      argument.type === "Word"
        ? toWordSource(argument)
        : { source: escapeForRegExp(argument.text), star: false },
    );
  }
  if (!sources.every((item) => item !== undefined)) return undefined;
  const words = sources.map(({ source, star }) => ({ expected: new RegExp(`^${source}$`, "su"), star }));
  return { words, prefix, exact: !prefix && sources.every((item) => !item.star) };
}

/** True when the words of a command begin with, or are, what the pattern says. */
export function matchesWords(pattern: CommandPattern, words: string[]): boolean {
  if (pattern.prefix ? words.length < pattern.words.length : words.length !== pattern.words.length)
    return false;
  return pattern.words.every(({ expected, star }, index) => {
    const word = words[index] ?? "";
    // A star never climbs: `scripts/*` is not `scripts/../../other`.
    return expected.test(word) && !(star && /(^|\/)\.\.(\/|$)/.test(word));
  });
}

interface WordSource {
  source: string;
  star: boolean;
}

function toWordSource(word: Word): WordSource | undefined {
  if (word.parts === undefined) return { source: escapeForRegExp(word.value), star: false };
  let source = "";
  let star = false;
  for (const part of word.parts) {
    if (part.type === "Glob" && part.kind === "star") {
      source += ".*";
      star = true;
    } else if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Glob") {
      source += escapeForRegExp(part.value);
    } else if (part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal")) {
      source += escapeForRegExp(part.parts.map((child) => ("value" in child ? child.value : "")).join(""));
    } else {
      return undefined;
    }
  }
  return { source, star };
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
