import { countEdits } from "../nearest.ts";

/** Keys that limit what a skill or a stage may do: where one of them cannot be read, neither is used. */
const LIMITING_KEYS: ReadonlySet<string> = new Set([
  "disallowed-tools",
  "disable-model-invocation",
  "restrict",
  "gate",
  "check",
  "output",
  "form",
]);

/** Those of a skill. Nothing else is spelled nearly like them, so that a misspelled one is still known. */
const SKILL_LIMITS = ["disallowed-tools", "disable-model-invocation"] as const;

/** Keys whose value is a list of tools, as a string or as a list. */
export const LIST_KEYS: ReadonlySet<string> = new Set(["allowed-tools", "disallowed-tools"]);

/** A limit of a skill, in its right spelling. */
export type SkillLimit = (typeof SKILL_LIMITS)[number];

/** A key without what people spell in different ways. */
export function toLetters(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, "");
}

/** Whether a key limits what a skill may do. Those of SKILL.md do in any spelling. */
export function isLimit(key: string): boolean {
  return LIMITING_KEYS.has(key) || findSkillLimit(key) !== undefined;
}

/** The limit of a skill that a key means, in whatever spelling. */
export function findSkillLimit(key: string): SkillLimit | undefined {
  return findSpelling(key, SKILL_LIMITS);
}

/** Whether a key holds a list of tools. `disallowed-tools` does in any spelling. */
export function isToolList(key: string): boolean {
  return LIST_KEYS.has(key) || findSkillLimit(key) === "disallowed-tools";
}

/**
 * The one of the keys that another one means: but for one slip, or two in a long word, they have the same letters.
 * A short word has to begin with the same letter: a "date" is no "gate".
 */
export function findSpelling<Key extends string>(key: string, keys: readonly Key[]): Key | undefined {
  const written = toLetters(key);
  const found = keys.map((each) => ({ each, edits: countSlips(written, toLetters(each)) }));
  return found.filter(({ edits }) => edits < 3).sort((left, right) => left.edits - right.edits)[0]?.each;
}

/** More than two where the words have nothing to do with each other. */
function countSlips(written: string, meant: string): number {
  const isShort = meant.length < 6;
  if (Math.abs(written.length - meant.length) > 2 || (isShort && written[0] !== meant[0])) return 3;
  const edits = countEdits([...written], [...meant]);
  return isShort && edits > 1 ? 3 : edits;
}
