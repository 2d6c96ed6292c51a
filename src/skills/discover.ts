import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { toMessage } from "../errors.ts";
import { findRealFolder } from "./roots.ts";
import type { Diagnostic, SkillRoot } from "./schema.ts";

export { type DefaultRootsOptions, findDefaultRoots } from "./roots.ts";

/** How many folders deep below a root skills are looked for. */
export const DISCOVERY_DEPTH = 4;

/** How many folders of one root are searched at most. */
export const FOLDER_LIMIT = 10_000;

/** A SKILL.md that may be read. */
export interface SkillFile {
  /** Absolute path as it was found, links not resolved. */
  path: string;
  /** Real path of its folder. */
  directory: string;
  /** Name of the folder as it was found. */
  folderName: string;
  root: SkillRoot;
}

const SKIPPED = new Set(["node_modules", "CVS"]);

interface Search {
  root: SkillRoot;
  /** Real paths of the folders under which the file of a link may lie; asked for when a link is met. */
  allowed: () => string[];
  /** Real paths of the folders of this root that were searched. */
  visited: Set<string>;
  /** Real paths of the skill folders that were found in any root. */
  claimed: Set<string>;
  files: SkillFile[];
  diagnostics: Diagnostic[];
  left: number;
}

/**
 * Finds every SKILL.md under the roots, in the order of the roots and then of the paths. A folder with a
 * SKILL.md is a skill: below it only its `skills` folder is searched. Hidden folders and `node_modules` are
 * skipped, links to folders followed once. Each file that cannot be a skill gives one diagnostic.
 *
 * @param roots Strongest first; a folder that lies in two of them belongs to the first.
 */
export function findSkillFiles(roots: SkillRoot[]): { files: SkillFile[]; diagnostics: Diagnostic[] } {
  const claimed = new Set<string>();
  const files: SkillFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const root of roots) {
    const path = resolve(root.path);
    // A link in a trusted root must not lend its trust to a file of an untrusted one.
    const allowed = () =>
      roots
        .filter((other) => other.trusted || !root.trusted)
        .map((other) => findRealFolder(other.path))
        .filter((real) => real !== undefined);
    const search = {
      root,
      allowed,
      visited: new Set<string>(),
      claimed,
      files,
      diagnostics,
      left: FOLDER_LIMIT,
    };
    searchFolder(search, path, findRealFolder(path), 0);
  }
  return { files, diagnostics: dropRepeated(diagnostics) };
}

function searchFolder(search: Search, folder: string, real: string | undefined, depth: number): void {
  if (real === undefined || search.visited.has(real)) return;
  search.visited.add(real);
  search.left -= 1;
  if (search.left === 0) report(search, "root-large", folder, `Only ${FOLDER_LIMIT} folders are searched.`);
  if (search.left <= 0) return;

  const entries = listFolder(search, folder);
  const file = chooseSkillFile(search, folder, entries);
  if (file !== undefined) addSkillFile(search, folder, real, file);
  if (depth === DISCOVERY_DEPTH) return;
  for (const entry of entries) {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name) || isSkillFileName(entry.name)) continue;
    if (file !== undefined && entry.name !== "skills") {
      if (depth === 0) warnNested(search, folder, entry.name);
      continue;
    }
    // Only a link has a real path of its own, and asking for it costs more than all the rest of a refresh.
    if (entry.isDirectory())
      searchFolder(search, toChild(folder, entry.name), toChild(real, entry.name), depth + 1);
    if (entry.isSymbolicLink()) searchLink(search, join(folder, entry.name), depth + 1);
  }
}

function listFolder(search: Search, folder: string): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    report(search, "folder-unreadable", folder, `The folder cannot be read: ${toMessage(error)}`);
    return [];
  }
}

// On a disk that ignores case both spellings are one file, so the listed name decides, not the opened one.
function chooseSkillFile(search: Search, folder: string, entries: Dirent[]): Dirent | undefined {
  const files = entries.filter((entry) => isSkillFileName(entry.name));
  const chosen = files.find((file) => file.name === "SKILL.md") ?? files[0];
  if (chosen === undefined || (files.length === 1 && chosen.name === "SKILL.md")) return chosen;
  const path = join(folder, chosen.name);
  const others = files.filter((file) => file !== chosen).map((file) => `"${file.name}"`);
  if (others.length > 0) {
    report(search, "file-name-twice", path, `It is read, ${others.join(", ")} is not.`);
  } else {
    report(search, "file-name-case", path, `The file should be called SKILL.md, not ${chosen.name}.`);
  }
  return chosen;
}

function addSkillFile(search: Search, folder: string, directory: string, file: Dirent): void {
  if (search.claimed.has(directory)) return;
  search.claimed.add(directory);
  const path = toChild(folder, file.name);
  const fault = findFileFault(search, path, file);
  if (fault !== undefined) {
    search.diagnostics.push({ code: "file-refused", severity: "error", path, line: 1, message: fault });
    return;
  }
  search.files.push({ path, directory, folderName: basename(folder), root: search.root });
}

// A SKILL.md put into a root by mistake would otherwise hide all the skills beside it without a word.
function warnNested(search: Search, folder: string, child: string): void {
  const nested = join(folder, child, "SKILL.md");
  if (!existsSync(nested)) return;
  report(search, "skill-nested", nested, `It is not read: ${folder} is a skill itself. Move it to "skills".`);
}

function findFileFault(search: Search, path: string, file: Dirent): string | undefined {
  if (file.isFile()) return undefined;
  if (!file.isSymbolicLink()) return "It is not a regular file.";
  try {
    const real = realpathSync.native(path);
    if (!statSync(real).isFile()) return `The link leads to ${real}, which is not a regular file.`;
    if (search.allowed().some((folder) => isInside(folder, real))) return undefined;
    return `The link leads to ${real}, outside of the folders that are searched for skills.`;
  } catch (error) {
    return `The file cannot be read: ${toMessage(error)}`;
  }
}

function searchLink(search: Search, path: string, depth: number): void {
  try {
    if (statSync(path).isDirectory()) searchFolder(search, path, findRealFolder(path), depth);
  } catch (error) {
    report(search, "link-broken", path, `The link leads nowhere: ${toMessage(error)}`);
  }
}

/** The path of an entry. Neither part has anything to normalize, which `join` would look for in each path anew. */
function toChild(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function dropRepeated(diagnostics: Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, path }) => {
    const key = `${code} ${path}`;
    return !seen.has(key) && seen.add(key);
  });
}

function isSkillFileName(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === "skill.md";
}

function report(search: Search, code: string, path: string, message: string): void {
  search.diagnostics.push({ code, severity: "warning", path, line: 1, message });
}
