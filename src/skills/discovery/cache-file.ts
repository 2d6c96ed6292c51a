import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { isRecord } from "../record.ts";

/** Raised when the lines mean something else than before. */
const FORMAT = 1;
/** A larger file is not ours. */
const SIZE_LIMIT = 256 * 1024 * 1024;
/** Files of other roots that are kept, all together. */
const OTHERS_LIMIT = 20_000;
const LINE_END = 0x0a;

/** What is kept of one root: a line of JSON, and how many files it tells of. */
export interface CacheLine {
  files: number;
  line: Buffer;
}

/**
 * Reads the lines of a cache, by the path of their root, latest first. A cache of another program, of another
 * format, of another person, or one that is no such file gives none: it is a memory, not a source.
 */
export function readCacheFile(path: string, program: string): Map<string, CacheLine> {
  try {
    const bytes = readOwnFile(path);
    const [head = bytes, ...lines] = bytes === undefined ? [] : splitLines(bytes);
    const header: unknown = head === undefined ? undefined : JSON.parse(head.toString("utf8"));
    if (!isRecord(header) || header.format !== FORMAT || header.program !== program) return new Map();
    const roots = Array.isArray(header.roots) ? header.roots : [];
    return new Map(roots.flatMap((root, index) => toEntry(root, lines[index])));
  } catch {
    return new Map(); // Absent, closed to us or broken: everything is read anew.
  }
}

/**
 * Writes lines and keeps those of other roots as far as there is room. Where it cannot be written nothing
 * happens: the next start reads everything again, as this one did.
 */
export function writeCacheFile(path: string, program: string, own: ReadonlyMap<string, CacheLine>): void {
  let room = OTHERS_LIMIT;
  const others = [...readCacheFile(path, program)].filter(([root, { files }]) => {
    if (own.has(root)) return false;
    room -= Math.max(1, files);
    return room >= 0;
  });
  const entries = [...own, ...others];
  const roots = entries.map(([root, { files, line }]) => ({ path: root, files, digest: digest(line) }));
  const head = Buffer.from(JSON.stringify({ format: FORMAT, program, roots }));
  const lineEnd = Buffer.of(LINE_END);
  const bytes = Buffer.concat(
    [head, ...entries.map(([, { line }]) => line)].flatMap((part) => [part, lineEnd]),
  );
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  try {
    // Written beside and renamed: another process sees the old file or the new one, never a part.
    writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    removeFile(temporary); // A full or closed disk costs the memory, not the run.
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return; // Where nothing could be written there is nothing to remove.
  }
}

function readOwnFile(path: string): Buffer | undefined {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    // What others could have written might tell of grants that no skill asks for.
    const isOwn =
      process.geteuid === undefined || (status.uid === process.geteuid() && !(status.mode & 0o022));
    return status.isFile() && isOwn && status.size <= SIZE_LIMIT ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = bytes.indexOf(LINE_END, from);
    if (end === -1) return lines;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
}

function toEntry(root: unknown, line: Buffer | undefined): [string, CacheLine][] {
  if (line === undefined || !isRecord(root) || typeof root.path !== "string") return [];
  if (root.digest !== digest(line)) return [];
  return [[root.path, { files: Number(root.files), line }]];
}

function digest(line: Buffer): string {
  return createHash("sha256").update(line).digest("hex").slice(0, 16);
}
