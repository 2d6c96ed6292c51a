const CUT_MARK = "…";

/**
 * Shortens a text and marks it as cut, never inside a character as a person sees it.
 *
 * @param limit - Greatest size of the result.
 * @param measure - Size of a text; its length by default.
 */
export function cutText(text: string, limit: number, measure = toLength): string {
  if (measure(text) <= limit) return text;
  const position = findPosition(text, limit - CUT_MARK.length, measure);
  return text.slice(0, findBorder(text, position)).trimEnd() + CUT_MARK;
}

function toLength(text: string): number {
  return text.length;
}

/** How much of the text has room. */
function findPosition(text: string, room: number, measure: (text: string) => number): number {
  const head = text.slice(0, Math.max(0, room));
  if (measure(head) === head.length) return head.length;
  let size = 0;
  let position = 0;
  for (const sign of text) {
    size += measure(sign);
    if (size > room) break;
    position += sign.length;
  }
  return position;
}

let graphemes: Intl.Segmenter | undefined;

/** The last border between two characters, as a person sees them, that does not lie behind the position. */
function findBorder(text: string, position: number): number {
  // Between two signs of ASCII there always is one, and the first segmenter of a process takes 10 ms to make.
  if (/^[ -~]{2}$/.test(text.slice(position - 1, position + 1))) return position;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemes.segment(text).containing(position)?.index ?? position;
}
