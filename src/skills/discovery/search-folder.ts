import { statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { toMessage } from "../../errors.ts";
import type { Diagnostic, SkillRoot } from "../schema.ts";
import { type FolderListing, type KnownFolder, listFolder } from "./folder-listing.ts";
import { findIgnoring, type IgnoreRules, withRulesOf } from "./ignore-rules.ts";
import { findRealFolder } from "./roots.ts";
import { chooseSkillFile, findFileFault, judgeFileName, toWarning } from "./skill-file.ts";

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

/** Folders with a skill's own files: a SKILL.md below is a part of that skill. */
const RESOURCE_FOLDERS = new Set(["scripts", "references", "assets", "stages", "steps"]);

/** How many levels below a hidden folder are looked into: as far as the skills of `.claude/skills`. */
const HIDDEN_LEVELS = 2;

/** A folder to be searched. */
export interface Place {
  path: string;
  real: string;
  depth: number;
  rules: IgnoreRules | undefined;
}

/** A folder that is looked into only to say that its skills are not offered, and why. */
export interface UnreadPlace {
  path: string;
  real: string;
  depth: number;
  code: "skill-nested" | "folder-ignored" | "folder-hidden";
  reason: string;
}

/** The search of one root. */
export interface Search {
  root: SkillRoot;
  now: number;
  maxFolders: number;
  maxDepth: number;
  known: ReadonlyMap<string, KnownFolder> | undefined;
  folders: Map<string, KnownFolder>;
  /** Real paths of the folders under which the file of a link may lie; asked for when a link is met. */
  allowed: () => string[];
  /** Real paths of the folders of this root that were searched. */
  visited: Set<string>;
  /** Real paths of the skill folders that were found in any root. */
  claimed: Set<string>;
  queue: Place[];
  unread: UnreadPlace[];
  files: SkillFile[];
  diagnostics: Diagnostic[];
  /** Diagnostics that hold unless the folder is a skill after all, by another root or link. */
  doubtful: { real: string; fault: Diagnostic }[];
  tooDeep: number;
}

/** Searches one folder: its SKILL.md becomes a file, what lies below is queued. */
export function searchFolder(search: Search, place: Place): void {
  const listing = list(search, place.path);
  if (listing === undefined) return;
  const rules = listing.hasIgnoreFile ? withRulesOf(place.path, place.rules) : place.rules;
  const file = chooseSkillFile(listing);
  const here = { ...place, rules };
  if (file !== undefined) addSkillFile(search, here, listing, file);
  const depth = place.depth + 1;
  for (const name of listing.folders) {
    const path = toChild(place.path, name);
    const real = toChild(place.real, name);
    const by = findIgnoring(rules, path, true);
    if (by !== undefined) addUnread(search, { path, real, depth }, "folder-ignored", `${by} leaves it out`);
    else if (file !== undefined && RESOURCE_FOLDERS.has(name)) {
      addUnread(search, { path, real, depth }, "skill-nested", `it is one of the files of ${place.path}`);
    } else if (depth > search.maxDepth) search.tooDeep += 1;
    else search.queue.push({ path, real, depth, rules });
  }
  for (const name of listing.hidden) {
    const [path, real] = [toChild(place.path, name), toChild(place.real, name)];
    const near = Math.max(depth, search.maxDepth - HIDDEN_LEVELS);
    addUnread(search, { path, real, depth: near }, "folder-hidden", `the dot of ${path} hides it`);
  }
  for (const name of listing.links) {
    if (file !== undefined && RESOURCE_FOLDERS.has(name)) continue;
    queueLink(search, here, name);
  }
}

function addSkillFile(
  search: Search,
  { path: folder, real: directory, rules }: Place,
  listing: FolderListing,
  file: FolderListing["files"][number],
): void {
  const path = toChild(folder, file.name);
  const by = findIgnoring(rules, path, false);
  if (by !== undefined) {
    const fault = toWarning("folder-ignored", path, `It is not read: ${by} leaves it out.`);
    search.doubtful.push({ real: directory, fault });
    return;
  }
  if (search.claimed.has(directory)) return;
  search.claimed.add(directory);
  const wrongName = judgeFileName(folder, listing, file);
  if (wrongName !== undefined) search.diagnostics.push(wrongName);
  const message = findFileFault(path, file, search.allowed);
  if (message !== undefined) {
    search.diagnostics.push({ code: "file-refused", severity: "error", path, line: 1, message });
    return;
  }
  search.files.push({ path, directory, folderName: basename(folder), root: search.root });
}

function queueLink(search: Search, { path: folder, depth, rules }: Place, name: string): void {
  const path = join(folder, name);
  try {
    if (!statSync(path).isDirectory()) return;
  } catch (error) {
    search.diagnostics.push(toWarning("link-broken", path, `The link leads nowhere: ${toMessage(error)}`));
    return;
  }
  const real = findRealFolder(path);
  if (real === undefined || search.visited.has(real)) return;
  // To git a link is a file, and what it leads to lies outside of what these rules are about.
  const by = findIgnoring(rules, path, false);
  if (by !== undefined)
    addUnread(search, { path, real, depth: depth + 1 }, "folder-ignored", `${by} leaves it out`);
  else if (depth === search.maxDepth) search.tooDeep += 1;
  else search.queue.push({ path, real, depth: depth + 1, rules: undefined });
}

function addUnread(
  search: Search,
  place: Pick<UnreadPlace, "path" | "real" | "depth">,
  code: UnreadPlace["code"],
  reason: string,
): void {
  search.unread.push({ ...place, code, reason });
}

/** Says of each SKILL.md in a folder that it is not read, and queues what lies below. */
export function lookInto(search: Search, { path: folder, real, depth, code, reason }: UnreadPlace): void {
  const listing = list(search, folder);
  const file = listing && chooseSkillFile(listing);
  if (file !== undefined) {
    const fault = toWarning(code, toChild(folder, file.name), `It is not read: ${reason}.`);
    search.doubtful.push({ real, fault });
  }
  if (depth === search.maxDepth) return;
  for (const name of listing?.folders ?? []) {
    const child = { path: toChild(folder, name), real: toChild(real, name), depth: depth + 1 };
    addUnread(search, child, code, reason);
  }
}

function list({ known, folders, now, diagnostics }: Search, path: string): FolderListing | undefined {
  try {
    const folder = listFolder(path, known?.get(path), now);
    folders.set(path, folder);
    return folder.listing;
  } catch (error) {
    diagnostics.push(toWarning("folder-unreadable", path, `The folder cannot be read: ${toMessage(error)}`));
    return undefined;
  }
}

/** The path of an entry. Neither part has anything to normalize, which `join` would look for in each path anew. */
function toChild(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}
