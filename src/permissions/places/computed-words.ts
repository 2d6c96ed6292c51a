import { readdirSync } from "node:fs";
import { matchesSteps, toGlobSteps } from "../subjects/wildcard.ts";
import { KNOWN_DOT_NAMES } from "./protected.ts";

/** What a computed word could stand for; `whole` is false when there was too much to list. */
export interface Expansion {
  words: string[];
  whole: boolean;
}

const MAX_WORDS = 200;
/** Stands for a variable or a substitution: whatever text. */
const HOLE = "\0";
const VARIABLE = /\$\([^()]*\)?|\$\{[^{}]*\}?|\$[A-Za-z_]\w*|\$[@*#?$!\d-]?|`[^`]*`?/g;

/**
 * The paths that a word with braces, globs or variables could stand for: names that are in the folders it leads
 * through, and the well-known ones with a dot. A part that is a variable and nothing else stays as it is.
 *
 * @param toFolder the folder of a path that the word begins with; without it nothing is looked up.
 */
export function expandWord(word: string, toFolder?: (path: string) => string): Expansion {
  const texts = [...new Set(expandBraces(word.replace(VARIABLE, HOLE)))];
  let words: string[] = [];
  let found: string[] = [];
  let whole = texts.length < MAX_WORDS;
  for (const text of texts) {
    words = [""];
    for (const [index, segment] of text.split("/").entries()) {
      words = words.flatMap((path) => {
        const fitting = isPattern(segment)
          ? listFitting(segment, index === 0 ? "." : path || "/", toFolder)
          : [];
        const names = fitting.length > 0 ? fitting : [segment];
        return names.map((name) => (index === 0 ? name : `${path}/${name}`));
      });
      whole &&= words.length < MAX_WORDS;
      words = words.slice(0, MAX_WORDS);
    }
    found = [...found, ...words];
    if (found.length > MAX_WORDS) break;
  }
  return { words: found.slice(0, MAX_WORDS), whole: whole && found.length < MAX_WORDS };
}

function isPattern(segment: string): boolean {
  return /[*?[\0]/.test(segment) && segment.replaceAll(HOLE, "") !== "";
}

function listFitting(segment: string, path: string, toFolder?: (path: string) => string): string[] {
  const hidden = segment.startsWith(".");
  const steps = toGlobSteps(segment.replaceAll(HOLE, "*").slice(0, 256));
  // Only what is there is listed for other names: else "*" would stand for every secret there could be.
  const names = toFolder === undefined ? [] : listNames(toFolder(path));
  const known = hidden ? KNOWN_DOT_NAMES : [];
  return [...new Set([...known, ...names])].filter(
    (name) => (hidden || !name.startsWith(".")) && matchesSteps(steps, name),
  );
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `{a,b}c` → `ac`, `bc`; innermost first, so that nested ones come out too. */
function expandBraces(word: string): string[] {
  const done: string[] = [];
  const waiting = [word];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(text);
    if (brace === null) done.push(text);
    if (done.length + waiting.length > MAX_WORDS) return [...done, ...waiting];
    if (brace === null) continue;
    const before = text.slice(0, brace.index);
    const after = text.slice(brace.index + brace[0].length);
    for (const item of (brace[1] ?? "").split(",")) waiting.push(`${before}${item}${after}`);
  }
  return done;
}
