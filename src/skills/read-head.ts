import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { splitFences } from "./fences.ts";
import { HEADER_LIMIT } from "./header-fields.ts";

/** Reads bytes of an open file at a position into the buffer and returns how many. */
export type ReadChunk = (descriptor: number, buffer: Uint8Array, position: number) => number;

/** What tells that a file has not changed since. */
export interface FileStamp {
  mtimeNs: bigint;
  size: bigint;
  ino: bigint;
}

/** The longest SKILL.md that is offered and loaded, in bytes. */
export const SKILL_FILE_LIMIT = 2 * 1024 * 1024;

const CHUNK = 4096;
// A character takes three bytes at most for each unit of the limit; the rest is room for the fences.
const BYTE_LIMIT = HEADER_LIMIT * 3 + CHUNK;

/**
 * Reads a file in chunks of 4 KiB until the closing fence of its header. The body is not read.
 *
 * @returns The head as text, and the file's stamp at that time.
 * @throws Error when it is not a regular file, cannot be read, or its header is not UTF-8.
 */
export function readHead(path: string, readChunk: ReadChunk = readBytes): { text: string; stamp: FileStamp } {
  // Without O_NONBLOCK a named pipe that took the file's place would wait for a writer for ever.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor, { bigint: true });
    if (!status.isFile()) throw new Error("It is not a regular file.");
    if (status.size > SKILL_FILE_LIMIT) throw new Error(`It is larger than ${SKILL_FILE_LIMIT} bytes.`);
    const { mtimeNs, size, ino } = status;
    return { text: decodeUtf8(readUntilFence(descriptor, readChunk)), stamp: { mtimeNs, size, ino } };
  } finally {
    closeSync(descriptor);
  }
}

/** Text from bytes that must be UTF-8; another encoding is named, not guessed. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const line = findBadLine(bytes);
    throw new Error(`Line ${line} is not UTF-8; save the file as UTF-8.`, { cause: error });
  }
}

function readUntilFence(descriptor: number, readChunk: ReadChunk): Uint8Array {
  let head = Buffer.alloc(0);
  while (head.length < BYTE_LIMIT) {
    const chunk = new Uint8Array(CHUNK);
    const count = readChunk(descriptor, chunk, head.length);
    head = Buffer.concat([head, chunk.subarray(0, count)]);
    const end = findHeadEnd(head, count === 0);
    if (end !== undefined) return head.subarray(0, end);
    if (count === 0) return head;
  }
  return head.subarray(0, findHeadEnd(head, true) ?? lastWholeLine(head));
}

// Fences are ASCII, so they are found before the bytes are decoded: the last chunk may end inside a character
// or hold the beginning of a body in any encoding.
function findHeadEnd(head: Buffer, complete: boolean): number | undefined {
  const start = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  const text = head.toString("latin1", start).replace(/\r(?!\n)/g, "\n");
  const unified = text.replaceAll("\r\n", " \n");
  const fences = splitFences(unified);
  if (fences.kind === "unclosed") return undefined;
  if (fences.kind !== "found") {
    const firstLine = /^\s*\S[^\n]*\n/.exec(unified);
    return firstLine === null ? undefined : start + firstLine[0].length;
  }
  if (fences.body === "" && !complete) return undefined;
  return start + unified.length - fences.body.length;
}

function lastWholeLine(head: Buffer): number {
  return Math.max(0, head.lastIndexOf(0x0a));
}

function findBadLine(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes)
    .toString("latin1")
    .split(/\r\n?|\n/);
  const bad = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  return Math.max(0, bad) + 1;
}

function readBytes(descriptor: number, buffer: Uint8Array, position: number): number {
  return readSync(descriptor, buffer, 0, buffer.length, position);
}
