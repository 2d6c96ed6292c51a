import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isInside } from "../../permissions/places/real-path.ts";

const MAX_DEEP = 3;
const NEVER_WALKED = new Set([".git", "node_modules"]);

/** A file or link that the walk met. */
export interface WalkedFile {
  /** Absolute path. */
  path: string;
  isLink: boolean;
}

/** What to walk and what to leave out. */
export interface WalkOptions {
  /** Real path of the folder to walk. */
  folder: string;
  /** Ignore files count from here down to the folder, when the folder is inside. */
  workspace: string;
  /** Also what begins with a dot; false by default. */
  dots?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * The files below a folder in the order of their names, without what `.gitignore` leaves out. Links are named,
 * never followed. `.git` and `node_modules` are walked only when the walk begins there.
 */
export async function* walkFiles(options: WalkOptions): AsyncGenerator<WalkedFile> {
  yield* walk(options.folder, await readOuterRules(options), options);
}

interface IgnoreRules {
  folder: string;
  rules: Ignore;
}

async function* walk(
  folder: string,
  outer: readonly IgnoreRules[],
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  options.signal?.throwIfAborted();
  const entries = await list(folder);
  const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
    ? await readRules(folder)
    : [];
  const rules = [...own, ...outer];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!options.dots && entry.name.startsWith(".")) continue;
    if (isIgnored(path, entry.isDirectory(), rules)) continue;
    if (entry.isDirectory() && !NEVER_WALKED.has(entry.name)) yield* walk(path, rules, options);
    if (entry.isFile() || entry.isSymbolicLink()) yield { path, isLink: entry.isSymbolicLink() };
  }
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    // Removed meanwhile, or closed to us: there is nothing to show.
    return [];
  }
}

/** Rules of the folders above, innermost first; none when they leave the folder itself out. */
async function readOuterRules({ folder, workspace }: WalkOptions): Promise<IgnoreRules[]> {
  if (folder === workspace || !isInside(workspace, folder)) return [];
  const rules: IgnoreRules[] = [];
  let current = workspace;
  for (const part of relative(workspace, folder).split(sep)) {
    rules.unshift(...(await readRules(current)));
    current = join(current, part);
    if (isIgnored(current, true, rules)) return [];
  }
  return rules;
}

async function readRules(folder: string): Promise<IgnoreRules[]> {
  try {
    const text = await readFile(join(folder, ".gitignore"), "utf8");
    // With more such places a deep path can take minutes, and nothing could stop the matching.
    const lines = text.split("\n").filter((line) => line.split("**").length <= MAX_DEEP + 1);
    return [{ folder, rules: ignore().add(lines) }];
  } catch {
    // No ignore file here.
    return [];
  }
}

/** The innermost ignore file that says anything decides, as in git. */
function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { folder, rules: own } of rules) {
    const below = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = own.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}
