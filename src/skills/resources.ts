import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

/** How many files of a skill are listed, all folders together. */
export const RESOURCE_LIMIT = 200;

const DEPTH_LIMIT = 5;
const SKIPPED = new Set(["node_modules", "__pycache__"]);

/** The files that come with a skill, relative to its folder, with `/` as separator. */
export interface Resources {
  scripts: string[];
  references: string[];
  assets: string[];
}

/**
 * Lists the files under `scripts/`, `references/` and `assets/` of a skill, sorted. Hidden files and whatever
 * leads out of the skill's folder by a link are left out; after {@link RESOURCE_LIMIT} files the list ends.
 *
 * @param directory Folder of the skill.
 */
export function listResources(directory: string): Resources {
  const found = { left: RESOURCE_LIMIT, visited: new Set<string>() };
  const list = (folder: string): string[] => listFiles(directory, folder, found, 1);
  return { scripts: list("scripts"), references: list("references"), assets: list("assets") };
}

function listFiles(
  directory: string,
  folder: string,
  found: { left: number; visited: Set<string> },
  depth: number,
): string[] {
  const real = findInside(directory, folder);
  if (real === undefined || found.visited.has(real) || depth > DEPTH_LIMIT) return [];
  found.visited.add(real);
  const files: string[] = [];
  for (const { name } of listFolder(real)) {
    if (found.left === 0) return files;
    if (name.startsWith(".") || SKIPPED.has(name)) continue;
    const path = `${folder}/${name}`;
    const target = findInside(directory, path);
    if (target === undefined) continue;
    const status = statSync(target, { throwIfNoEntry: false });
    if (status?.isDirectory()) files.push(...listFiles(directory, path, found, depth + 1));
    if (!status?.isFile()) continue;
    files.push(path);
    found.left -= 1;
  }
  return files;
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
  try {
    const root = realpathSync(directory);
    const real = realpathSync(join(root, path));
    return real.startsWith(root.endsWith(sep) ? root : root + sep) ? real : undefined;
  } catch {
    return undefined; // Absent, or a link that leads nowhere.
  }
}
