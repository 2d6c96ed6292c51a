import { readLines } from "../lines.ts";
import { type Finding, toWarning } from "./rule.ts";

/** Signs that no reader sees, or that turn the text around them. */
const HIDDEN =
  /\p{Default_Ignorable_Code_Point}|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]/u;
const EVERY_HIDDEN = new RegExp(HIDDEN.source, "gu");
const JOINER = /^[\u200c\u200d]$/;
const SELECTOR = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
const MARK = /^[\u200e\u200f]$/;
/** The flag of a region: a black flag, its letters as tags, and their end. */
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
/** Scripts in which a joiner shapes the letters. */
const SHAPED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Bengali}\p{Script=Devanagari}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{M}]/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const HARD_BLANK = /[\u00a0\u2007\u202f]/;
const CODE_SPAN = /(`+)(?:(?!`)[^\n])+?\1(?!`)/g;

/** Signs that no program has a use for but to show other code than the one that runs. */
const TURNING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/**
 * What a person sees of a text is all that there is. Joiners inside emoji and inside scripts that need them, marks
 * of direction in lines of such scripts, and the flags of regions are seen.
 *
 * @param text A whole file, its header included, without a byte-order mark.
 */
export function judgeHidden(text: string): Finding[] {
  if (!HIDDEN.test(text) && !HARD_BLANK.test(text)) return [];
  return readLines(text).lines.flatMap(({ text: line, index, kind }) => {
    const clean = removeHidden(line);
    const plain = kind === "code" ? clean.replace(new RegExp(HARD_BLANK, "g"), " ") : replaceInSpans(clean);
    if (plain === line) return [];
    const fix = {
      description: "remove what cannot be seen",
      edits: [{ line: index + 1, count: 1, text: plain }],
    };
    return [{ ...toWarning("text-hidden", index + 1, describe(line, clean)), fix }];
  });
}

/** The same of a program, which may name other such signs to look for them. It is not mended: it might be meant. */
export function judgeHiddenCode(text: string): Finding[] {
  if (!TURNING.test(text)) return [];
  return text.split(/\r\n|\r|\n/).flatMap((line, index) => {
    const clean = removeHidden(line);
    if (clean === line || !TURNING.test(line)) return [];
    return [toWarning("text-hidden", index + 1, describe(line, clean))];
  });
}

function removeHidden(line: string): string {
  if (!HIDDEN.test(line)) return line;
  const flags = [...line.matchAll(FLAG)].map(({ 0: flag, index }) => [index, index + flag.length] as const);
  return line.replace(EVERY_HIDDEN, (sign, index: number) => {
    const isFlag = flags.some(([start, end]) => index >= start && index < end);
    return isFlag || isNeeded(sign, line, index) ? sign : "";
  });
}

function isNeeded(sign: string, line: string, index: number): boolean {
  const before = [...line.slice(Math.max(0, index - 2), index)].at(-1) ?? "";
  if (JOINER.test(sign)) {
    const after = [...line.slice(index + 1, index + 3)][0] ?? "";
    return (EMOJI.test(before) && EMOJI.test(after)) || SHAPED.test(before);
  }
  // One selector behind a sign chooses how it looks; more of them in a row hide bytes.
  if (SELECTOR.test(sign)) return before !== "" && !/\s/.test(before) && !SELECTOR.test(before);
  return MARK.test(sign) && RIGHT_TO_LEFT.test(line);
}

function replaceInSpans(line: string): string {
  if (!HARD_BLANK.test(line)) return line;
  return line.replace(CODE_SPAN, (span) => span.replace(new RegExp(HARD_BLANK, "g"), " "));
}

function describe(line: string, clean: string): string {
  if (clean === line)
    return "A blank in the code is none to a shell (no-break space, U+00A0). Write a plain blank.";
  const kept = new Set(clean);
  const codes = [...new Set(line.match(EVERY_HIDDEN) ?? [])]
    .filter((sign) => !kept.has(sign) || clean.split(sign).length < line.split(sign).length)
    .map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
  const more = codes.length > 4 ? ` and ${codes.length - 4} more` : "";
  return `The line holds what nobody sees and a model reads: ${codes.slice(0, 4).join(", ")}${more}. Remove it.`;
}
