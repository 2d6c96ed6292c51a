import { toNamePattern, toPlace } from "./argument-names.ts";
import { type Scan, type ShellValues, take } from "./shell-scan.ts";
import { isPlainWord, quoteWord } from "./shell-words.ts";

/** A name in braces with a dot in it; a placeholder where there is a value for it. */
export const FIELD = /(?<![${])\{[^\s{}'"\\$`.]+(?:\.[^\s{}'"\\$`.]+)+\}/;

const PLACEHOLDER = `\\$\\{CLAUDE_SKILL_DIR\\}|\\{baseDir\\}|\\$ARGUMENTS(?![\\w[])|\\$[1-9](?!\\d)|${FIELD.source}`;

/** Everything that may be a placeholder, at the place where a scan is. */
export function createPlaceholder(names: readonly string[] | undefined): RegExp {
  const name = toNamePattern(names);
  return new RegExp(name === undefined ? PLACEHOLDER : `${PLACEHOLDER}|\\$${name}`, "y");
}

/** Every one of a text. */
export const FIELDS = new RegExp(FIELD.source, "g");

/** A placeholder that stands for itself, at the place where a scan is. */
export function createEscaped(names: readonly string[] | undefined): RegExp {
  const name = toNamePattern(names);
  // To a shell a variable ends at a hyphen.
  const named = name === undefined ? "" : `|(?=${name})\\w+`;
  return new RegExp(`\\$\\$(?:\\d|ARGUMENTS\\b|\\{CLAUDE_SKILL_DIR\\}${named})`, "y");
}

/** The value of a placeholder, if it has one. */
export function findValues(
  { directory, words, names, whole, fields }: ShellValues,
  name: string,
): [string] | undefined {
  const argument = name === "$ARGUMENTS" ? whole : words?.[toPlace(name, names)];
  const isDirectory = name === "{baseDir}" || name.startsWith("${");
  const value = isDirectory ? directory : name.startsWith("{") ? fields?.get(name) : argument;
  return value === undefined ? undefined : [value];
}

/** True when there is a value that may be put in here; else notes why not. */
export function accept(scan: Scan, name: string, values: string[] | undefined): values is string[] {
  if (values === undefined) {
    if (/^\$[^{]/.test(name)) scan.missing.add(name);
    return false;
  }
  if (!scan.plainOnly || values.every((value) => value === "" || isPlainWord(value))) return true;
  scan.refused.add(name);
  return false;
}

/** All that is left, as it stands. */
export function takeRest(scan: Scan, start: number): string {
  scan.at = scan.code.length;
  const rest = scan.code.slice(start);
  refuseIn(scan, rest);
  return rest;
}

/** Text in which nothing can be filled in: its placeholders are noted. */
export function refuseIn(scan: Scan, text: string): void {
  const unescaped = new RegExp(`(?<![\\\\$])(?:${scan.placeholder.source})`, "g");
  for (const [name] of text.matchAll(unescaped)) {
    if (!name.startsWith("{") || name === "{baseDir}" || scan.values.fields?.has(name))
      scan.refused.add(name);
  }
}

/** The command with `$1` for every field and named word, so that it can be looked at for what it does with values. */
export function markFields(code: string, { fields, names }: ShellValues): string {
  const name = toNamePattern(names);
  const marked = name === undefined ? code : code.replace(new RegExp(`\\$${name}`, "g"), () => "$1");
  return fields === undefined
    ? marked
    : marked.replace(FIELDS, (field) => (fields.has(field) ? "$1" : field));
}

/** Text in single quotes, which may be a program of its own: `$1` is its own then, but no name of a field. */
export function takeSingleQuotes(scan: Scan): string | undefined {
  const text = take(scan, /'[^']*'?|\$'(?:\\[\s\S]|[^'\\])*'?/y);
  for (const [name] of text?.matchAll(FIELDS) ?? []) {
    if (scan.values.fields?.has(name)) scan.refused.add(name);
  }
  return text;
}

/**
 * The value as one word for the place that it takes. Beside `<`, `>`, `{`, `,` and a variable it keeps its quotes, also
 * where it needs none: `"$1">file` must not become `2>file`, nor `$A"$1"` the variable `$Ab`.
 *
 * @param scan - It stands behind the placeholder.
 * @param start - Where the placeholder begins.
 */
export function quoteBetween(scan: Scan, start: number, value: string): string {
  const before = /(?:\$\w+|[~{,])$/.test(scan.code.slice(Math.max(0, start - 64), start));
  const after = /[<>},]/.test(scan.code[scan.at] ?? "");
  return isPlainWord(value) && (before || after) ? `'${value}'` : quoteLines(value);
}

/** The value as one word that cannot end the fenced code it stands in: no line of it begins like a fence. */
export function quoteLines(value: string): string {
  return quoteWord(value).replace(/[\r\n](?= {0,3}[`~])/g, "$&''");
}

/** The value as a part of a word in double quotes, no line of it like a fence either. */
export function escapeLines(value: string): string {
  return value.replace(/[\\"$`]/g, "\\$&").replace(/(^|[\r\n])(?= {0,3}~)/g, '$1""');
}
