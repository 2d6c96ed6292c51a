import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { copyFile, link, lstat, mkdir, realpath, unlink, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The skill's own folder inside the organised one. */
export const stateFolder = ".file-organizer";

/** A wrong folder or option: one line for the person, exit code 2. */
export class UsageError extends Error {}

/** Runs a script's body and turns what it throws into one line and an exit code. */
export async function runScript(body) {
  try {
    process.exitCode = await body(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : `Failed: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** The real path of the folder to organise; refuses places where sorting files does harm. */
export async function openFolder(name) {
  if (name === undefined || name === "") throw new UsageError("Name the folder to organize.");
  // Typed inside quotes, a tilde reaches us as it is.
  const path = /^~(?=\/|$)/.test(name) ? join(homedir(), name.slice(1)) : name;
  const folder = await realpath(path).catch(() => undefined);
  if (folder === undefined) throw new UsageError(`There is no folder "${show(name)}".`);
  const facts = await lstat(folder);
  if (!facts.isDirectory()) throw new UsageError(`"${show(name)}" is not a folder.`);
  const home = await realpath(homedir()).catch(() => homedir());
  if (dirname(folder) === folder)
    throw new UsageError("The root of the disk is not organized. Name a folder in it.");
  if (folder === home) throw new UsageError("The home folder itself is not organized. Name a folder in it.");
  if (isInside(home, folder))
    throw new UsageError(`"${show(name)}" holds the home folder. Name a smaller folder.`);
  if (await lookUp(join(folder, ".git"))) {
    throw new UsageError(`"${show(name)}" is a repository. Moving its files would break it.`);
  }
  return folder;
}

/** True when a path lies inside a folder. */
export function isInside(path, folder) {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Facts of what is there, a link included; undefined when nothing is. */
export async function lookUp(path) {
  return lstat(path).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
}

/** The SHA-256 of a file's content, read in pieces. */
export async function hashFile(path) {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest("hex");
}

/** A path of the plan as an absolute path; a plan that points elsewhere is refused. */
export function resolveInside(folder, path) {
  const whole = join(folder, String(path));
  if (
    typeof path !== "string" ||
    !isInside(whole, folder) ||
    relative(folder, whole) !== path.split("/").join(sep)
  ) {
    throw new UsageError(
      `The saved plan names a path outside the folder: "${show(path)}". Make the plan again.`,
    );
  }
  return whole;
}

/** True when the file is still the one that was planned: by size and time of change, else by content. */
export async function isSameFile(path, planned) {
  const facts = await lookUp(path);
  if (!facts?.isFile() || facts.size !== planned.size) return false;
  return Math.abs(facts.mtimeMs - planned.mtimeMs) < 1 || (await hashFile(path)) === planned.sha256;
}

/** Makes the folder of a target, and refuses one that a link leads out of the organised folder. */
export async function makeParent(folder, path) {
  const parent = dirname(path);
  const made = await mkdir(parent, { recursive: true });
  const real = await realpath(parent);
  if (real !== folder && !isInside(real, folder))
    throw new Error(`${show(relative(folder, parent))} leads outside`);
  return made;
}

/**
 * Moves a file and never overwrites: the new name is made first and fails when it is taken, then the old one
 * goes. A plain rename would replace a file that came in between.
 */
export async function moveFile(from, to) {
  try {
    await link(from, to);
  } catch (error) {
    if (error.code === "EEXIST") throw new Error("the name is taken");
    // File systems without hard links say so in different ways.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK", "EACCES"].includes(error.code))
      throw error;
    const facts = await lstat(from);
    await copyFile(from, to, constants.COPYFILE_EXCL).catch((failure) => {
      throw failure.code === "EEXIST" ? new Error("the name is taken") : failure;
    });
    await utimes(to, facts.atime, facts.mtime);
  }
  await unlink(from);
}

/** A name as one line: control characters must not reach the terminal. */
export function show(name) {
  return String(name).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => {
    return `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** `1 file`, `2 files`. */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** The command line of a sibling script, to copy and paste. */
export function toCommand(script, folder) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return `node ${quote(path)} ${quote(folder)}`;
}

function quote(word) {
  return /^[\p{L}\p{N}_./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
