/** `ESC ] … BEL`, `ESC P … ESC \` and their like: titles, links, pictures. */
const STRING_SEQUENCE = /\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g;
/** Colours and moves, by the grammar of ECMA-48: `stripVTControlCharacters` of Node leaves parts of `ESC [ 38:2 … m`. */
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
const SHORT_SEQUENCE = /\u001b(?:[ -/]+[0-~]|[0-OQ-WYZ\\`-~])/g;
const BEGUN_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*$|\u001b[ -/]*$|\u001b[\]PX^_][^\u0007\u001b\u009c]*\u001b?$/;
const CONTROL = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** A line that has this many states shows progress; with fewer, they may be lines of an old Mac. */
const PROGRESS = 3;

/** A text as a terminal would leave it, in characters that can be seen. */
export interface ReadableText {
  text: string;
  /** Control characters had to be made visible. */
  hasControls: boolean;
  /** States of progress lines were left out because a later one overwrote them. */
  hasOverwritten: boolean;
}

/**
 * What a person would see: without escape sequences, progress lines in their last state. Other control characters
 * become visible, so that none of them acts on whoever prints the text later. NUL is left to `cleanText`.
 */
export function toReadable(printed: string): ReadableText {
  const plain = printed
    .replace(STRING_SEQUENCE, "")
    .replace(CONTROL_SEQUENCE, "")
    .replace(SHORT_SEQUENCE, "");
  const lines = plain.split("\n").map(eraseBack);
  const states = lines.map(toLastState);
  const text = states.join("\n");
  const visible = text.replace(CONTROL, toVisible);
  return {
    text: visible,
    hasControls: visible !== text,
    hasOverwritten: states.some((state, index) => state !== lines[index]),
  };
}

/** A text without the sequence that its end cuts off. */
export function trimBegunSequence(text: string): string {
  return text.replace(BEGUN_SEQUENCE, "");
}

/** A text that begins anywhere, perhaps inside a sequence: without its first line where it has several. */
export function trimCutLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** Text that is printed over itself, for bold, for percentages and for wheels that turn. */
function eraseBack(line: string): string {
  if (!line.includes("\b")) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

function toLastState(line: string): string {
  if (!line.includes("\r")) return line;
  const states = line.split("\r").filter((state) => state !== "");
  return states.length < PROGRESS ? line : `${states.at(-1)}${line.endsWith("\r") ? "\r" : ""}`;
}

function toVisible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : `\\x${code.toString(16)}`;
}
