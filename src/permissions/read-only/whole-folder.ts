import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createKeeper } from "../places/kept-file.ts";
import { findProtection } from "../places/protected.ts";

/** A search that was looked through: nothing special, a special file, or too much to look at. */
export type Looked = { kind: "clear" } | { kind: "found"; path: string } | { kind: "too-much" };

/** What a search must not come to. */
export interface Guarded {
  workspace: string;
  secrets: boolean;
  /** Names with a dot in front count, too. */
  hidden: boolean;
  isRestricted?: (path: string) => boolean;
}

interface Names {
  folders: string[];
  files: string[];
  /** The first names of secrets: with a dot in front, and others. */
  hiddenSecret: string | undefined;
  secret: string | undefined;
}

const MAX_ENTRIES = 20_000;
/** As for every search: what git keeps is packed, and the keys in packages are for their own tests. */
const SKIPPED = new Set([".git", "node_modules"]);

const listNames = createKeeper((folder, workspace): Names => {
  const found: Names = { folders: [], files: [], hiddenSecret: undefined, secret: undefined };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (SKIPPED.has(name)) continue;
    found[entry.isDirectory() ? "folders" : "files"].push(name);
    const place = { workspace, skillFolders: [] };
    if (findProtection(join(folder, name), place, "read") === undefined) continue;
    if (name.startsWith(".")) found.hiddenSecret ??= name;
    else found.secret ??= name;
  }
  return found;
});

/**
 * Looks for special files everywhere below a folder, so that nothing is read that no rule allows. Links are not
 * followed, as by the programs that may search without a rule.
 */
export function lookThrough(start: string, guarded: Guarded): Looked {
  const { workspace, secrets, hidden, isRestricted } = guarded;
  const waiting = [start];
  let left = MAX_ENTRIES;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = listNames(folder, workspace);
    if (names === undefined) continue;
    left -= names.files.length + names.folders.length;
    if (left < 0) return { kind: "too-much" };
    const secret = secrets ? (names.secret ?? (hidden ? names.hiddenSecret : undefined)) : undefined;
    if (secret !== undefined) return { kind: "found", path: join(folder, secret) };
    const isShown = (name: string): boolean => hidden || !name.startsWith(".");
    const restricted =
      isRestricted &&
      [...names.files, ...names.folders].find((name) => isShown(name) && isRestricted(join(folder, name)));
    if (restricted !== undefined) return { kind: "found", path: join(folder, restricted) };
    for (const name of names.folders) if (isShown(name)) waiting.push(join(folder, name));
  }
  return { kind: "clear" };
}
