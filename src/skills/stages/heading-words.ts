import { cleanTitle } from "./stage-names.ts";

/** What a heading says about the stage that it opens. */
export interface StageHeading {
  /** Headings of one document count when they are of one family. */
  family: "stage" | "step" | "phase" | "阶段" | "步骤";
  /** Keyword and number as they are written. */
  label: string;
  /** What the number may mean: "I" is the first or the ninth. Empty for a number such as 1.2. */
  numbers: number[];
  /** May be empty. */
  title: string;
}

const FAMILIES: ReadonlyMap<string, StageHeading["family"]> = new Map([
  ["stage", "stage"],
  ["step", "step"],
  ["phase", "phase"],
  ["阶段", "阶段"],
  ["階段", "阶段"],
  ["步骤", "步骤"],
  ["步驟", "步骤"],
  ["步", "步骤"],
]);

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const DIGITS = "[0-9０-９]+(?:\\.[0-9]+)*";
const ROMAN = "[ivxIVX]+|[Ⅰ-Ⅻⅰ-ⅻ]";
const CHINESE = "[一二三四五六七八九十两]+";

const ENGLISH = new RegExp(
  `^(?<word>stage|step|phase)(?:\\s*[-#№]?\\s*(?<plain>${DIGITS}[a-z]?)(?:\\s*(?:of|/)\\s*[0-9]+)?|[\\s#№-]+(?<other>${ROMAN}|[a-z]|${WORDS.join("|")}))(?![\\p{L}\\p{N}])(?<rest>.*)$`,
  "iu",
);
const KEYWORD_FIRST = new RegExp(
  `^(?<word>阶段|階段|步骤|步驟)\\s*(?:(?<plain>${DIGITS})|(?<other>${CHINESE}|${ROMAN}))(?<rest>.*)$`,
  "u",
);
const NUMBER_FIRST = new RegExp(
  `^第\\s*(?<plain>${DIGITS}|${CHINESE}|${ROMAN})\\s*[个個]?\\s*(?<word>阶段|階段|步骤|步驟|步)(?<rest>.*)$`,
  "u",
);

const SEPARATORS = /^[\s:：.．。)）\]】\-–—―|、,，>→·]+/u;
// After a letter or a word only a sign makes it a number: "Step I want" is a sentence.
const SIGN_OR_END = /^\s*(?:[:：.．)）\]】\-–—―|、→·]|$)/u;
// A numeral is one before a space, too: "阶段一 计划", but not "步骤一览".
const SPACE_SIGN_OR_END = /^(?:\s|[:：.．)）\]】\-–—―|、→·]|$)/u;

/** Reads a heading such as `Stage 1: Title`, `**Step 2)** Title`, `Phase III — Title`, `步骤一：标题`, `第1阶段`. */
export function readStageHeading(heading: string): StageHeading | undefined {
  const text = cleanTitle(heading)
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/^[0-9]+(?:\.[0-9]+)*[.)、:]?\s+/, "");
  const groups = [ENGLISH, KEYWORD_FIRST, NUMBER_FIRST]
    .map((pattern) => pattern.exec(text)?.groups)
    .find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { word = "", plain, other, rest = "" } = groups;
  const family = FAMILIES.get(word.toLowerCase());
  const after = new RegExp(`^${CHINESE}$`, "u").test(other ?? "") ? SPACE_SIGN_OR_END : SIGN_OR_END;
  if (family === undefined || (other !== undefined && !after.test(rest))) return undefined;
  return {
    family,
    label: text.slice(0, text.length - rest.length).trim(),
    numbers: readNumbers(plain ?? other ?? ""),
    title: rest.replace(SEPARATORS, "").replace(/[\s:：]+$/u, ""),
  };
}

function readNumbers(written: string): number[] {
  const text = written.normalize("NFKC").toLowerCase();
  if (/^\d+$/.test(text)) return [Number(text)];
  if (WORDS.includes(text)) return [WORDS.indexOf(text) + 1];
  if (new RegExp(`^${CHINESE}$`, "u").test(text)) return [readChinese(text)];
  const letter = /^[a-z]$/.test(text) ? [text.charCodeAt(0) - 96] : [];
  return /^[ivx]+$/.test(text) ? [readRoman(text), ...letter] : letter;
}

function readRoman(text: string): number {
  const values = [...text].map((character) => ({ i: 1, v: 5, x: 10 })[character] ?? 0);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}

function readChinese(text: string): number {
  const [tens, ones] = text.includes("十") ? text.split("十", 2) : ["", text];
  const digit = (character: string | undefined): number =>
    "一二三四五六七八九".indexOf((character ?? "").replace("两", "二")) + 1;
  const ten = text.includes("十") ? (tens === "" ? 10 : digit(tens) * 10) : 0;
  return ten + (ones === "" ? 0 : digit(ones));
}
