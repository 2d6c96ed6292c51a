import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { splitFences } from "./fences.ts";
import { HEADER_LIMIT } from "./fields.ts";

/** Reads bytes of an open file at a position into the buffer and returns how many. */
export type ReadChunk = (descriptor: number, buffer: Uint8Array, position: number) => number;

/** What tells that a file has not changed since. */
export interface FileStamp {
  mtimeMs: number;
  /** Unlike the other time, nobody can set it. */
  ctimeMs: number;
  size: number;
  ino: number;
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
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error("It is not a regular file.");
    if (status.size > SKILL_FILE_LIMIT) throw new Error(`It is larger than ${SKILL_FILE_LIMIT} bytes.`);
    const { mtimeMs, ctimeMs, size, ino } = status;
    return {
      text: decodeUtf8(readUntilFence(descriptor, readChunk)),
      stamp: { mtimeMs, ctimeMs, size, ino },
    };
  } finally {
    closeSync(descriptor);
  }
}

/** `---` and a line end. */
const OPENING = 0x2d2d2d0a;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text from bytes that must be UTF-8; another encoding is named, not guessed. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    const line = findBadLine(bytes);
    throw new Error(`Line ${line} is not UTF-8; save the file as UTF-8.`, { cause: error });
  }
}

/** Nearly every head lies in its first chunk, and a thousand new buffers cost more than what is read into them. */
const firstChunk = Buffer.alloc(CHUNK);

/** The bytes of the head, good until the next file is read. */
function readUntilFence(descriptor: number, readChunk: ReadChunk): Buffer {
  let head = Buffer.alloc(0);
  while (head.length < BYTE_LIMIT) {
    const chunk = head.length === 0 ? firstChunk : Buffer.alloc(CHUNK);
    const count = readChunk(descriptor, chunk, head.length);
    const read = chunk.subarray(0, count);
    head = head.length === 0 ? read : Buffer.concat([head, read]);
    const end = findHeadEnd(head, count === 0);
    if (end !== undefined) return head.subarray(0, end);
    if (count === 0) return head;
  }
  return head.subarray(0, findHeadEnd(head, true) ?? lastWholeCharacter(head));
}

// Fences are ASCII, so they are found before the bytes are decoded: the last chunk may end inside a character
// or hold the beginning of a body in any encoding.
function findHeadEnd(head: Buffer, complete: boolean): number | undefined {
  const plainEnd = findPlainEnd(head);
  if (plainEnd !== undefined) return plainEnd;
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  const text = head.toString("latin1", start);
  const unified = text.includes("\r") ? text.replace(/\r(?!\n)/g, "\n").replaceAll("\r\n", " \n") : text;
  const fences = splitFences(unified);
  if (fences.kind === "unclosed") return undefined;
  if (fences.kind !== "found") {
    const firstLine = /^\s*\S[^\n]*\n/.exec(unified);
    return firstLine === null ? undefined : start + firstLine[0].length;
  }
  if (fences.body === "" && !complete) return undefined;
  return start + unified.length - fences.body.length;
}

/** The same for the usual file, `---` lines without a blank or a carriage return, without making text of it all. */
function findPlainEnd(head: Buffer): number | undefined {
  if (head.length < 4 || head.readUInt32BE(0) !== OPENING) return undefined;
  const end = head.indexOf("\n---", 3, "latin1") + 4;
  if (end < 4 || head[end] !== 0x0a || end + 1 === head.length) return undefined;
  const carriageReturn = head.indexOf(0x0d);
  return carriageReturn === -1 || carriageReturn > end ? end + 1 : undefined;
}

/** The bytes before the last character, which may be cut off. */
function lastWholeCharacter(head: Buffer): number {
  const last = head.findLastIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, last);
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
