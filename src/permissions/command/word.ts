import type { Redirect, Word, WordPart } from "unbash";

// Bash also expands a tilde behind "=" or ":" in a word that looks like an assignment.
const TILDE = /(^|[=:])~/;

/** `a{b}c,d}` is `ab}c ad` to bash, whatever the parser makes of it: a comma or two dots between braces count. */
const BRACES = /\{.*(,|\.\.).*\}/s;
const JOINED_LINE = /\\\n/g;

/** The text that a word of a command stands for, or undefined when the shell would compute it. */
export function readWord(word: Word): string | undefined {
  if (hasBraces(word)) return undefined;
  const parts = word.parts;
  if (parts === undefined) return TILDE.test(unfoldLines(word.text)) ? undefined : word.value;
  return parts.every(isStatic) ? word.value : undefined;
}

/** The text of a word with every quote taken away but nothing computed: good enough to refuse, never to allow. */
export function guessWord(word: Word): string {
  if (word.parts === undefined) return word.value;
  return word.parts.map(guessPart).join("");
}

/** True when a shell computes a part of the word: variables, substitutions, globs and braces. */
export function isComputed(word: Word): boolean {
  return hasBraces(word) || (word.parts?.some((part) => !isSpelledOut(part)) ?? false);
}

/** Where a redirection leads: nowhere that matters, to a file, or to something that only the shell knows. */
export type RedirectionPlace =
  | { kind: "harmless" }
  | { kind: "file"; path: string; reads: boolean; writes: boolean }
  | { kind: "unknown" };

const HARMLESS_FILES = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"]);

/** Tells a file from a copied descriptor: `2>&1` is none, `>&2name` is a file called `2name`. */
export function readRedirection(redirect: Redirect): RedirectionPlace {
  // `{name}>file` also sets a variable.
  if (redirect.descriptor?.type === "FileDescriptorVariable") return { kind: "unknown" };
  const path = redirect.target === undefined ? undefined : readWord(redirect.target);
  if (path === undefined || path === "") return { kind: "unknown" };
  const operator = redirect.operator;
  if (operator === ">&" || operator === "<&") {
    if (/^(\d+-?|-)$/.test(path)) return { kind: "harmless" };
    if (operator === "<&") return { kind: "unknown" };
  }
  if (HARMLESS_FILES.has(path)) return { kind: "harmless" };
  return {
    kind: "file",
    path,
    reads: operator === "<" || operator === "<>",
    writes: operator !== "<",
  };
}

function isStatic(part: WordPart): boolean {
  if (part.type === "SingleQuoted") return true;
  if (part.type === "Literal") return !TILDE.test(unfoldLines(part.text));
  // Globs and braces count as computed: a file called `--output=x` would turn `*` into an option.
  return part.type === "DoubleQuoted" && part.parts.every((child) => child.type === "Literal");
}

function isSpelledOut(part: WordPart): boolean {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString")
    return part.parts.every((child) => child.type === "Literal");
  return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "AnsiCQuoted";
}

function guessPart(part: WordPart): string {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
    return part.parts.map((child) => (child.type === "Literal" ? child.value : child.text)).join("");
  }
  return "value" in part ? part.value : part.text;
}

function hasBraces(word: Word): boolean {
  if (!word.text.includes("{")) return false;
  const pieces = word.parts?.map((part) => (part.type === "Literal" ? part.text : "")) ?? [word.text];
  return BRACES.test(unfoldLines(pieces.join("")).replace(/\\[\s\S]/g, ""));
}

function unfoldLines(text: string): string {
  return text.replace(JOINED_LINE, "");
}
