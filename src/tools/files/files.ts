import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { constants, readlinkSync } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { findNearest } from "../../skills/nearest.ts";
import { isCode, toShownPath } from "../workspace.ts";

const DEFAULT_MODE = 0o666;
const MODE_BITS = 0o777;

/**
 * Opens a regular file for reading. The path is already resolved, so a link at its end was put there since and
 * is refused; pipes and devices, which could wait for ever, are refused, too.
 *
 * @param path - Real absolute path.
 * @param workspace - For how messages show the path.
 * @throws SkillgraphError `tool-failed` when there is no such file, with names that are written like it.
 */
export async function openFile(path: string, workspace: string): Promise<FileHandle> {
  const handle = await openOrExplain(path, workspace);
  const stat = await handle.stat();
  if (stat.isFile() && isOpenAt(handle, path)) return handle;
  await handle.close();
  if (stat.isFile()) throw toMoved(path);
  const advice = stat.isDirectory() ? "is a folder; use Glob to list it" : "is not a regular file";
  throw new SkillgraphError("tool-failed", `${toShownPath(path, workspace)} ${advice}.`);
}

/** The text of a file to change: only UTF-8 without NUL, since what else it holds would not survive the change. */
export async function readText(path: string, workspace: string, limit: number): Promise<string> {
  const handle = await openFile(path, workspace);
  const shown = toShownPath(path, workspace);
  try {
    const { size } = await handle.stat();
    if (size > limit) {
      throw new SkillgraphError("tool-failed", `${shown} has ${size} bytes, more than ${limit}.`);
    }
    const bytes = await handle.readFile();
    if (bytes.includes(0)) {
      throw new SkillgraphError(
        "tool-failed",
        `${shown} holds NUL characters: it is binary, not text to edit.`,
      );
    }
    if (isUtf8(bytes)) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    throw new SkillgraphError("tool-failed", `${shown} is not UTF-8 text; editing it would damage it.`);
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file as a whole or not at all: a new file beside it takes its place, with its mode. Missing folders
 * are made. Other hard links to the old file keep what it held.
 *
 * @param path - Real absolute path.
 * @param text - What the file shall hold, written as UTF-8.
 * @param confirm - Resolves the path anew, after the folders are made; another result stops the writing.
 * @returns True when there was no such file before.
 */
export async function writeWhole(path: string, text: string, confirm: () => string): Promise<boolean> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  if (confirm() !== path) throw toMoved(path);
  const existing = await lstat(path).catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (existing !== undefined && !existing.isFile()) {
    throw new SkillgraphError("tool-failed", `${path} is not a regular file.`);
  }
  // A rename would replace a file that its owner made read-only.
  if (existing !== undefined) await access(path, constants.W_OK);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(
      temporary,
      "wx",
      existing === undefined ? DEFAULT_MODE : existing.mode & MODE_BITS,
    );
    try {
      if (!isOpenAt(handle, temporary)) throw toMoved(path);
      await handle.writeFile(text, "utf8");
      if (existing !== undefined) await keepOwnership(handle, existing);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return existing === undefined;
}

/**
 * A folder on the way may become a link between the look and the opening. Where the system tells, what was
 * opened is compared.
 */
function isOpenAt(handle: FileHandle, path: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${handle.fd}`) === path;
  } catch {
    // Not Linux: the last component is guarded, the folders are not.
    return true;
  }
}

function toMoved(path: string): SkillgraphError {
  return new SkillgraphError("path-outside", `Path "${path}" changed while it was used; nothing was done.`);
}

/** The umask applies to new files alone, and root must not take a person's file. */
async function keepOwnership(
  handle: FileHandle,
  existing: { mode: number; uid: number; gid: number },
): Promise<void> {
  await handle.chmod(existing.mode & MODE_BITS);
  if (process.getuid?.() === 0) await handle.chown(existing.uid, existing.gid);
}

async function openOrExplain(path: string, workspace: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const shown = toShownPath(path, workspace);
    if (isCode(error, "ELOOP")) {
      throw new SkillgraphError("path-outside", `${shown} became a link while it was opened.`, {
        cause: error,
      });
    }
    if (!isCode(error, "ENOENT") && !isCode(error, "ENOTDIR")) {
      throw new SkillgraphError("tool-failed", `${shown} cannot be read: ${toMessage(error)}.`, {
        cause: error,
      });
    }
    const near = await listNear(path);
    const names = near.map((name) => toShownPath(join(dirname(path), name), workspace)).join(", ");
    const advice = names === "" ? " Use Glob to find it." : ` Near: ${names}.`;
    throw new SkillgraphError("tool-failed", `No file ${shown}.${advice}`, { cause: error });
  }
}

async function listNear(path: string): Promise<string[]> {
  try {
    return findNearest(basename(path), await readdir(dirname(path)));
  } catch {
    // The folder is missing as well: nothing is near.
    return [];
  }
}
