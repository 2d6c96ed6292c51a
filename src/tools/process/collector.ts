import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { toMessage } from "../../errors.ts";
import { cleanText, cutHead, cutTail, OUTPUT_LIMIT, toCount, toNotice } from "../output.ts";

const BYTES_A_CHARACTER = 4;
const SPILL_LIMIT = 256 * 1024 * 1024;
const ENCODING_NOTICE = "\n[Some bytes are not UTF-8 and are shown as �.]";

/** Takes output of any size in bounded memory. */
export interface OutputCollector {
  push(chunk: Buffer): void;
  /** Ends the collection: the text for the model, cleaned and capped. */
  finish(): CollectedOutput;
}

/** What a command printed. `file` holds the whole of it when `text` does not. */
export interface CollectedOutput {
  text: string;
  bytes: number;
  file?: string;
}

/**
 * Collects output as head and tail. What is longer than the limit goes to a file too, readable by its owner
 * alone; beyond 256 MiB the rest is counted and dropped, never left in the pipe.
 *
 * @param folder - Where the whole output is written when it is long; made when it is missing.
 * @param limit - Most characters of the text; 30,000 by default.
 */
export function createOutputCollector(folder: string, limit: number = OUTPUT_LIMIT): OutputCollector {
  const part = Math.ceil(limit / 2) * BYTES_A_CHARACTER;
  const spill = createSpill(folder);
  let head = Buffer.alloc(0);
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let bytes = 0;

  const keepTail = (chunk: Buffer) => {
    tail.push(chunk);
    tailBytes += chunk.length;
    // Small chunks are joined now and then, so that neither bytes nor pieces grow without bound.
    if (tailBytes <= 2 * part && tail.length < 1_000) return;
    const joined = Buffer.concat(tail);
    tail = [Buffer.from(joined.subarray(Math.max(0, joined.length - part)))];
    tailBytes = tail[0]?.length ?? 0;
  };

  return {
    push: (chunk) => {
      bytes += chunk.length;
      const room = 2 * part - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      if (bytes <= 2 * part) return;
      if (!spill.isOpen()) spill.write(head.subarray(0, bytes - chunk.length));
      spill.write(chunk);
      keepTail(room > 0 ? chunk.subarray(room) : chunk);
    },
    finish: () => {
      const isWhole = bytes <= 2 * part;
      const isText = !isBinary(head);
      if (isText && isWhole && decode(head).length <= limit) return { text: toText(head), bytes };
      if (!spill.isOpen()) spill.write(head);
      const { advice, file } = spill.close(bytes);
      const kept = file === undefined ? { bytes } : { bytes, file };
      if (!isText) return { text: `[Binary output, not shown. ${advice}]`, ...kept };
      const last = Buffer.concat(tail);
      const end = last.length < part ? Buffer.concat([head, last]) : last;
      return { text: toCappedText(head, end, { limit, bytes, advice }), ...kept };
    },
  };
}

/** True for bytes that are no text: a NUL among bytes that are not UTF-8, or mostly control characters. */
export function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 8_192);
  if (!sample.includes(0)) return false;
  if (!isUtf8(trimPartial(sample))) return true;
  const controls = sample.reduce(
    (count, byte) => (byte < 9 || (byte > 13 && byte < 32) ? count + 1 : count),
    0,
  );
  return controls > sample.length / 3;
}

/** Bytes without a character that is cut off at the end. */
export function trimPartial(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return width > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function toCappedText(
  head: Buffer,
  end: Buffer,
  { limit, bytes, advice }: { limit: number; bytes: number; advice: string },
): string {
  const half = Math.floor(limit / 2);
  const first = Buffer.from(cutHead(decode(head), half));
  const last = Buffer.from(cutTail(decode(end), half));
  const notice = toNotice(bytes - first.length - last.length, bytes, "bytes", advice);
  const isUtf8Only = [head, end].every((piece) => isUtf8(toWholeCharacters(piece)));
  return cleanText(`${first}${notice}${last}${isUtf8Only ? "" : ENCODING_NOTICE}`);
}

function toText(bytes: Uint8Array): string {
  return cleanText(`${decode(bytes)}${isUtf8(toWholeCharacters(bytes)) ? "" : ENCODING_NOTICE}`);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(toWholeCharacters(bytes));
}

/** A piece of a longer text may begin and end inside a character. */
function toWholeCharacters(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1;
  return trimPartial(bytes.subarray(start));
}

interface Spill {
  isOpen(): boolean;
  write(chunk: Uint8Array): void;
  close(bytes: number): { advice: string; file?: string };
}

function createSpill(folder: string): Spill {
  const file = join(folder, `output-${randomUUID()}.txt`);
  let descriptor: number | undefined;
  let written = 0;
  let fault: string | undefined;
  return {
    isOpen: () => descriptor !== undefined || fault !== undefined,
    // Written at once: a queue would grow as fast as the command prints.
    write: (chunk) => {
      if (fault !== undefined || written >= SPILL_LIMIT || chunk.length === 0) return;
      try {
        descriptor ??= openInside(folder, file);
        written += writeSync(descriptor, chunk, 0, Math.min(chunk.length, SPILL_LIMIT - written));
      } catch (error) {
        fault = toMessage(error);
      }
    },
    close: (bytes) => {
      if (descriptor !== undefined) closeSync(descriptor);
      if (fault !== undefined) return { advice: `${toCount(bytes)} bytes. They were not kept: ${fault}.` };
      const share =
        written < bytes
          ? `The first ${toCount(written)} of ${toCount(bytes)} bytes`
          : `All ${toCount(bytes)} bytes`;
      return { advice: `${share} are in ${file}.`, file };
    },
  };
}

/** The folder and the one above are ours; a link in their place came with the workspace and leads anywhere. */
function openInside(folder: string, file: string): number {
  refuseLink(dirname(folder));
  refuseLink(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return openSync(file, "wx", 0o600);
}

function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`);
}
