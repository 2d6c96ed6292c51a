import { type Dirent, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { findProtection } from "../../permissions/places/protected.ts";
import { isFolder, isInside, toRealPath } from "../../permissions/places/real-path.ts";
import type { Mount } from "./profile.ts";

const PROGRAM_FOLDER = /^(s?bin|shims|libexec)$/;
/** A folder that many programs share with what is private. */
const SHARED_FOLDER = /\/\.local$/;
/** Programs that are of no use without a folder beside theirs. */
const COMPANIONS = new Map([[".cargo", ".rustup"]]);
const MAX_LINKS = 2_000;
const MAX_FOLDERS = 200;

/**
 * The folders outside the system that programs on the PATH need: their own, and those that their links lead to.
 * A folder that holds a home is never one of them.
 *
 * @param path the variable PATH
 * @param homes folders that hold more than programs
 */
export function listPrograms(path: string, homes: readonly string[]): Mount[] {
  const folders = path.split(delimiter).filter((folder) => folder.startsWith("/") && isFolder(folder));
  const found = new Map<string, Mount>();
  const add = (mount: Mount) => {
    const from = "from" in mount ? (mount.from ?? mount.path) : mount.path;
    const isSeen = isOfSystem(from) && isOfSystem(mount.path);
    const holds = [...homes, "/"].some((home) => isInside(from, home));
    const isCovered = [...found.keys()].some((known) => isInside(known, mount.path));
    if (!isSeen && !isCovered && !holds && found.size < MAX_FOLDERS) found.set(mount.path, mount);
  };
  for (const folder of folders) {
    const real = realpathSync(folder);
    for (const each of toHomeOf(real, homes)) add({ kind: "read", path: each });
    // Reached by a link on the way, which is not there inside.
    if (real !== folder) add({ kind: "read", path: folder, from: real });
    for (const target of listTargets(folder)) {
      const own = dirname(target);
      for (const each of toHomeOf(own, homes)) add({ kind: "read", path: each });
    }
  }
  const mounts = [...found.values()];
  return [...mounts, ...mounts.flatMap(({ path }) => maskSecrets(path))];
}

/** The whole of what a `bin` folder belongs to, where that is for this one program; else the folder. */
function toHomeOf(folder: string, homes: readonly string[]): string[] {
  const parent = dirname(folder);
  const isShared = SHARED_FOLDER.test(parent) || dirname(parent) === "/";
  const holds = homes.some((home) => isInside(parent, home));
  if (basename(folder) === ".bin" && basename(parent) === "node_modules" && !holds) return [parent];
  if (!PROGRAM_FOLDER.test(basename(folder)) || isShared || holds) return [folder];
  const companion = COMPANIONS.get(basename(parent));
  const beside = companion === undefined ? [] : [join(dirname(parent), companion)].filter(isFolder);
  return [parent, ...beside];
}

function listTargets(folder: string): string[] {
  return list(folder)
    .filter((entry) => entry.isSymbolicLink())
    .slice(0, MAX_LINKS)
    .map((entry) => toRealPath(join(folder, entry.name)))
    .filter((target) => existsSync(target) && !isOfSystem(target) && !isFolder(target));
}

/** Tokens that lie beside programs, as in `.cargo`. */
function maskSecrets(folder: string): Mount[] {
  const policy = { workspace: folder, skillFolders: [] };
  return list(folder)
    .filter((entry) => !entry.isSymbolicLink())
    .filter((entry) => findProtection(join(folder, entry.name), policy, "read") === "secret")
    .map((entry) => ({
      kind: entry.isDirectory() ? "masked-folder" : "masked-file",
      path: join(folder, entry.name),
    }));
}

function isOfSystem(path: string): boolean {
  return ["/usr", "/bin", "/sbin", "/nix/store", "/gnu/store"].some((folder) => isInside(folder, path));
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A file, or a folder that is not ours to read.
    return [];
  }
}
