/** Longest subject and name of a record, in characters. */
const LIMIT = 200;

/** A text that any store can keep, on one line, not longer than a limit in characters. Line breaks stay visible. */
export function toLine(text: string, limit = LIMIT): string {
  // What is far beyond the limit need not be looked through.
  const line = text
    .slice(0, limit * 20)
    .replace(/\0/g, "␀")
    .replace(/\p{Surrogate}/gu, "�")
    .trim()
    .replace(/[ \t]*(?:\r\n|[\n\r\u2028\u2029])\s*/g, " ⏎ ")
    .replace(/\s+/g, " ");
  const characters = [...line];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : line;
}
