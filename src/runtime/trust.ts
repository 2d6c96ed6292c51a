import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { SkillgraphError, toMessage } from "../errors.ts";
import { makeFolder } from "../tools/make-folder.ts";

/** The folders a person trusts, as real paths. A trusted folder covers everything below it. */
export function listTrusted(configFolder: string): string[] {
  const file = trustFile(configFolder);
  if (!existsSync(file)) return [];
  try {
    const { folders } = JSON.parse(readFileSync(file, "utf8")) as { folders?: unknown };
    if (Array.isArray(folders)) return folders.filter((folder) => typeof folder === "string");
  } catch (error) {
    throw new SkillgraphError("settings-invalid", `Cannot read ${file}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
  throw new SkillgraphError("settings-invalid", `${file} must hold {"folders": […]}.`);
}

/** True when the folder, or one above it, is trusted. */
export function isTrusted(folder: string, trusted: string[]): boolean {
  return trusted.some(
    (entry) => folder === entry || folder.startsWith(entry.endsWith(sep) ? entry : entry + sep),
  );
}

/**
 * Adds a folder to the trusted ones, or removes it.
 *
 * @returns the folder's real path, and whether anything changed
 * @throws SkillgraphError `usage` when the folder is not there
 */
export function setTrust(
  configFolder: string,
  folder: string,
  trusted: boolean,
): { folder: string; trusted: boolean; changed: boolean } {
  if (!existsSync(folder)) throw new SkillgraphError("usage", `No folder "${folder}".`);
  const real = realpathSync(folder);
  const before = listTrusted(configFolder);
  const changed = before.includes(real) !== trusted;
  if (changed)
    write(configFolder, trusted ? [...before, real].sort() : before.filter((entry) => entry !== real));
  return { folder: real, trusted, changed };
}

function write(configFolder: string, folders: string[]): void {
  const file = trustFile(configFolder);
  try {
    writeWhole(file, folders);
  } catch (error) {
    throw new SkillgraphError("settings-invalid", `Cannot write ${file}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}

function writeWhole(file: string, folders: string[]): void {
  makeFolder(dirname(file));
  // Written beside and renamed, so that a full disk cannot leave half a list.
  writeFileSync(`${file}.${process.pid}.tmp`, `${JSON.stringify({ folders }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}.tmp`, file);
}

function trustFile(configFolder: string): string {
  return join(configFolder, "trust.json");
}
