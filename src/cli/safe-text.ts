/** Bidirectional marks can make a command read as another one; see CVE-2021-42574. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const HIDDEN_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes control and direction characters visible, so that a text from a model or a tool cannot move the cursor,
 * hide a line or change a terminal. Line breaks and tabs stay.
 */
export function toSafeText(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, showCharacter);
}

/** The same, on one line and not longer than a limit in characters. */
export function toSafeLine(text: string, limit = 200): string {
  const line = toSafeText(text).replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}…` : line;
}

/** The same as lines with a margin, that of the first one and that of all others. */
export function toSafeLines(text: string, first = "  ", others = first): string[] {
  return toSafeText(text)
    .split("\n")
    .map((line, index) => (index === 0 ? first : others) + line);
}

/** One line of JSON. What JSON leaves unescaped and a terminal would obey is escaped, too. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(HIDDEN_IN_JSON, toEscape)}\n`;
}

/** A whole JSON document for people and programs. */
export function toJsonDocument(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(HIDDEN_IN_JSON, toEscape)}\n`;
}

function showCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `<${toHex(code)}>`;
}

function toEscape(character: string): string {
  return `\\u${toHex(character.codePointAt(0) ?? 0)}`;
}

function toHex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, "0");
}
