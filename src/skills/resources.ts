import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** How many files of a skill are listed, all folders together. */
export const RESOURCE_LIMIT = 200;
/** How many more are counted. */
const COUNT_LIMIT = 10_000;

const DEPTH_LIMIT = 5;
const SKIPPED = new Set(["node_modules", "__pycache__"]);
/** Another folder with more files than this holds data, which no list is read for. */
const CROWD = 30;
const NAMED = ["scripts", "references", "assets"];
/** A wizard's stages are shown one at a time, and a person may ask for those in `steps` of any skill. */
const STAGES = ["stages", "steps"];

/** The files that come with a skill, relative to its folder, with `/` as separator. */
export interface Resources {
  scripts: string[];
  references: string[];
  assets: string[];
  /** Those beside its SKILL.md and in other folders; a folder with very many is named itself, with `/` behind it. */
  otherFiles: string[];
  /** How many more there are, beyond those that are listed; counting ends at some 10,000. */
  more?: number;
}

/**
 * Lists the files of a skill, sorted: those under `scripts/`, `references/` and `assets/`, then all others. Its SKILL.md,
 * its stages, skills below it, hidden files and whatever leads out of its folder by a link are left out; after
 * {@link RESOURCE_LIMIT} files the list ends, and the others are counted.
 *
 * @param directory Folder of the skill.
 */
export function listResources(directory: string): Resources {
  const found = startSearch();
  const list = (folder: string): string[] => listFiles(directory, folder, found, 1);
  const named = { scripts: list("scripts"), references: list("references"), assets: list("assets") };
  for (const folder of STAGES) found.visited.add(findInside(directory, folder) ?? folder);
  const listed = { ...named, otherFiles: listFiles(directory, "", found, 0) };
  return found.more === 0 ? listed : { ...listed, more: found.more };
}

/** The files under `scripts/` of a skill, as {@link listResources} lists them. */
export function listScripts(directory: string): string[] {
  return listFiles(directory, "scripts", startSearch(), 1);
}

interface Found {
  left: number;
  more: number;
  visited: Set<string>;
}

function startSearch(): Found {
  return { left: RESOURCE_LIMIT, more: 0, visited: new Set() };
}

/** @param folder Empty for the skill's own. */
function listFiles(directory: string, folder: string, found: Found, depth: number): string[] {
  const real = folder === "" ? toReal(directory) : findInside(directory, folder);
  if (real === undefined || found.visited.has(real) || depth > DEPTH_LIMIT) return [];
  found.visited.add(real);
  const files: string[] = [];
  const entries = listFolder(real);
  const isOther = depth > 0 && !NAMED.includes(folder.split("/")[0] ?? "");
  if (isOther && entries.some(({ name }) => isSkillFile(name))) return [];
  const isCrowd = isOther && entries.filter((entry) => entry.isFile()).length > CROWD;
  if (isCrowd && take(found)) files.push(`${folder}/`);
  for (const entry of entries) {
    const { name } = entry;
    if (found.more >= COUNT_LIMIT) return files;
    if (name.startsWith(".") || SKIPPED.has(name) || (isCrowd && entry.isFile())) continue;
    if (depth === 0 && isSkillFile(name)) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    const target = findInside(directory, path);
    if (target === undefined) continue;
    const status = statSync(target, { throwIfNoEntry: false });
    if (status?.isDirectory()) files.push(...listFiles(directory, path, found, depth + 1));
    if (!status?.isFile()) continue;
    if (take(found)) files.push(path);
  }
  return files;
}

/** Whether there is room for one more; else it is counted. */
function take(found: Found): boolean {
  if (found.left > 0) {
    found.left -= 1;
    return true;
  }
  found.more += 1;
  return false;
}

function isSkillFile(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

function listFolder(path: string): Dirent[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return []; // A file of that name, or a folder that may not be read: nothing to list.
  }
}

function findInside(directory: string, path: string): string | undefined {
  const root = toReal(directory);
  const real = root === undefined ? undefined : toReal(join(root, path));
  if (root === undefined || real === undefined) return undefined;
  return real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : undefined;
}

function toReal(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // Absent, or a link that leads nowhere.
  }
}
