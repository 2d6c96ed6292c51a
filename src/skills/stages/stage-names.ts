/** What `goto` names to stop a wizard; no stage may be called so. */
export const END_STAGE = "__end__";

/**
 * A title as an id: lower-case letters and digits of any script, joined by hyphens.
 *
 * @returns Empty text for a title without letters and digits.
 */
export function toSlug(title: string): string {
  return title
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

/** The number before a stage file's name and the id after it. */
export interface FileName {
  /** A letter after it counts as its last part: `1b` is `[1, 2]`. Empty where there is none. */
  number: number[];
  id: string;
  /** True when a word such as `step` stands before the number. */
  isWorded: boolean;
  /** True when a letter stands after it. */
  isLettered: boolean;
}

/**
 * Reads the name of a stage file: `02-plan.md` is `[2]` and `plan`.
 *
 * @param options.isStep - Whether `step-02-plan.md` and `02b-plan.md` are numbered, too.
 */
export function readFileName(name: string, options: { isStep: boolean } = { isStep: false }): FileName {
  const base = name.replace(/\.md$/i, "").normalize("NFC");
  const pattern = options.isStep
    ? /^((?:step|stage|phase|步骤|阶段)[-_. ]?)?(\d+(?:\.\d+)*)([a-z])?(?=[-_. )]|$)/i
    : /^()(\d+(?:\.\d+)*)()(?=[-_. )]|$)/;
  const [written = "", word = "", digits = "", letter = ""] = pattern.exec(base) ?? [];
  const parts = digits === "" ? [] : digits.split(".").map(Number);
  return {
    number: letter === "" ? parts : [...parts, letter.toLowerCase().charCodeAt(0) - 96],
    id: toFileId(written === "" ? base : base.slice(written.length).replace(/^[-_. )]+/, "")),
    isWorded: word !== "",
    isLettered: letter !== "",
  };
}

/** A file's name as an id: its letters, digits, `-` and `_` as they are. */
export function toFileId(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

/** Whether an id means something else where a stage is named. */
export function isReservedId(id: string): boolean {
  return id === END_STAGE;
}

/** The title of a heading as people read it, without marks, links, tags and pictures. */
export function cleanTitle(text: string): string {
  return text
    .replace(/<[^<>]*>/g, "")
    .replace(/\{#[^{}]*\}[ \t]*$/, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/(\*\*|__)(.+?)\1/g, "$2")
    .replace(/(?<!\w)([*_])([^*_]+)\1(?!\w)/g, "$2")
    .replace(/[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D|`/gu, "")
    .replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
