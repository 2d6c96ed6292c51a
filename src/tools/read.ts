import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { openFile, startsLikeUtf16 } from "./files/files.ts";
import { createInput } from "./input.ts";
import { cleanText, cutHead, OUTPUT_LIMIT, toCount } from "./output.ts";
import { isBinary, trimPartial } from "./process/collector.ts";
import { defineTool } from "./tool.ts";
import { findSkillFile, toPathTarget, toShownPath } from "./workspace.ts";

const DEFAULT_LINES = 2_000;
const BYTES_A_CHARACTER = 4;
const PIECE_BYTES = 256 * 1024;
const LINE_FEED = 10;

/** Reads a text file, or some of its lines. */
export const readTool = defineTool({
  name: "Read",
  description:
    `Read a text file. Gives at most ${DEFAULT_LINES} lines and ${OUTPUT_LIMIT} characters; for a longer file ` +
    "give offset and limit. The text comes as it is, without line numbers.",
  input: createInput(
    {
      path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
      offset: z.number().int().min(1).optional().describe("First line, counted from 1."),
      limit: z.number().int().min(1).optional().describe(`Number of lines; ${DEFAULT_LINES} by default.`),
    },
    { file_path: "path", filePath: "path", file: "path" },
  ),
  target: ({ path }, context) => toPathTarget(path, context, "read"),
  readOnly: true,
  idempotent: true,
  run: async ({ path, offset = 1, limit = DEFAULT_LINES }, context) => {
    const real = resolveDecidedPath(path, context, "read");
    const isOfSkill = findSkillFile(path, context) !== undefined;
    const shown = toShownPath(real, context.workspace);
    const handle = await openFile(real, context.workspace);
    try {
      const { size } = await handle.stat();
      if (size === 0) return `[${shown} is empty.]`;
      const kind = await findKind(handle);
      if (kind !== undefined) return `[${shown} is ${kind} of ${toCount(size)} bytes, not shown.]`;
      const lines = await readLines(handle, offset, limit, context.signal);
      const foreign = findForeignLine(lines, offset);
      if (foreign !== undefined) return toForeign(shown, size, foreign);
      const text = toText(lines, { shown, offset, size });
      return isOfSkill ? `${text}${text.endsWith("\n") ? "" : "\n"}[This is ${shown}, of a skill.]` : text;
    } finally {
      await handle.close();
    }
  },
});

interface Lines {
  bytes: Buffer;
  /** Lines in `bytes`, the last one perhaps cut. */
  count: number;
  /** Lines passed in all, up to where reading stopped. */
  seen: number;
  isCut: boolean;
  isEnd: boolean;
}

async function findKind(handle: FileHandle): Promise<string | undefined> {
  const sample = Buffer.alloc(8_192);
  const { bytesRead } = await handle.read(sample, 0, sample.length, 0);
  const bytes = sample.subarray(0, bytesRead);
  if (startsLikeUtf16(bytes)) return "a UTF-16 text";
  return isBinary(bytes) ? "a binary file" : undefined;
}

/** Lines are cut from bytes: a file of any size passes in pieces, and decoding waits until the lines are known. */
async function readLines(
  handle: FileHandle,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<Lines> {
  const parts: Buffer[] = [];
  let [left, line, isLineStart] = [OUTPUT_LIMIT * BYTES_A_CHARACTER, 1, true];
  const toLines = (end: Pick<Lines, "isCut" | "isEnd">): Lines => {
    const seen = isLineStart ? line - 1 : line;
    return { bytes: Buffer.concat(parts), count: Math.max(0, seen - offset + 1), seen, ...end };
  };
  for await (const piece of readPieces(handle, signal)) {
    for (let start = 0; start < piece.length; ) {
      if (isLineStart && line >= offset + limit) return toLines({ isCut: false, isEnd: false });
      const found = piece.indexOf(LINE_FEED, start);
      const end = found === -1 ? piece.length : found + 1;
      if (line >= offset) {
        const part = piece.subarray(start, Math.min(end, start + left));
        parts.push(Buffer.from(part));
        left -= part.length;
        isLineStart = false;
        if (left === 0) return toLines({ isCut: true, isEnd: false });
      }
      isLineStart = found !== -1;
      if (isLineStart) line += 1;
      start = end;
    }
  }
  return toLines({ isCut: false, isEnd: true });
}

/** Each piece is overwritten by the next. */
async function* readPieces(handle: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  for (let position = 0; ; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function toText(lines: Lines, file: { shown: string; offset: number; size: number }): string {
  if (lines.count === 0) {
    const message = `${file.shown} has ${toCount(lines.seen)} lines; there is no line ${toCount(file.offset)}.`;
    throw new SkillgraphError("tool-failed", message);
  }
  const text = new TextDecoder("utf-8").decode(withoutCutCharacter(lines));
  const capped = text.length > OUTPUT_LIMIT ? cutHead(text, OUTPUT_LIMIT) : text;
  const isCut = lines.isCut || capped.length < text.length;
  const whole = isCut ? dropPartialLine(capped) : capped;
  const clean = cleanText(whole);
  if (!isCut && lines.isEnd && file.offset === 1) return clean;
  return `${clean}${clean.endsWith("\n") ? "" : "\n"}${toRange(whole, isCut, lines, file)}`;
}

function withoutCutCharacter({ bytes, isCut }: Lines): Uint8Array {
  return isCut ? trimPartial(bytes) : bytes;
}

/** The number of the first line that is not UTF-8. */
function findForeignLine(lines: Lines, offset: number): number | undefined {
  const bytes = withoutCutCharacter(lines);
  if (isUtf8(bytes)) return undefined;
  for (let [line, start] = [offset, 0]; ; line += 1) {
    const found = bytes.indexOf(LINE_FEED, start);
    if (found === -1 || !isUtf8(bytes.subarray(start, found))) return line;
    start = found + 1;
  }
}

/** Another encoding read as UTF-8 would be a text that is not in the file. */
function toForeign(shown: string, size: number, line: number): string {
  return (
    `[${shown} (${toCount(size)} bytes) is not UTF-8 text, as line ${toCount(line)} shows; not shown. ` +
    "Read other lines, or convert it with iconv.]"
  );
}

/** A cut line is given only when it is all there is. */
function dropPartialLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? text : text.slice(0, end + 1);
}

function toRange(
  text: string,
  isCut: boolean,
  lines: Lines,
  file: { shown: string; offset: number; size: number },
): string {
  const count = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const last = file.offset + count - 1;
  const range = `[Lines ${file.offset} to ${last} of ${file.shown}, ${toCount(file.size)} bytes.`;
  if (isCut && count === 1 && !text.endsWith("\n")) {
    return `${range} Line ${file.offset} is longer than what is shown; use Grep or Bash for the rest.]`;
  }
  if (lines.isEnd && !isCut) return `${range} This is the end.]`;
  return `${range} Go on with offset ${last + 1}.]`;
}
