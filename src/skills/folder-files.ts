import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { toMessage } from "../errors.ts";
import { isWithin } from "./within.ts";

/** How many files and folders of a skill are looked at. */
export const FOLDER_FILES_LIMIT = 2000;

/** How many bytes of a skill's files are read. */
export const FOLDER_BYTES_LIMIT = 64 * 1024 * 1024;

const CHUNK_BYTES = 64 * 1024;

/** One file of a skill's folder, as it was when it was read. */
export interface FolderFile {
  /** SHA-256 of its content; of a link, of where it leads and of what is there; of a pipe or device, of its kind. */
  digest: string;
  size: number;
  mtimeMs: number;
}

/** The files of a skill's folder. */
export interface FolderFiles {
  /** Changes with any name and any byte. All 64 digits: trust hangs on it, and half of them could be forged. */
  digest: string;
  /** By path relative to the folder, with `/` as separator, sorted. */
  files: Map<string, FolderFile>;
  /** False when something was not read, so that the digest does not speak for the whole folder. */
  complete: boolean;
  /** Why it is not complete: `it has more than 2000 files`. */
  fault?: string;
}

interface Reading {
  root: string;
  files: Map<string, FolderFile>;
  known: ReadonlyMap<string, FolderFile>;
  /** False when only names, sizes and times are wanted. */
  opens: boolean;
  entriesLeft: number;
  bytesLeft: number;
  fault?: string;
}

/**
 * Reads every file of a skill's folder but those in `.git`, which git itself changes. Links are not followed to
 * folders, pipes and devices are not opened. It never throws: what cannot be read makes it incomplete.
 *
 * @param directory Folder of the skill.
 * @param options.known Files whose size and time are those of this earlier reading are not read again. Both can be
 * forged: not for questions of trust.
 */
export function readFolderFiles(
  directory: string,
  options: { known?: ReadonlyMap<string, FolderFile> } = {},
): FolderFiles {
  const { files, fault } = walkFolder(directory, { known: options.known ?? new Map(), opens: true });
  const facts = JSON.stringify([...files].map(([path, { digest }]) => [path, digest]));
  return {
    digest: toDigest(facts),
    files,
    complete: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
  };
}

/**
 * A digest of the names, sizes and times of a skill's files, read without opening one. Equal stamps mean that
 * nobody touched a file, unless somebody forged its time; different ones mean nothing.
 */
export function stampFolder(directory: string): string {
  return toStamp(walkFolder(directory, { known: new Map(), opens: false }).files);
}

/** The stamp of files that were read. */
export function toStamp(files: FolderFiles["files"]): string {
  return toDigest(JSON.stringify([...files].map(([path, { size, mtimeMs }]) => [path, size, mtimeMs])));
}

/** What happened to each file that differs: `scripts/go.sh (changed)`, `x (new)`, `y (gone)`; sorted by path. */
export function compareFiles(
  before: ReadonlyMap<string, Pick<FolderFile, "digest">>,
  after: ReadonlyMap<string, Pick<FolderFile, "digest">>,
): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort((left, right) =>
    left < right ? -1 : 1,
  );
  return paths.flatMap((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old?.digest === now?.digest) return [];
    if (old === undefined) return [`${path} (new)`];
    return [`${path} (${now === undefined ? "gone" : "changed"})`];
  });
}

function walkFolder(directory: string, options: Pick<Reading, "known" | "opens">): Reading {
  const reading: Reading = {
    ...options,
    root: directory,
    files: new Map(),
    entriesLeft: FOLDER_FILES_LIMIT,
    bytesLeft: FOLDER_BYTES_LIMIT,
  };
  try {
    reading.root = realpathSync.native(directory);
    readFolder(reading, "");
  } catch (error) {
    reading.fault ??= `it cannot be read: ${toMessage(error)}`;
  }
  reading.files = new Map([...reading.files].sort(([left], [right]) => (left < right ? -1 : 1)));
  return reading;
}

function readFolder(reading: Reading, folder: string): void {
  const entries = readdirSync(join(reading.root, folder), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (entry.name === ".git") continue;
    if (reading.entriesLeft === 0) {
      reading.fault ??= `it has more than ${FOLDER_FILES_LIMIT} files`;
      return;
    }
    reading.entriesLeft -= 1;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    try {
      if (entry.isDirectory()) readFolder(reading, path);
      else reading.files.set(path, readEntry(reading, path, entry));
    } catch (error) {
      reading.fault ??= `${path} cannot be read: ${toMessage(error)}`;
    }
  }
}

function readEntry(reading: Reading, path: string, entry: Dirent): FolderFile {
  const full = join(reading.root, path);
  const status = (entry.isSymbolicLink() && statSync(full, { throwIfNoEntry: false })) || lstatSync(full);
  const { size, mtimeMs } = status;
  if (!reading.opens) return { digest: "", size, mtimeMs };
  if (entry.isSymbolicLink()) return { digest: readLink(reading, path), size, mtimeMs };
  if (!status.isFile()) return { digest: toDigest(toKind(status)), size, mtimeMs };
  const known = reading.known.get(path);
  if (known !== undefined && known.size === size && known.mtimeMs === mtimeMs) return known;
  return { digest: readContent(reading, path, full), size, mtimeMs };
}

/** A link to a file counts as its content, wherever that lies: it is what runs, or is read, under this name. */
function readLink(reading: Reading, path: string): string {
  const full = join(reading.root, path);
  const target = readlinkSync(full);
  const status = statSync(full, { throwIfNoEntry: false });
  if (status === undefined) return toDigest(JSON.stringify(["link", target, "nowhere"]));
  if (status.isDirectory()) return readFolderLink(reading, path, target);
  const content = status.isFile()
    ? readContent(reading, path, realpathSync.native(full))
    : toDigest(toKind(status));
  return toDigest(JSON.stringify(["link", target, content]));
}

/** What is behind it is read where it lies, so it has to lie where it is read. */
function readFolderLink(reading: Reading, path: string, target: string): string {
  const real = realpathSync.native(join(reading.root, path));
  const place = relative(reading.root, real);
  if (!isWithin(reading.root, real)) reading.fault ??= `${path} leads to a folder outside of it`;
  else if ([target, place].some((way) => way.split(sep).includes(".git"))) {
    reading.fault ??= `${path} leads to a folder through .git, which is not recorded`;
  }
  return toDigest(JSON.stringify(["link", target, "folder", place]));
}

function readContent(reading: Reading, path: string, full: string): string {
  // It may have been replaced since it was listed, by a pipe that would never end.
  const descriptor = openSync(
    full,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("It is not a regular file.");
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return hash.digest("hex");
      reading.bytesLeft -= count;
      if (reading.bytesLeft < 0) {
        reading.fault ??= `its files are larger than ${FOLDER_BYTES_LIMIT / 1024 / 1024} MB together, up to ${path}`;
        return hash.digest("hex");
      }
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
}

function toKind(status: Stats): string {
  if (status.isFIFO()) return "pipe";
  if (status.isSocket()) return "socket";
  return status.isDirectory() ? "folder" : "device";
}

/** SHA-256, in hexadecimal digits. */
export function toDigest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
