import { existsSync, lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Ignore } from "ignore";
import { rebaseRules } from "./ignore-lines.ts";

/** The rules that count in a folder: those of all ignore files above it in one, as the last that fits decides. */
export interface IgnoreRules {
  /** The folder that they are seen from. */
  base: string;
  /** Each rule is marked with the path of its file. */
  rules: Ignore;
}

/** A longer file is no list of rules. */
const SIZE_LIMIT = 256 * 1024;

/**
 * The rules above a root, up to its repository. They do not count when they leave out the root itself: many people
 * ignore `.claude/`, and a root is searched because it is one.
 */
export function findOuterRules(root: string): IgnoreRules | undefined {
  const folders = listFoldersAbove(resolve(root));
  // Outermost first, so that each is asked about the folders on the way, as git does.
  let found: IgnoreRules | undefined;
  for (const [index, folder] of folders.entries()) {
    found = withRulesOf(folder, found);
    const next = folders[index + 1] ?? resolve(root);
    if (findIgnoring(found, next, true) !== undefined) return undefined;
  }
  return found;
}

/** The rules with those of the folder's own `.gitignore`, if it has one. */
export function withRulesOf(folder: string, outer: IgnoreRules | undefined): IgnoreRules | undefined {
  const path = join(folder, ".gitignore");
  const text = readText(path);
  return text === undefined ? outer : toRules(path, text, folder, outer);
}

/** The path of the ignore file that leaves a path out. The innermost one that says anything decides, as in git. */
export function findIgnoring(
  found: IgnoreRules | undefined,
  path: string,
  isFolder: boolean,
): string | undefined {
  if (found === undefined) return undefined;
  const below = toRelative(found.base, path);
  const { ignored, rule } = found.rules.test(isFolder ? `${below}/` : below);
  return ignored ? (rule?.mark ?? join(found.base, ".gitignore")) : undefined;
}

/** From the repository's own folder down to the one above; none outside of a repository. */
function listFoldersAbove(root: string): string[] {
  if (existsSync(join(root, ".git"))) return [];
  const folders: string[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [];
  }
}

function toRelative(folder: string, path: string): string {
  const below = path.startsWith(folder + sep) ? path.slice(folder.length + 1) : relative(folder, path);
  return sep === "/" ? below : below.split(sep).join("/");
}

function readText(path: string): string | undefined {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    // A named pipe of that name would wait for a writer for ever; git follows no link of it either.
    if (status?.isFile() !== true || status.size > SIZE_LIMIT) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // No ignore file, or none that may be read.
  }
}

/** Rules are kept with what they answered: a search asks the same again at each turn. */
const known = new Map<string, { text: string; outer: IgnoreRules | undefined; found: IgnoreRules }>();
let create: (() => Ignore) | undefined;

function toRules(path: string, text: string, folder: string, outer: IgnoreRules | undefined): IgnoreRules {
  const before = known.get(path);
  if (before?.text === text && before.outer === outer) return before.found;
  // Most searches meet no such file, and none of them shall wait for the library.
  create ??= createRequire(import.meta.url)("ignore") as () => Ignore;
  const base = outer?.base ?? folder;
  const lines = rebaseRules(text, toRelative(base, folder));
  const rules = create();
  if (outer) rules.add(outer.rules);
  for (const pattern of lines) rules.add({ pattern, mark: path });
  const found = { base, rules };
  known.set(path, { text, outer, found });
  return found;
}
