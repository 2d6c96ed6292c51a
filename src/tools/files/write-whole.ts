import { randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { access, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { isCode, toShownPath } from "../workspace.ts";
import { toVersion } from "./files.ts";
import { type OpenFolder, openFolder, toMoved } from "./open-folder.ts";
import { explainSystemError } from "./system-error.ts";

const DEFAULT_MODE = 0o666;
const MODE_BITS = 0o777n;
const TEMPORARY = /^\.skillgraph-[0-9a-f-]{36}\.tmp$/;
/** No writing takes that long: the process that made it was ended. */
const STALE_MS = 60_000;

/** How a file is written. */
export interface WriteOptions {
  /** For how messages show the path. */
  workspace: string;
  /** Resolves the path anew, after the folders are made; another result stops the writing. */
  confirm: () => string;
  /** The version that was read before; a file that changed since is left as it is. */
  version?: string;
}

/**
 * Writes a file as a whole or not at all: a new file beside it takes its place, with its mode. Missing folders
 * are made. Other hard links to the old file keep what it held.
 *
 * @param path - Real absolute path.
 * @param text - What the file shall hold, written as UTF-8.
 * @returns True when there was no such file before.
 * @throws SkillgraphError `tool-failed` with what the system said; the old file is whole then.
 */
export async function writeWhole(path: string, text: string, options: WriteOptions): Promise<boolean> {
  try {
    const folder = await openFolder(dirname(path), { make: true });
    try {
      if (options.confirm() !== path) throw toMoved(path);
      return await writeIn(folder, path, text, options);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (error instanceof SkillgraphError) throw error;
    const message = `${toShownPath(path, options.workspace)} cannot be written: ${explainSystemError(error)}.`;
    throw new SkillgraphError("tool-failed", message, { cause: error });
  }
}

async function writeIn(
  folder: OpenFolder,
  path: string,
  text: string,
  { workspace, version }: WriteOptions,
): Promise<boolean> {
  const target = folder.at(basename(path));
  const existing = await findFile(target);
  if (existing !== undefined && !existing.isFile()) {
    throw new SkillgraphError("tool-failed", `${toShownPath(path, workspace)} is not a regular file.`);
  }
  // A rename would replace a file that its owner made read-only.
  if (existing !== undefined) await access(target, constants.W_OK);
  const temporary = folder.at(`.skillgraph-${randomUUID()}.tmp`);
  try {
    await writeTemporary(temporary, text, existing);
    if (version !== undefined) await checkVersion(target, version, toShownPath(path, workspace));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // What was asked for is done. Some file systems cannot sync a folder, and tidying can wait for the next writing.
  await Promise.allSettled([syncFolder(folder), removeStale(folder)]);
  return existing === undefined;
}

async function findFile(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function writeTemporary(path: string, text: string, existing: BigIntStats | undefined): Promise<void> {
  const mode = existing === undefined ? DEFAULT_MODE : Number(existing.mode & MODE_BITS);
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(text, "utf8");
    if (existing !== undefined) {
      // The umask applies to new files alone, and root must not take a person's file.
      await handle.chmod(mode);
      if (process.getuid?.() === 0) await handle.chown(Number(existing.uid), Number(existing.gid));
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function checkVersion(target: string, version: string, shown: string): Promise<void> {
  const found = await findFile(target);
  if (found !== undefined && toVersion(found) === version) return;
  const message = `${shown} was changed by someone else meanwhile; nothing was done. Read it again.`;
  throw new SkillgraphError("tool-failed", message);
}

async function syncFolder(folder: OpenFolder): Promise<void> {
  const handle = await open(folder.at("."), constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync().finally(() => handle.close());
}

/** Removes what processes left that were ended in the middle of a writing. */
async function removeStale(folder: OpenFolder): Promise<void> {
  for (const name of await readdir(folder.at("."))) {
    if (!TEMPORARY.test(name)) continue;
    const found = await lstat(folder.at(name));
    const isStale = found.isFile() && Date.now() - found.mtimeMs > STALE_MS;
    if (isStale) await rm(folder.at(name), { force: true });
  }
}
