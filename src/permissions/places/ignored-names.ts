import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { matchesSteps, type Step, toGlobSteps } from "../subjects/wildcard.ts";
import { createKeeper } from "./kept-file.ts";

/** A name that matches one of these is searched, although it has a dot in front. */
export type Shown = readonly Step[][];

/** Where `rg` finds which names to leave out, and which of them to take back. */
const IGNORE_FILES = [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"];

const readTakenBack = createKeeper((path): Step[][] =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => /^\uFEFF?\s*!(.+)$/.exec(line)?.[1] ?? [])
    .flatMap(toShown),
);

/**
 * The names that a glob takes, each part of its path for itself: rather one too many.
 *
 * @example
 * ```ts
 * toShown("config/.e*"); // "config", and all that begins with ".e"
 * ```
 */
export function toShown(glob: string): Step[][] {
  const parts = glob
    .trim()
    .split("/")
    .filter((part) => part !== "");
  return parts.map((part) => (/[{\\]/.test(part) ? ["*"] : toGlobSteps(part.toLowerCase())));
}

/** What the ignore files in a folder take back. */
export function listTakenBack(folder: string): Step[][] {
  return IGNORE_FILES.flatMap((name) => readTakenBack(join(folder, name)) ?? []);
}

/** What the ignore files above a folder take back. */
export function listTakenBackAbove(folder: string): Step[][] {
  const parent = dirname(folder);
  return parent === folder ? [] : [...listTakenBackAbove(parent), ...listTakenBack(parent)];
}

/** True when a name is one of those. */
export function isShown(name: string, shown: Shown): boolean {
  return shown.some((steps) => matchesSteps(steps, name.toLowerCase()));
}
