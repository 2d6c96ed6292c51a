/** What the eye does not see, takes for a blank, or reads in another order than a shell does. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800]|[^\P{Cc}\n\t]|[^\P{Zs} ]/gu;

// Of the private use area, so that a shell takes them for letters.
const [OPEN, CLOSE] = ["\ue000", "\ue001"];

/** A text with all that could deceive a reader spelled out, such as `<U+202E>`. Line breaks and tabs stay. */
export function toVisibleText(text: string): string {
  return showMarks(markUnseen(text));
}

/** The same with marks in the place of the brackets, so that a command is still read as it was. */
export function markUnseen(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `${OPEN}U+${code.toString(16).toUpperCase().padStart(4, "0")}${CLOSE}`;
  });
}

/** Puts brackets in the place of the marks of {@link markUnseen}. */
export function showMarks(text: string): string {
  return text.replaceAll(OPEN, "<").replaceAll(CLOSE, ">");
}
