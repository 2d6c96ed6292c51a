import { resolve } from "node:path";
import type { Diagnostic, SkillRoot } from "../schema.ts";
import type { KnownFolder } from "./folder-listing.ts";
import { findOuterRules } from "./ignore-rules.ts";
import { findRealFolder } from "./roots.ts";
import { lookInto, type Place, type Search, type SkillFile, searchFolder } from "./search-folder.ts";
import { toWarning } from "./skill-file.ts";

export { type DefaultRootsOptions, findDefaultRoots } from "./roots.ts";
export type { SkillFile } from "./search-folder.ts";

/** How many folders deep below a root skills are looked for. */
export const DISCOVERY_DEPTH = 6;

/** How many folders of one root are searched at most, unless the settings say otherwise. */
export const FOLDER_LIMIT = 2_000;

/** Listings of folders by the path of their root, then by their own. */
export type KnownFolders = ReadonlyMap<string, ReadonlyMap<string, KnownFolder>>;

/** How far to search, and what is known already. */
export interface SearchOptions {
  /** Default {@link FOLDER_LIMIT}, for each root. */
  maxFolders?: number | undefined;
  /** Default {@link DISCOVERY_DEPTH}. */
  maxDepth?: number;
  /** What a search gave before: a folder that has not changed since is not listed again. */
  known?: KnownFolders | undefined;
}

/** What a search gave. */
export interface SearchResult {
  files: SkillFile[];
  diagnostics: Diagnostic[];
  folders: KnownFolders;
  /** Roots that are no folder. */
  absent: SkillRoot[];
}

/**
 * Finds every SKILL.md under the roots, in the order of the roots and then of the paths. Shallow folders come
 * first, so that a limit costs the deepest ones. A folder with a SKILL.md is a skill; the folders of its files
 * are not searched, all others below it are. Hidden folders, `node_modules` and what `.gitignore` names are
 * skipped, links to folders followed once. Each file that cannot be a skill gives one diagnostic.
 *
 * @param roots Strongest first; a folder that lies in two of them belongs to the first.
 */
export function findSkillFiles(roots: SkillRoot[], options: SearchOptions = {}): SearchResult {
  const { maxFolders = FOLDER_LIMIT, maxDepth = DISCOVERY_DEPTH, known } = options;
  const now = Date.now();
  const claimed = new Set<string>();
  const result = { files: [] as SkillFile[], diagnostics: [] as Diagnostic[], absent: [] as SkillRoot[] };
  const folders = new Map<string, Map<string, KnownFolder>>();
  const doubtful: Search["doubtful"] = [];
  for (const root of roots) {
    const path = resolve(root.path);
    const real = findRealFolder(path);
    if (real === undefined) {
      result.absent.push(root);
      continue;
    }
    // A link in a trusted root must not lend its trust to a file of an untrusted one.
    const allowed = () =>
      roots
        .filter((other) => other.trusted || !root.trusted)
        .map((other) => findRealFolder(other.path))
        .filter((folder) => folder !== undefined);
    const search: Search = {
      ...{ root, now, maxFolders, maxDepth, known: known?.get(root.path), folders: new Map(), allowed },
      ...{ visited: new Set(), claimed, unread: [], files: [], diagnostics: [], doubtful, tooDeep: 0 },
      queue: [{ path, real, depth: 0, rules: findOuterRules(path) }],
    };
    searchRoot(search);
    folders.set(root.path, search.folders);
    result.files.push(...search.files.sort(byPath));
    result.diagnostics.push(...search.diagnostics.sort(byPath));
  }
  const told = doubtful.filter(({ real }) => !claimed.has(real)).map(({ fault }) => fault);
  return { ...result, diagnostics: dropRepeated([...result.diagnostics, ...told.sort(byPath)]), folders };
}

function searchRoot(search: Search): void {
  const { queue, unread, visited, maxFolders } = search;
  for (const [index, place] of queue.entries()) {
    if (visited.has(place.real)) continue;
    if (visited.size === maxFolders) {
      reportLimit(search, countLeft(queue.slice(index), visited));
      break;
    }
    visited.add(place.real);
    searchFolder(search, place);
  }
  // They get an allowance of their own: a skill's files must not cost another skill its place.
  for (const [index, place] of unread.entries()) {
    if (index >= maxFolders) break;
    lookInto(search, place);
  }
  if (search.tooDeep > 0) reportDepth(search);
}

function reportDepth({ root, tooDeep, maxDepth, diagnostics }: Search): void {
  const folders = tooDeep === 1 ? "1 folder was" : `${tooDeep} folders were`;
  const message =
    `${folders} not searched, being more than ${maxDepth} levels down. ` +
    "To search there, name a folder below with --skills.";
  diagnostics.push(toWarning("root-deep", root.path, message));
}

function reportLimit({ root, maxFolders, diagnostics }: Search, left: number): void {
  const message =
    `Only ${maxFolders} folders were searched here, at least ${left} were not. ` +
    "Name a folder below with --skills, or set skills.maxFolders.";
  diagnostics.push(toWarning("root-large", root.path, message));
}

function countLeft(queue: Place[], visited: ReadonlySet<string>): number {
  return new Set(queue.map(({ real }) => real).filter((real) => !visited.has(real))).size;
}

function byPath(one: { path: string }, other: { path: string }): number {
  if (one.path === other.path) return 0;
  return one.path < other.path ? -1 : 1;
}

function dropRepeated(diagnostics: Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, path }) => {
    const key = `${code} ${path}`;
    return !seen.has(key) && seen.add(key);
  });
}
