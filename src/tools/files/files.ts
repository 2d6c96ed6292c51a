import { isUtf8 } from "node:buffer";
import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { findNearest } from "../../skills/nearest.ts";
import { isCode, toShownPath } from "../workspace.ts";
import { openFolder } from "./open-folder.ts";
import { explainSystemError } from "./system-error.ts";

/** Never through a link, and never waiting at a pipe. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading. The path is already resolved, so a link on the way or at its end was put
 * there since and is refused; pipes and devices, which could wait for ever, are refused, too.
 *
 * @param path - Real absolute path.
 * @param workspace - For how messages show the path.
 * @throws SkillgraphError `tool-failed` when there is no such file, with names that are written like it.
 */
export async function openFile(path: string, workspace: string): Promise<FileHandle> {
  const handle = await openOrExplain(path, workspace);
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  const advice = stat.isDirectory() ? "is a folder; use Glob to list it" : "is not a regular file";
  throw new SkillgraphError("tool-failed", `${toShownPath(path, workspace)} ${advice}.`);
}

/** The text of a file, and which file that was. */
export interface FileText {
  text: string;
  version: string;
}

/** Another file of that path, or another content, has another version. */
export function toVersion({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(":");
}

/**
 * The text of a file to change: only UTF-8 without NUL, since what else it holds would not survive the change.
 * The mark at its beginning is kept.
 */
export async function readText(path: string, workspace: string, limit: number): Promise<FileText> {
  const handle = await openFile(path, workspace);
  const shown = toShownPath(path, workspace);
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.size > limit) {
      throw new SkillgraphError("tool-failed", `${shown} has ${stat.size} bytes, more than ${limit}.`);
    }
    const bytes = await handle.readFile();
    const kind = findOtherText(bytes);
    if (kind === undefined) return { text: decode(bytes), version: toVersion(stat) };
    throw new SkillgraphError("tool-failed", `${shown} ${kind}; editing it would damage it.`);
  } finally {
    await handle.close();
  }
}

/** What a file holds that is about to be replaced. `other`: no UTF-8 text. `none`: no such file, or a large one. */
export async function peekText(
  path: string,
  workspace: string,
  limit: number,
): Promise<{ kind: "text"; text: string } | { kind: "other" | "none" }> {
  const handle = await openOrExplain(path, workspace).catch((error: unknown) => {
    if (error instanceof SkillgraphError && error.code === "tool-failed") return undefined;
    throw error;
  });
  if (handle === undefined) return { kind: "none" };
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size === 0 || stat.size > limit) return { kind: "none" };
    const bytes = await handle.readFile();
    return findOtherText(bytes) === undefined ? { kind: "text", text: decode(bytes) } : { kind: "other" };
  } finally {
    await handle.close();
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function findOtherText(bytes: Buffer): string | undefined {
  if (startsLikeUtf16(bytes)) return "is UTF-16 text, not UTF-8";
  if (bytes.includes(0)) return "holds NUL characters: it is binary or UTF-16, not UTF-8 text";
  return isUtf8(bytes) ? undefined : "is not UTF-8 text";
}

/** True for the byte-order mark of UTF-16. */
export function startsLikeUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

async function openOrExplain(path: string, workspace: string): Promise<FileHandle> {
  try {
    const folder = await openFolder(dirname(path));
    try {
      return await open(folder.at(basename(path)), READ_FLAGS);
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (error instanceof SkillgraphError) throw error;
    throw await explainOpening(error, path, workspace);
  }
}

async function explainOpening(error: unknown, path: string, workspace: string): Promise<SkillgraphError> {
  const shown = toShownPath(path, workspace);
  const cause = { cause: error };
  if (isCode(error, "ELOOP")) {
    return new SkillgraphError("path-outside", `${shown} became a link while it was opened.`, cause);
  }
  // A socket.
  if (isCode(error, "ENXIO")) {
    return new SkillgraphError("tool-failed", `${shown} is not a regular file.`, cause);
  }
  if (!isCode(error, "ENOENT") && !isCode(error, "ENOTDIR")) {
    const message = `${shown} cannot be read: ${explainSystemError(error)}.`;
    return new SkillgraphError("tool-failed", message, cause);
  }
  const near = await listNear(path);
  const names = near.map((name) => toShownPath(join(dirname(path), name), workspace)).join(", ");
  const advice = names === "" ? " Use Glob to find it." : ` Near: ${names}.`;
  return new SkillgraphError("tool-failed", `No file ${shown}.${advice}`, cause);
}

async function listNear(path: string): Promise<string[]> {
  try {
    const folder = await openFolder(dirname(path));
    try {
      return findNearest(basename(path), await readdir(folder.at(".")));
    } finally {
      await folder.close();
    }
  } catch {
    // The folder is missing as well: nothing is near.
    return [];
  }
}
