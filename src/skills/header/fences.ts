/** Where the header of a file begins and ends. */
export type Fences =
  | { kind: "found"; header: string; headerLine: number; body: string; bodyLine: number }
  | { kind: "missing" | "unclosed" | "language"; line: number; text: string };

const OPENING = /^(?:[ \t]*\n)*---([^\n]*)(?:\n|$)/;
// Only a line of its own closes: a value that ends in "---" or an indented "---" is part of the header.
const CLOSING = /(?:^|\n)---[ \t]*(?:\n|$)/;

/** The text with one byte-order mark removed and every line end as `\n`. */
export function normalizeText(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/**
 * Finds the two `---` lines around a header. Blank lines before the first one and blanks after either are
 * fine; the second may be the last line of the file.
 *
 * @param text Text from {@link normalizeText}.
 */
export function splitFences(text: string): Fences {
  const opening = OPENING.exec(text);
  if (opening === null) return { kind: "missing", line: 1, text };
  const line = countLines(text.slice(0, opening[0].indexOf("---"))) + 1;
  const label = opening[1] ?? "";
  if (/^-/.test(label)) return { kind: "missing", line: 1, text };
  // gray-matter would take the word after the dashes for a language and run JavaScript.
  if (label.trim() !== "") return { kind: "language", line, text };
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return { kind: "unclosed", line, text };
  const header = rest.slice(0, closing.index);
  const bodyStart = closing.index + closing[0].length;
  return {
    kind: "found",
    header,
    headerLine: line + 1,
    body: rest.slice(bodyStart),
    bodyLine: line + countLines(rest.slice(0, bodyStart)) + 1,
  };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
