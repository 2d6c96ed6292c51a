/** Why a release cannot go on: for the person, exit code 1. */
export class Refusal extends Error {}

/** A wrong option: one line for the person, exit code 2. */
export class UsageError extends Error {}

/** Runs a script's body, prints what it returns as one JSON object, and turns what it throws into an exit code. */
export function runScript(body) {
  try {
    console.log(JSON.stringify(body(process.argv.slice(2)), undefined, 2));
  } catch (error) {
    const expected = error instanceof Refusal || error instanceof UsageError;
    console.error(expected ? error.message : `Failed: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/**
 * Reads `--name value` and `--name=value`. A value may begin with a dash, as a list in Markdown does, so the
 * parser of Node is of no use here.
 */
export function readOptions(script, words, names) {
  const usage = `Usage: ${[script, ...names.map((name) => `[--${name} VALUE]`)].join(" ")}`;
  const options = new Map();
  for (let index = 0; index < words.length; index += 1) {
    const [, name, inline] = /^--([a-z]+)(?:=([\s\S]*))?$/.exec(words[index]) ?? [];
    if (!names.includes(name)) throw new UsageError(`${usage}: "${show(words[index])}" is unknown.`);
    if (options.has(name)) throw new UsageError(`${usage}: --${name} is given twice.`);
    if (inline === undefined) index += 1;
    const value = inline ?? words[index];
    if (value === undefined) throw new UsageError(`${usage}: --${name} has no value.`);
    options.set(name, value);
  }
  return options;
}

/** The commit that a person has seen, or undefined when none is given. */
export function readHead(options) {
  const head = options.get("head");
  if (head === undefined || /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return head;
  throw new UsageError(`--head takes the full hash of a commit, not "${show(head)}".`);
}

/** A name as one line: control characters must not reach the terminal. */
export function show(name) {
  return String(name).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => {
    return `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`;
  });
}

/**
 * Text of a commit as one line: no control or format characters, and plain blanks only, because a command that
 * holds others cannot be approved in advance. The joiners stay: words and emoji need them.
 */
export function toOneLine(text) {
  return text
    .replace(/[\s\p{Z}]+/gu, " ")
    .replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu, "")
    .trim();
}

/** `1 file`, `2 files`. */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** Names on one line, at most five of them. */
export function listNames(names) {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return names.slice(0, 5).map(show).join(", ") + more;
}

/** A word of a command line, to copy and paste. */
export function quote(word) {
  return /^[\p{L}\p{N}_./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
