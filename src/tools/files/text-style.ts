const MARK = "\ufeff";

/**
 * Gives a text the byte-order mark and the line ends of the one it replaces. Only lines that all end in CRLF are
 * taken for a style; with others the text stays as it is.
 *
 * @returns The text, and in words what was put in.
 */
export function keepStyle(text: string, before: string): { text: string; kept: string[] } {
  const isMarked = before.startsWith(MARK) && !text.startsWith(MARK);
  const ended = hasWindowsLines(before) ? toWindowsLines(text) : text;
  const kept = [...(isMarked ? ["byte-order mark"] : []), ...(ended === text ? [] : ["CRLF line ends"])];
  return { text: isMarked ? MARK + ended : ended, kept };
}

/** True when there are line breaks and each is CRLF. */
function hasWindowsLines(text: string): boolean {
  return text.includes("\n") && !/(?<!\r)\n/.test(text);
}

/** Every line break as CRLF. */
export function toWindowsLines(text: string): string {
  return text.replace(/(?<!\r)\n/g, "\r\n");
}
