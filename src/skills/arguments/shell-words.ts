const PLAIN = /^[A-Za-z0-9_./:@%+=,-]+$/;

/**
 * Splits what a person typed after a skill's name into words. Double quotes group anywhere; single quotes only
 * around a whole word or after `=`, so that an apostrophe stays one. A quote without its partner is text, and
 * so is a backslash, except before a quote, a blank or, in double quotes, a backslash.
 *
 * @example
 * ```ts
 * splitArguments('red "two words"'); // ["red", "two words"]
 * ```
 */
export function splitArguments(text: string): string[] {
  const token = /\\(["'\s])|"((?:\\["\\]|[^"])*)"|(?<=^|\s|=)'([^']*)'(?=\s|$)|(\s+)|([\s\S])/gy;
  const words: string[] = [];
  let current: string | undefined;
  for (const [, escaped, double, single, blank, other] of text.matchAll(token)) {
    if (blank !== undefined) {
      if (current !== undefined) words.push(current);
      current = undefined;
      continue;
    }
    current = (current ?? "") + (escaped ?? double?.replace(/\\(["\\])/g, "$1") ?? single ?? other ?? "");
  }
  if (current !== undefined) words.push(current);
  return words;
}

/** True for a word that a shell reads as it stands, and that is no code for anything a shell evaluates. */
export function isPlainWord(value: string): boolean {
  return PLAIN.test(value);
}

/** The value as one word of a shell command: no character of it is read as code. */
export function quoteWord(value: string): string {
  return isPlainWord(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
