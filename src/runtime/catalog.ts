import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Catalog, loadCatalog } from "../skills/catalog.ts";
import { makeFolder } from "../tools/files/make-folder.ts";
import { findPackage } from "./project.ts";
import type { Settings } from "./settings.ts";

/** What a catalog is read by. */
type CatalogSettings = Pick<Settings, "roots"> &
  Partial<Pick<Settings, "disabledSkills" | "maxFolders" | "cacheFolder">>;

/**
 * The catalog of everything the settings' roots hold. Reads headers only, and only of files that changed since
 * they were read last, by this process or by another.
 *
 * @param previous the catalog of last time, which is returned itself when nothing has changed
 */
export function openCatalog(settings: CatalogSettings, previous?: Catalog): Catalog {
  const { roots, disabledSkills = [], maxFolders, cacheFolder } = settings;
  return loadCatalog(roots, previous, {
    disabled: disabledSkills,
    maxFolders,
    cacheFile: cacheFolder && findCacheFile(cacheFolder),
    program: describeProgram(),
  });
}

/** The file of the cache; undefined where we have no folder of our own for it. */
function findCacheFile(folder: string): string | undefined {
  try {
    // A folder that another user made for us, or we for another one with `sudo`, would be closed to its owner.
    if (!isOwn(findNearestFolder(folder))) return undefined;
    makeFolder(folder);
    return join(folder, "catalog.jsonl");
  } catch {
    return undefined; // Without a place to remember, everything is read.
  }
}

function findNearestFolder(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(path) === path ? path : findNearestFolder(dirname(path));
}

function isOwn(folder: string): boolean {
  return process.geteuid === undefined || statSync(folder).uid === process.geteuid();
}

let program: string | undefined;

/** The version, and when this file was built: what was read by another parser must not be believed. */
function describeProgram(): string {
  program ??= `${findPackage().version} ${statSync(fileURLToPath(import.meta.url)).mtimeMs}`;
  return program;
}
