/** Elements whose content is no text of the page. */
const DROPPED = /^(?:script|style|template|svg|iframe|title)$/i;
const BREAKS =
  /^(?:address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|option|p|pre|section|table|td|th|tr|ul)$/i;
const TAG = /<(?:\/?([a-z][a-z0-9:-]{0,30})|!--|[!?])/gi;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/gi;
const NAMED = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/**
 * The text of an HTML page without its tags, in one pass over it however the page is built. For pages that cannot
 * be turned into Markdown.
 */
export function toPlainText(html: string): string {
  const pieces: string[] = [];
  let position = 0;
  while (position < html.length) {
    TAG.lastIndex = position;
    const tag = TAG.exec(html);
    if (!tag) break;
    pieces.push(html.slice(position, tag.index));
    const [opening, name = ""] = tag;
    const isDropped = !opening.startsWith("</") && DROPPED.test(name);
    if (BREAKS.test(name)) pieces.push("\n");
    position = isDropped
      ? findEnd(html, name, TAG.lastIndex)
      : findAfter(html, opening === "<!--" ? "-->" : ">", TAG.lastIndex);
  }
  pieces.push(html.slice(position));
  return tidy(decodeEntities(pieces.join("")));
}

/** The end of an element that holds no tags. */
function findEnd(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.test(html) ? findAfter(html, ">", closing.lastIndex) : html.length;
}

function findAfter(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found + text.length;
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, hex: string, decimal: string, name: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "�";
  });
}

/** Lines without outer blanks, and never two empty ones. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line, index) => line !== "" || lines[index - 1] !== "")
    .join("\n")
    .trim();
}
