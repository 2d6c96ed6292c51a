import { type Dirent, readdirSync, type Stats, statSync } from "node:fs";

/** How long a file or folder must have rested before its stamp is believed later: some disks count in 2 s. */
const REST_MS = 2_000;

/** Never searched: packages, and the folders of version control that are not hidden. */
const SKIPPED = new Set(["node_modules", "CVS"]);

/** Hidden folders that hold no skill anybody could miss. */
const NEVER = new Set([".git", ".hg", ".svn", ".bzr", ".jj", ".venv", ".cache", ".tox", ".next", ".turbo"]);

/** What tells that a folder holds the same names as before. */
export interface FolderStamp {
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
}

/** What a folder holds, as far as the search for skills goes. Names are sorted. */
export interface FolderListing {
  folders: readonly string[];
  /** Folders that are not searched because a dot hides them. */
  hidden: readonly string[];
  links: readonly string[];
  /** SKILL.md in any spelling. */
  files: readonly { name: string; kind: "file" | "link" | "other" }[];
  hasIgnoreFile: boolean;
}

/** A listing, and how to know whether it is still true. */
export interface KnownFolder {
  stamp: FolderStamp;
  listing: FolderListing;
  /** False when the folder changed so shortly before that a later change might leave the same stamp. */
  settled: boolean;
}

/** The listing of most skills' folders, kept once. */
export const PLAIN_LISTING: FolderListing = {
  folders: [],
  hidden: [],
  links: [],
  files: [{ name: "SKILL.md", kind: "file" }],
  hasIgnoreFile: false,
};

/**
 * Lists a folder, or finds that what was listed before still holds.
 *
 * @param now When the search began, in milliseconds.
 * @throws The system's error when the folder cannot be listed.
 */
export function listFolder(path: string, known: KnownFolder | undefined, now: number): KnownFolder {
  const stamp = statSync(path);
  if (known?.settled && isSameStamp(known.stamp, stamp)) return known;
  const listing = toListing(readdirSync(path, { withFileTypes: true }));
  const { mtimeMs, ctimeMs, ino } = stamp;
  return { stamp: { mtimeMs, ctimeMs, ino }, listing, settled: hasRested(stamp, now) };
}

/** Whether a change after `now` will surely show in the times. A time in the future tells nothing. */
export function hasRested({ mtimeMs, ctimeMs }: Pick<Stats, "mtimeMs" | "ctimeMs">, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < now - REST_MS;
}

function isSkillFileName(name: string): boolean {
  return name.length === 8 && name.toLowerCase() === "skill.md";
}

function isSameStamp(known: FolderStamp, { mtimeMs, ctimeMs, ino }: Stats): boolean {
  return known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.ino === ino;
}

function toListing(entries: Dirent[]): FolderListing {
  const [first] = entries;
  if (entries.length === 1 && first?.name === "SKILL.md" && first.isFile()) return PLAIN_LISTING;
  const folders: string[] = [];
  const hidden: string[] = [];
  const links: string[] = [];
  const files: { name: string; kind: "file" | "link" | "other" }[] = [];
  let hasIgnoreFile = false;
  for (const entry of entries) {
    const { name } = entry;
    if (name === ".gitignore" && entry.isFile()) hasIgnoreFile = true;
    if (name.startsWith(".") && entry.isDirectory() && !NEVER.has(name)) hidden.push(name);
    if (name.startsWith(".") || SKIPPED.has(name)) continue;
    if (isSkillFileName(name)) files.push({ name, kind: toKind(entry) });
    else if (entry.isDirectory()) folders.push(name);
    else if (entry.isSymbolicLink()) links.push(name);
  }
  return {
    folders: folders.sort(),
    hidden: hidden.sort(),
    links: links.sort(),
    files: files.sort(byName),
    hasIgnoreFile,
  };
}

function toKind(entry: Dirent): "file" | "link" | "other" {
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
