import { isFamily, joinPairs, toWords, type Word } from "../skills/listing/words.ts";

/** What is known of a skill before it is loaded. */
export interface CatalogEntry {
  name: string;
  description: string;
}

/** How well a skill's name and description fit a request. */
export interface Match {
  name: string;
  description: string;
  score: number;
  /** How many words are shared. */
  count: number;
  /** The share of the request's weight that is found again, 0 to 1. */
  coverage: number;
  /** The shared words as the person wrote them. */
  shared: string[];
  /** True when all shared words are in the description. */
  inDescription: boolean;
}

/** The skills by falling score, and the one that fits clearly, if one does. */
export interface Ranking {
  chosen?: Match;
  ranked: Match[];
}

/** A word of the name tells more than one of the description. */
const NAME_WEIGHT = 2;
/** `report` in the request and `reporting` in the description are one family, less surely than equal words. */
const FAMILY_WEIGHT = 0.7;
/** How much better than the next the best must be. */
const MARGIN = 1.15;
/** The share of the request that must be found again: by one shared word, by two or three, by more. */
const LEAST_COVERAGE = [1, 0.5, 0.3, 0.3, 0];

/** A clause that says what a skill is not for, up to the end of its sentence. */
const EXCLUSION =
  /(?:\bnot\s+(?:meant\s+|intended\s+|suitable\s+)?(?:for|to\s+be\s+used)\b|\b(?:do\s+not|don['’]t|never)\s+use\b|不(?:适用于|用于|适合|能用于|要用于)|不是用来)(?:(?![.;!。；！](?:\s|$)|[。；！]).)*/giu;

interface Document extends CatalogEntry {
  nameStems: Set<string>;
  stems: Set<string>;
  excluded: Set<string>;
}

/**
 * Ranks skills by the words they share with a request; rare words of the shown catalog weigh more.
 *
 * None is chosen when too little is shared or when two fit about equally: a wrong skill costs more than none.
 *
 * @param request - The person's words.
 * @param catalog - The skills as they were announced.
 */
export function rankSkills(request: string, catalog: CatalogEntry[]): Ranking {
  const words = unique(toWords(request));
  const documents = catalog.map(toDocument);
  const weigh = createWeights(documents);
  const ranked = documents
    .map((document) => matchDocument(words, document, weigh))
    .sort((one, other) => other.score - one.score);
  const [best, second] = ranked;
  const isClear = best !== undefined && best.score > 0 && best.score >= MARGIN * (second?.score ?? 0);
  if (!isClear || best.coverage < (LEAST_COVERAGE[best.count] ?? 0)) return { ranked };
  return { chosen: best, ranked };
}

function matchDocument(words: Word[], document: Document, weigh: (stem: string) => number): Match {
  const fits = words.map((word) => {
    const inName = findCloseness(word.stem, document.nameStems) * NAME_WEIGHT;
    const inDescription = findCloseness(word.stem, document.stems);
    const excluded = findCloseness(word.stem, document.excluded);
    return { word, closeness: Math.max(inName, inDescription), inDescription, excluded };
  });
  // One word that only the exclusion knows shows that the request means the excluded thing: then the words
  // around it (`deploying releases`) count against the skill as well.
  const isExcluded = fits.some(({ closeness, excluded }) => closeness === 0 && excluded > 0);
  const shared = fits.filter(({ closeness, excluded }) => closeness > 0 && !(isExcluded && excluded > 0));
  const against = fits.filter(({ excluded }) => isExcluded && excluded > 0);
  const weightOf = (some: Word[]) => some.reduce((sum, { stem }) => sum + weigh(stem), 0);
  const gained = shared.reduce((sum, { word, closeness }) => sum + closeness * weigh(word.stem), 0);
  const lost = against.reduce((sum, { word, excluded }) => sum + excluded * weigh(word.stem), 0);
  return {
    name: document.name,
    description: document.description,
    score: gained - lost,
    count: shared.length,
    coverage: weightOf(shared.map(({ word }) => word)) / Math.max(weightOf(words), Number.EPSILON),
    shared: joinPairs(shared.map(({ word }) => word.surface)),
    inDescription: shared.every(({ inDescription }) => inDescription > 0),
  };
}

function findCloseness(stem: string, stems: Set<string>): number {
  if (stems.has(stem)) return 1;
  return [...stems].some((other) => isFamily(stem, other)) ? FAMILY_WEIGHT : 0;
}

function toDocument({ name, description }: CatalogEntry): Document {
  const excluded = (description.match(EXCLUSION) ?? []).join(" ");
  return {
    name,
    description,
    nameStems: toStems(name),
    stems: toStems(description.replace(EXCLUSION, " ")),
    excluded: toStems(excluded),
  };
}

function toStems(text: string): Set<string> {
  return new Set(toWords(text).map((word) => word.stem));
}

/** Inverse document frequency, which stays above zero in a catalog of one. */
function createWeights(documents: Document[]): (stem: string) => number {
  const counts = new Map<string, number>();
  for (const document of documents) {
    for (const stem of new Set([...document.nameStems, ...document.stems])) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1);
    }
  }
  return (stem) => Math.log(1 + (documents.length + 1) / (counts.get(stem) ?? 1));
}

function unique(words: Word[]): Word[] {
  return [...new Map(words.map((word) => [word.stem, word])).values()];
}
