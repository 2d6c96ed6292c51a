import { findNearest } from "../nearest.ts";
import type { Skill } from "../schema.ts";
import { isFamily, toSearchWords } from "./words.ts";

/** What a search of skills found. */
export interface SkillSearch {
  /** Best first. */
  found: Skill[];
  /** How many fit, with those over the limit. */
  total: number;
  /** Names that are written like the query; only when nothing was found. */
  nearest: string[];
}

/** Options of {@link searchSkills}. */
export interface SearchOptions {
  /** Skills that may be found; all when absent. */
  offered?: readonly Skill[];
  /** Most skills in the answer. Default 10. */
  limit?: number;
}

interface Document {
  skill: Skill;
  name: string;
  /** How often each word stands there, weighed by where it stands. */
  counts: Map<string, number>;
  length: number;
}

interface Index {
  documents: Document[];
  /** In how many documents a word stands. */
  spread: Map<string, number>;
  averageLength: number;
}

const MAX_NEAREST = 3;
/** Words of a query that count; what is pasted in full repeats itself. */
const MAX_WORDS = 64;
/** A word of the name tells more than one of the description, one of the hint less. */
const WEIGHTS = { name: 3, description: 1, hint: 0.5 };
/** `report` and `reporting` are one family, less surely than equal words. */
const FAMILY_WEIGHT = 0.6;
/** Okapi BM25: how soon a repeated word counts no more, and how much a long text is held back. */
const [SATURATION, LENGTH_PENALTY] = [1.2, 0.75];

const indexes = new WeakMap<readonly Skill[], Index>();

/**
 * Finds skills by the words of their names, descriptions and argument hints (BM25 over light stems; pairs of
 * characters where no blanks part words). A skill whose name is the query, or stands in it, comes first.
 *
 * @param skills - The skills of a catalog; their index is kept as long as this list is.
 */
export function searchSkills(
  skills: readonly Skill[],
  query: string,
  options: SearchOptions = {},
): SkillSearch {
  const { offered = skills, limit = 10 } = options;
  const index = indexes.get(skills) ?? createIndex(skills);
  indexes.set(skills, index);
  const allowed = new Set(offered);
  const asked = toPlain(query);
  const stems = [...new Set(toSearchWords(query).map(({ stem }) => stem))].slice(0, MAX_WORDS);
  const terms = stems.map((stem) => expand(stem, index));
  const matches = index.documents
    .filter(({ skill }) => allowed.has(skill))
    .map((document) => ({
      skill: document.skill,
      named: rankName(document, asked, query.trim().normalize("NFC")),
      // A part of a name is a weak sign, and the only one that a name of numbers has.
      score: scoreDocument(document, terms, index) + (isPart(asked, document.name) ? Number.EPSILON : 0),
    }))
    .filter(({ named, score }) => named > 0 || score > 0)
    .sort((one, other) => other.named - one.named || other.score - one.score);
  const found = matches.slice(0, limit).map(({ skill }) => skill);
  return { found, total: matches.length, nearest: found.length > 0 ? [] : findNear(query, offered) };
}

function createIndex(skills: readonly Skill[]): Index {
  const documents = skills.map(toDocument);
  const spread = new Map<string, number>();
  for (const { counts } of documents) {
    for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  const total = documents.reduce((sum, { length }) => sum + length, 0);
  return { documents, spread, averageLength: total / Math.max(1, documents.length) };
}

function toDocument(skill: Skill): Document {
  const counts = new Map<string, number>();
  let length = 0;
  const parts: [text: string, weight: number][] = [
    [skill.name, WEIGHTS.name],
    [skill.description, WEIGHTS.description],
    [skill.argumentHint ?? "", WEIGHTS.hint],
  ];
  for (const [text, weight] of parts) {
    for (const { stem } of toSearchWords(text)) {
      counts.set(stem, (counts.get(stem) ?? 0) + weight);
      length += 1;
    }
  }
  return { skill, name: toPlain(skill.name), counts, length };
}

/** A word of the query with the words of its family that the catalog knows, each with its weight. */
function expand(stem: string, { spread }: Index): Map<string, number> {
  // A number is that number: 27001 is no form of 270.
  const isNumber = /^\p{N}+$/u.test(stem);
  const family = isNumber ? [] : [...spread.keys()].filter((word) => isFamily(stem, word));
  return new Map([...family.map((word): [string, number] => [word, FAMILY_WEIGHT]), [stem, 1]]);
}

function scoreDocument(document: Document, terms: Map<string, number>[], index: Index): number {
  const { counts, length } = document;
  const norm = 1 - LENGTH_PENALTY + LENGTH_PENALTY * (length / Math.max(1, index.averageLength));
  return terms.reduce((sum, term) => {
    const scores = [...term].map(([word, weight]) => {
      const count = counts.get(word) ?? 0;
      const spread = index.spread.get(word) ?? 0;
      const rarity = Math.log(1 + (index.documents.length - spread + 0.5) / (spread + 0.5));
      return weight * rarity * ((count * (SATURATION + 1)) / (count + SATURATION * norm));
    });
    return sum + Math.max(...scores);
  }, 0);
}

/** 3 for the very name, 2 for one that differs in case and joints, 1 for one that stands among the words. */
function rankName({ skill, name }: Document, asked: string, query: string): number {
  if (skill.name === query) return 3;
  if (name === "" || asked === "") return 0;
  if (name === asked) return 2;
  return name.length > 2 && ` ${asked} `.includes(` ${name} `) ? 1 : 0;
}

function isPart(asked: string, name: string): boolean {
  return asked.length > 1 && name.includes(asked);
}

function findNear(query: string, offered: readonly Skill[]): string[] {
  const names = offered.map(({ name }) => name);
  const words = [query.trim(), ...query.trim().split(/\s+/u).slice(0, MAX_WORDS)];
  return [...new Set(words.flatMap((word) => findNearest(word, names)))].slice(0, MAX_NEAREST);
}

/** Case and joints aside: `PDF tables` asks for `pdf-tables`, but `C#` not for `c`. */
function toPlain(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/^\s*[/$]/u, "")
    .replace(/(?:\s|(?!(?<=\p{L})#)\p{P})+/gu, " ")
    .trim();
}
