import { dirname } from "node:path";
import type { Diagnostic, Skill } from "../schema.ts";
import { toError, toWarning } from "./rule.ts";

/** A skill, and where its name and its description stand. */
export interface NamedSkill {
  skill: Skill;
  nameLine: number;
  descriptionLine: number;
}

/**
 * From how many shared words on two descriptions are taken for one: four of five words of both together. Copies and
 * copies with a word changed are above it; siblings such as "Edits PDF files" and "Edits Word files" are below.
 */
const SHARE = 0.8;
/** Fewer words are too few to compare. */
const LEAST_WORDS = 4;
/** With more skills of one word than this, only the last ones are compared: the work stays linear. */
const COMPARED = 50;
const STOP_WORDS = new Set(
  `a an and any are as ask asked asks at be by can do does for from has have if in into is it its not of on or other
  should skill skills so such that the their them then there these they this those to use used user users uses using
  want wants was were when whenever where which while who will with you your`.split(/\s+/),
);

interface Words {
  index: number;
  words: string[];
  /** The same with the words that are in every text: they may be names of skills, as `a` is. */
  all: ReadonlySet<string>;
  /** Words of the name. */
  name: string[];
  /** The name in one word: `DigitalOcean` is `digital-ocean`. */
  joined: string;
}

/** Of skills that are offered together, no two have one name, and no two descriptions say the same. */
export function judgeCollisions(skills: readonly NamedSkill[]): Diagnostic[] {
  const winners = new Map<string, Skill>();
  const diagnostics: Diagnostic[] = [];
  const offered: NamedSkill[] = [];
  for (const named of skills) {
    const { skill, nameLine } = named;
    const winner = winners.get(skill.name);
    if (winner === undefined) {
      winners.set(skill.name, skill);
      offered.push(named);
      continue;
    }
    const message = `The name "${skill.name}" is taken by ${winner.path}, which comes first: this skill is not offered. Give one of them another name.`;
    diagnostics.push({ ...toError("name-twice", nameLine, message), path: skill.path });
  }
  const twins = findTwins(offered.map(({ skill }) => skill));
  for (const [index, others] of [...twins].sort(([left], [right]) => left - right)) {
    const { skill, descriptionLine } = offered[index]!;
    const message = `The description says nearly the same as that of ${listNames(others, offered)}: nobody can choose between them. Say what sets this skill apart.`;
    diagnostics.push({ ...toWarning("description-twin", descriptionLine, message), path: skill.path });
  }
  return diagnostics;
}

/** For each text the first of the others that says nearly the same. */
function findTwins(skills: Skill[]): Map<number, number[]> {
  const all = skills.map(({ name, description }, index): Words => {
    const [all, names] = [readWords(description), readWords(name)];
    const words = all.filter((word) => !STOP_WORDS.has(word));
    return { index, words, all: new Set(all), name: names, joined: names.join("") };
  });
  const counts = new Map<string, number>();
  for (const { words } of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarest = (left: string, right: string): number =>
    (counts.get(left) ?? 0) - (counts.get(right) ?? 0) || (left < right ? -1 : 1);
  const byWord = new Map<string, Words[]>();
  const twins = new Map<number, number[]>();
  for (const own of all) {
    if (own.words.length < LEAST_WORDS) continue;
    // Two sets that share this much share one of so many words, whatever the order is: the rarest are looked up.
    const prefix = own.words
      .sort(rarest)
      .slice(0, own.words.length - Math.ceil(SHARE * own.words.length) + 1);
    const candidates = new Set(prefix.flatMap((word) => (byWord.get(word) ?? []).slice(-COMPARED)));
    for (const other of candidates) {
      if (measureShare(own.words, other.words) < SHARE || areNamedApart(own, other)) continue;
      twins.set(own.index, [...(twins.get(own.index) ?? []), other.index]);
      twins.set(other.index, [...(twins.get(other.index) ?? []), own.index]);
    }
    for (const word of prefix) byWord.set(word, [...(byWord.get(word) ?? []).slice(1 - COMPARED), own]);
  }
  return twins;
}

function readWords(text: string): string[] {
  // Signs of wide scripts are not parted by blanks; pairs of them do the same service.
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const parts = words.flatMap((word) =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word)
      ? toPairs(word)
      : [word],
  );
  return [...new Set(parts)];
}

function toPairs(word: string): string[] {
  const signs = [...word];
  return signs.slice(0, -1).map((sign, index) => `${sign}${signs[index + 1]}`);
}

function measureShare(left: string[], right: string[]): number {
  const known = new Set(left);
  const shared = right.filter((word) => known.has(word)).length;
  return shared / (left.length + right.length - shared);
}

/**
 * "Automates Gmail by …" and "Automates Jira by …" of one collection: each names what only it is for, or nothing but
 * their names sets them apart.
 */
function areNamedApart(left: Words, right: Words): boolean {
  const isNamed = (own: Words, other: Words): boolean =>
    own.name.some((word) => own.all.has(word) && !other.all.has(word)) ||
    own.words.some((word) => isOfName(word, own) && !other.all.has(word));
  if (isNamed(left, right) && isNamed(right, left)) return true;
  const differing = (own: Words, other: Words): string[] => own.words.filter((word) => !other.all.has(word));
  const [ours, theirs] = [differing(left, right), differing(right, left)];
  if (ours.length + theirs.length === 0) return false;
  return ours.every((word) => isOfName(word, left)) && theirs.every((word) => isOfName(word, right));
}

function isOfName(word: string, { name, joined }: Words): boolean {
  if (name.includes(word) || (word.length > 2 && joined.includes(word))) return true;
  // `PostgreSQL` is what `postgres` is for.
  return name.some((part) => part.length > 3 && word.startsWith(part));
}

function listNames(others: number[], offered: readonly NamedSkill[]): string {
  const names = others.slice(0, 3).map((index) => {
    const { name, path } = offered[index]!.skill;
    return `"${name}" (${dirname(path)})`;
  });
  return `${names.join(", ")}${others.length > 3 ? ` and ${others.length - 3} more` : ""}`;
}
