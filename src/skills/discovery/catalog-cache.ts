import { sep } from "node:path";
import type { FileStamp } from "../header/read-head.ts";
import type { Diagnostic, Skill, SkillRoot } from "../schema.ts";
import { type CacheLine, readCacheFile, writeCacheFile } from "./cache-file.ts";
import { type CatalogFile, hasStamp } from "./catalog-file.ts";
import type { KnownFolders } from "./discover.ts";
import { type FolderListing, type KnownFolder, PLAIN_LISTING } from "./folder-listing.ts";
import type { SkillFile } from "./search-folder.ts";

/** What another run read of a SKILL.md. Where it was found, and whether it is trusted, is not in it. */
export interface RememberedFile {
  stamp: FileStamp;
  skill?: Skill;
  diagnostics: Diagnostic[];
}

/** What other runs read under the roots. */
export interface Remembered {
  folders: KnownFolders;
  /** By the path of the root, then of the file. */
  files: ReadonlyMap<string, ReadonlyMap<string, RememberedFile>>;
  /** All of it, as {@link listSettled} gives it. */
  all: ReadonlySet<object>;
}

type FolderEntry = [
  path: string,
  mtimeMs: number,
  ctimeMs: number,
  ino: number,
  /** Left out for a folder that holds nothing but its SKILL.md. */
  listing?: FolderListing,
];

type FileEntry = [
  path: string,
  mtimeMs: number,
  ctimeMs: number,
  size: number,
  ino: number,
  skill: Skill | null,
  diagnostics?: Diagnostic[],
];

/** Reads what is remembered of the roots. */
export function recall(cacheFile: string, program: string, roots: SkillRoot[]): Remembered {
  const lines = readCacheFile(cacheFile, program);
  const folders = new Map<string, Map<string, KnownFolder>>();
  const files = new Map<string, Map<string, RememberedFile>>();
  for (const { path: root } of roots) {
    const line = lines.get(root)?.line;
    if (line === undefined) continue;
    const entries = JSON.parse(line.toString("utf8")) as { folders: FolderEntry[]; files: FileEntry[] };
    folders.set(root, new Map(entries.folders.map((entry) => toFolder(root, entry))));
    files.set(root, new Map(entries.files.map((entry) => toFile(root, entry))));
  }
  const all = listSettled(folders, []);
  for (const known of files.values()) for (const { stamp } of known.values()) all.add(stamp);
  return { folders, files, all };
}

/**
 * Writes what was read, save what changed so shortly before that its stamp may not tell of a later change.
 *
 * @param known What is remembered already, as {@link listSettled} gives it: where that is the same, nothing is written.
 */
export function remember(
  cacheFile: string,
  program: string,
  roots: SkillRoot[],
  read: { folders: KnownFolders; files: ReadonlyMap<string, CatalogFile> },
  known: ReadonlySet<object>,
): void {
  const settled = listSettled(read.folders, read.files.values());
  if (settled.size === known.size && [...settled].every((each) => known.has(each))) return;
  const entriesByRoot = new Map<string, FileEntry[]>(roots.map(({ path }) => [path, []]));
  for (const entry of read.files.values()) {
    const root = entry.file.root.path;
    if (entry.settled) entriesByRoot.get(root)?.push(toFileEntry(root, entry));
  }
  const lines = new Map<string, CacheLine>();
  for (const [root, files] of entriesByRoot) {
    const folders = [...(read.folders.get(root) ?? [])]
      .filter(([, folder]) => folder.settled)
      .map(([path, folder]) => toFolderEntry(root, path, folder));
    lines.set(root, { files: files.length, line: Buffer.from(JSON.stringify({ folders, files })) });
  }
  writeCacheFile(cacheFile, program, lines);
}

/** A file that is unchanged since, at the place where it is found now. */
export function findRemembered(file: SkillFile, remembered: Remembered | undefined): CatalogFile | undefined {
  const { path, directory, root } = file;
  const known = remembered?.files.get(root.path)?.get(path);
  if (known === undefined || !hasStamp(path, known.stamp)) return undefined;
  const { stamp, skill, diagnostics } = known;
  const place = { path, directory, source: root.path, tier: root.tier, trusted: root.trusted };
  // Assigned, not spread: the digest of the catalog goes by the order of the keys.
  return { file, stamp, settled: true, ...(skill && { skill: Object.assign(skill, place) }), diagnostics };
}

/** Everything that may be remembered. What is unchanged is the same object as before. */
export function listSettled(folders: KnownFolders, files: Iterable<CatalogFile>): Set<object> {
  const settled = new Set<object>();
  for (const known of folders.values()) {
    for (const folder of known.values()) if (folder.settled) settled.add(folder);
  }
  for (const file of files) if (file.settled && file.stamp) settled.add(file.stamp);
  return settled;
}

function toFolder(
  root: string,
  [path, mtimeMs, ctimeMs, ino, listing = PLAIN_LISTING]: FolderEntry,
): [string, KnownFolder] {
  return [toAbsolute(root, path), { stamp: { mtimeMs, ctimeMs, ino }, listing, settled: true }];
}

function toFolderEntry(root: string, path: string, { stamp, listing }: KnownFolder): FolderEntry {
  const { mtimeMs, ctimeMs, ino } = stamp;
  const entry: FolderEntry = [toRelative(root, path), mtimeMs, ctimeMs, ino];
  if (listing !== PLAIN_LISTING) entry.push(listing);
  return entry;
}

function toFile(
  root: string,
  [relative, mtimeMs, ctimeMs, size, ino, skill, faults = []]: FileEntry,
): [string, RememberedFile] {
  const path = toAbsolute(root, relative);
  const diagnostics = faults.map((fault) => Object.assign(fault, { path }));
  const stamp = { mtimeMs, ctimeMs, size, ino };
  return [path, { stamp, ...(skill && { skill }), diagnostics }];
}

function toFileEntry(root: string, { file, stamp, skill, diagnostics }: CatalogFile): FileEntry {
  const { mtimeMs = 0, ctimeMs = 0, size = 0, ino = 0 } = stamp ?? {};
  // The keys stay, so that their order does.
  const kept = skill && {
    ...skill,
    path: "",
    directory: "",
    source: "",
    tier: "project" as const,
    trusted: false,
  };
  const entry: FileEntry = [toRelative(root, file.path), mtimeMs, ctimeMs, size, ino, kept ?? null];
  if (diagnostics.length > 0) entry.push(diagnostics.map((fault) => ({ ...fault, path: "" })));
  return entry;
}

function toRelative(root: string, path: string): string {
  return path === root ? "" : path.slice(root.endsWith(sep) ? root.length : root.length + 1);
}

function toAbsolute(root: string, path: string): string {
  if (path === "") return root;
  return root.endsWith(sep) ? root + path : root + sep + path;
}
