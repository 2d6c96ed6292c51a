import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isShown, listTakenBack, listTakenBackAbove, type Shown } from "./ignored-names.ts";
import { createKeeper } from "./kept-file.ts";
import { findProtection } from "./protected.ts";
import { isFolder, toRealPath } from "./real-path.ts";

/** A search that was looked through: nothing special, a special file, or a folder that cannot be looked through. */
export type Looked =
  | { kind: "clear" }
  | { kind: "found"; path: string }
  | { kind: "too-much" | "closed"; folder: string };

/** What a search must not come to. */
export interface Guarded {
  workspace: string;
  secrets: boolean;
  /** Names with a dot in front count, too; without it those do that ignore files take back. */
  hidden: boolean;
  /** Further names with a dot in front that count. */
  shown?: Shown;
  /** What links lead to counts, too. */
  follows?: boolean;
  isRestricted?: (path: string) => boolean;
}

/** How many more names are looked at. */
export interface LookBudget {
  left: number;
}

interface Names {
  folders: string[];
  files: string[];
  links: string[];
  /** Names of secrets with a dot in front, and the first of others. */
  hiddenSecrets: string[];
  secret: string | undefined;
}

const MAX_ENTRIES = 20_000;
/** What git keeps is packed, and the keys in packages are for their own tests. */
const SKIPPED = new Set([".git", "node_modules"]);

const listNames = createKeeper((folder, workspace): Names => {
  const found: Names = { folders: [], files: [], links: [], hiddenSecrets: [], secret: undefined };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (SKIPPED.has(name)) continue;
    found[entry.isDirectory() ? "folders" : "files"].push(name);
    if (entry.isSymbolicLink()) found.links.push(name);
    const place = { workspace, skillFolders: [] };
    if (findProtection(join(folder, name), place, "read") === undefined) continue;
    if (name.startsWith(".")) found.hiddenSecrets.push(name);
    else found.secret ??= name;
  }
  return found;
});

export function createLookBudget(): LookBudget {
  return { left: MAX_ENTRIES };
}

/**
 * Looks for special files everywhere below a folder, so that nothing is read that no rule allows. Links are
 * followed only where the program does.
 */
export function lookThrough(start: string, guarded: Guarded, budget = createLookBudget()): Looked {
  const { workspace, secrets, hidden, isRestricted } = guarded;
  const outer = hidden ? [] : [...(guarded.shown ?? []), ...listTakenBackAbove(start)];
  const waiting = [{ folder: start, outer }];
  const known = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder, outer } = next;
    const names = tryList(folder, workspace);
    if (names === "closed") return { kind: "closed", folder };
    if (names === undefined) continue;
    budget.left -= names.files.length + names.folders.length;
    if (budget.left < 0) return { kind: "too-much", folder: start };
    const shown = hidden ? outer : [...outer, ...listTakenBack(folder)];
    const isSeen = (name: string): boolean => hidden || !name.startsWith(".") || isShown(name, shown);
    const secret = secrets ? (names.secret ?? names.hiddenSecrets.find(isSeen)) : undefined;
    if (secret !== undefined) return { kind: "found", path: join(folder, secret) };
    const restricted =
      isRestricted &&
      [...names.files, ...names.folders].find((name) => isSeen(name) && isRestricted(join(folder, name)));
    if (restricted !== undefined) return { kind: "found", path: join(folder, restricted) };
    for (const name of names.folders.filter(isSeen))
      waiting.push({ folder: join(folder, name), outer: shown });
    if (guarded.follows !== true) continue;
    for (const name of names.links.filter(isSeen)) {
      const path = toRealPath(join(folder, name));
      if (known.has(path)) continue;
      known.add(path);
      const isSecret = secrets && findProtection(path, { workspace, skillFolders: [] }, "read") !== undefined;
      if (isSecret || isRestricted?.(path)) return { kind: "found", path: join(folder, name) };
      const kind = tryLook(path);
      if (kind === undefined) return { kind: "closed", folder: path };
      if (kind === "folder") waiting.push({ folder: path, outer: shown });
    }
  }
  return { kind: "clear" };
}

/** Undefined for what cannot be looked at, such as a circle of links. */
function tryLook(path: string): "folder" | "other" | undefined {
  try {
    return isFolder(path) ? "folder" : "other";
  } catch {
    return undefined; // Nobody may look now; a command before the search may change that.
  }
}

function tryList(folder: string, workspace: string): Names | "closed" | undefined {
  try {
    return listNames(folder, workspace);
  } catch {
    return "closed"; // Nobody may list it now; a command before the search may change that.
  }
}
