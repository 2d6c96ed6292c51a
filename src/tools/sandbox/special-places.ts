import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { findProtection } from "../../permissions/places/protected.ts";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";
import { findSteering } from "./git-folders.ts";
import type { Mount } from "./profile.ts";

/** Entries that are looked at for one command, the outer folders first. */
const MAX_ENTRIES = 5_000;
const MAX_DEPTH = 6;
/** What others wrote and published; the keys in it are for their own tests. */
const SKIPPED = /^(node_modules|site-packages)$/;

/** Neither secret nor protected by any name; most of a project, and a look at each name costs. */
const ORDINARY = /^(?!id_)[a-z][\w-]*\.([cm]?[jt]sx?|md|css|html|svg|png|jpg|py|go|rs|java|cc?|hh?|txt)$/i;

/**
 * What is closed in a folder that commands write: secrets cannot be read, and what steers later runs cannot be
 * written. Each is mounted at its own place, so it cannot be renamed or replaced either.
 *
 * @param root a real path
 * @param except folders that are not looked into
 */
export function closeSpecialPlaces(root: string, except: readonly string[] = []): Mount[] {
  const mounts = new Map<string, Mount>();
  const policy = { workspace: root, skillFolders: [] };
  let left = MAX_ENTRIES;
  let level = [{ folder: root, isClosed: false }];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { folder, isClosed } of level) {
      for (const entry of list(folder)) {
        left -= 1;
        if (left < 0) return [...mounts.values()];
        if (SKIPPED.test(entry.name) || ORDINARY.test(entry.name)) continue;
        const named = join(folder, entry.name);
        if (except.includes(named)) continue;
        const isSecret = findProtection(named, policy, "read") === "secret";
        const special = isSecret ? "secret" : isClosed ? undefined : findProtection(named, policy);
        if (special === undefined) {
          if (entry.isDirectory()) next.push({ folder: named, isClosed });
          continue;
        }
        // What a link leads to outside is not there inside.
        const path = entry.isSymbolicLink() ? toRealPath(named) : named;
        if (path === root || !isInside(root, path) || !existsSync(path)) continue;
        const isFolder = entry.isSymbolicLink() ? statSync(path).isDirectory() : entry.isDirectory();
        for (const mount of toMounts(path, special, isFolder)) mounts.set(mount.path, mount);
        if (special === "protected" && isFolder && basename(path) !== ".git") {
          next.push({ folder: path, isClosed: true });
        }
      }
    }
    level = next;
  }
  return [...mounts.values()];
}

function toMounts(path: string, special: "protected" | "secret", isFolder: boolean): Mount[] {
  if (special === "secret") return [{ kind: isFolder ? "masked-folder" : "masked-file", path }];
  // Commits are written there.
  if (isFolder && basename(path) === ".git") return closeGitFolder(path);
  return [{ kind: "read", path }];
}

/** A git folder that is written by commits, but not where git finds programs to run. */
export function closeGitFolder(folder: string): Mount[] {
  return [
    { kind: "write", path: folder },
    ...findSteering(folder).map((path): Mount => ({ kind: "read", path })),
  ];
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It went away, or is not ours to read: then commands cannot read it either.
    return [];
  }
}
