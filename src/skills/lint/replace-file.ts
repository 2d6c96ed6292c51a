import { randomUUID } from "node:crypto";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Whether a file is what it was. */
export function isSame(before: BigIntStats, now: BigIntStats): boolean {
  const { ino, size, mtimeNs, ctimeNs } = before;
  // Anybody can set the one time, and nobody the other.
  return ino === now.ino && size === now.size && mtimeNs === now.mtimeNs && ctimeNs === now.ctimeNs;
}

/**
 * Puts another content in the place of a file, with its mode. Whoever reads it meanwhile sees the one or the other.
 *
 * @param stamp What the file was when its content was read.
 * @throws Error for a link, a file that may not be written, and one that is not what it was
 */
export function replaceFile(path: string, content: string, stamp: BigIntStats): void {
  checkWritable(path);
  const place = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    const mode = Number(stamp.mode) & 0o777;
    writeFileSync(place, content, { flag: "wx", mode });
    // The mask of the process may have taken something from the mode.
    chmodSync(place, mode);
    if (!isSame(stamp, statSync(path, { bigint: true }))) throw new Error("It changed while it was mended.");
    renameSync(place, path);
  } catch (error) {
    rmSync(place, { force: true });
    throw error;
  }
}

/**
 * Gives a file another name in its folder.
 *
 * @throws Error when there is another file of that name
 */
export function renameFile(path: string, target: string): void {
  checkWritable(path);
  const own = statSync(path, { bigint: true });
  const other = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  // Where case does not count, both names lead to one file.
  if (other && (other.ino !== own.ino || other.dev !== own.dev)) {
    throw new Error(`There is a file "${basename(target)}" already.`);
  }
  renameSync(path, target);
}

function checkWritable(path: string): void {
  const status = lstatSync(path);
  if (status.isSymbolicLink()) throw new Error("It is a link; mend the file that it leads to.");
  if (status.nlink > 1) throw new Error("It has other names (hard links) that would keep the old content.");
  try {
    // A file of another owner could be replaced all the same, by whoever may write into its folder.
    closeSync(openSync(path, "r+"));
  } catch (error) {
    throw new Error("It may not be written.", { cause: error });
  }
}
