const NUL = /\0/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Most characters of one tool result; what is longer keeps its head and its tail. */
export const OUTPUT_LIMIT = 30_000;

/**
 * Shortens a text to its head and its tail, with a notice of the whole size between them.
 *
 * @param text - Any text.
 * @param limit - Most characters kept; 30,000 by default.
 * @param advice - A sentence for the notice that says how to see the rest.
 */
export function capOutput(text: string, limit: number = OUTPUT_LIMIT, advice = ""): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const notice = toNotice(text.length - 2 * half, text.length, "characters", advice);
  return `${cutHead(text, half)}${notice}${cutTail(text, half)}`;
}

/** The line between head and tail. */
export function toNotice(left: number, total: number, unit: "bytes" | "characters", advice = ""): string {
  const more = advice === "" ? "" : ` ${advice}`;
  return `\n\n[… ${toCount(left)} ${unit} left out of ${toCount(total)}.${more} …]\n\n`;
}

/**
 * Makes characters visible that databases refuse: NUL becomes `␀`, half a surrogate pair becomes `�`. A notice
 * at the end says how many.
 */
export function cleanText(text: string): string {
  const broken = (text.match(NUL)?.length ?? 0) + (text.match(LONE_SURROGATE)?.length ?? 0);
  if (broken === 0) return text;
  const clean = text.replace(NUL, "␀").replace(LONE_SURROGATE, "�");
  return `${clean}\n[${toCount(broken)} ${broken === 1 ? "character" : "characters"} (NUL or half a surrogate pair) replaced.]`;
}

/** True when a text holds half a surrogate pair, which has no bytes in UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** A number with separators, for people. */
export function toCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** The first characters, never half of a pair. */
export function cutHead(text: string, length: number): string {
  const head = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

/** The last characters, never half of a pair. */
export function cutTail(text: string, length: number): string {
  const tail = length === 0 ? "" : text.slice(-length);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
