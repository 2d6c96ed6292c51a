const SNIFFED = 2_048;
const META = /<meta[^>]{0,400}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const XML = /^<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;
/** Some versions of Node read these bytes of windows-1252 as if it were latin1. */
const C1 = /[\u0080-\u009F]/g;
const WINDOWS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/** A text, and what is to be said of how it was read. */
export interface DecodedText {
  text: string;
  notice?: string;
}

/**
 * Reads bytes as text: by their byte-order mark, else by the charset of the header, else by what the document says
 * of itself, else as UTF-8. A charset that is not known is said.
 *
 * @param named - The charset of the content-type header.
 * @param isMarkup - Whether the document may name its charset itself.
 */
export function decodeText(bytes: Uint8Array, named: string | undefined, isMarkup: boolean): DecodedText {
  const label = findMark(bytes) ?? named ?? (isMarkup ? findDeclared(bytes) : undefined) ?? "utf-8";
  const decoder = createDecoder(label);
  if (decoder) {
    const text = decoder.decode(bytes);
    return { text: decoder.encoding === "windows-1252" ? text.replace(C1, toWindowsCharacter) : text };
  }
  const notice = `The charset ${JSON.stringify(label.slice(0, 40))} is not known: read as UTF-8.`;
  return { text: new TextDecoder().decode(bytes), notice };
}

/** The encoding that the byte-order mark stands for. */
export function findMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function findDeclared(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, SNIFFED));
  const label = XML.exec(start)?.[1] ?? META.exec(start)?.[1];
  // What could be read as ASCII so far is not UTF-16, whatever it says.
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function createDecoder(label: string) {
  try {
    return new TextDecoder(label);
  } catch {
    // Node knows no such charset.
    return undefined;
  }
}

function toWindowsCharacter(control: string): string {
  return WINDOWS[control.charCodeAt(0) - 0x80] ?? control;
}
