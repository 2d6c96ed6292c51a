import type { Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isInside } from "../../permissions/places/real-path.ts";
import { READ_FLAGS } from "./files.ts";
import {
  addRules,
  type IgnoreRules,
  isIgnored,
  MAX_RULE_BYTES,
  NEVER_WALKED,
  startRules,
} from "./ignore-rules.ts";
import { type OpenFolder, openFolder } from "./open-folder.ts";

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
  const outer = await readOuterRules(options);
  const folder = await openFolder(options.folder);
  try {
    yield* walk({ folder, path: options.folder, rules: outer }, options);
  } finally {
    await folder.close();
  }
}

async function* walk(
  place: { folder: OpenFolder; path: string; rules: IgnoreRules },
  options: WalkOptions,
): AsyncGenerator<WalkedFile> {
  options.signal?.throwIfAborted();
  const { folder } = place;
  const entries = await list(folder);
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.isFile());
  const rules = hasRules ? await withRulesOf(folder, place.path, place.rules) : place.rules;
  for (const entry of entries) {
    const path = join(place.path, entry.name);
    if (!options.dots && entry.name.startsWith(".")) continue;
    if (isIgnored(path, entry.isDirectory(), rules)) continue;
    if (entry.isFile() || entry.isSymbolicLink()) yield { path, isLink: entry.isSymbolicLink() };
    if (!entry.isDirectory() || NEVER_WALKED.has(entry.name)) continue;
    const inner = await enter(folder, entry.name);
    if (inner === undefined) continue;
    try {
      yield* walk({ folder: inner, path, rules }, options);
    } finally {
      await inner.close();
    }
  }
}

async function list(folder: OpenFolder): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder.at("."), { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    // Removed meanwhile, or closed to us: there is nothing to show.
    return [];
  }
}

async function enter(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  try {
    return await folder.enter(name);
  } catch {
    // Removed meanwhile, or a link by now, which is not followed.
    return undefined;
  }
}

/** Rules of the folders above; none when they leave the folder itself out, since it was asked for by name. */
async function readOuterRules({ folder, workspace }: WalkOptions): Promise<IgnoreRules> {
  const none = startRules(folder);
  if (folder === workspace || !isInside(workspace, folder)) return none;
  let found = startRules(workspace);
  let current = workspace;
  for (const part of relative(workspace, folder).split(sep)) {
    const opened = await openFolder(current);
    found = await withRulesOf(opened, current, found).finally(() => opened.close());
    current = join(current, part);
    if (isIgnored(current, true, found)) return none;
  }
  return found;
}

async function withRulesOf(folder: OpenFolder, path: string, outer: IgnoreRules): Promise<IgnoreRules> {
  return addRules(await readRules(folder), path, outer);
}

async function readRules(folder: OpenFolder): Promise<string> {
  try {
    const handle = await open(folder.at(".gitignore"), READ_FLAGS);
    try {
      const stat = await handle.stat();
      return stat.isFile() && stat.size <= MAX_RULE_BYTES ? await handle.readFile("utf8") : "";
    } finally {
      await handle.close();
    }
  } catch {
    // No ignore file here, or a link, which git does not follow either.
    return "";
  }
}
