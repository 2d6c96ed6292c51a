import { isUtf8 } from "node:buffer";
import { cleanText, cutHead, cutTail, OUTPUT_LIMIT, toNotice } from "../output.ts";
import { type ReadableText, toReadable, trimBegunSequence, trimCutLine } from "./readable-text.ts";
import { createSpill } from "./spill.ts";

const BYTES_A_CHARACTER = 4;
const ENCODING_NOTICE = "[Some bytes are not UTF-8 and are shown as �.]";
const CONTROL_NOTICE = "[Control characters are shown as ␛ and the like.]";

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
      const isText = !isBinary(head);
      const last = Buffer.concat(tail);
      const isJoined = last.length < part;
      const end = isJoined ? Buffer.concat([head, last]) : last;
      const whole = isText && isJoined ? toReadable(decode(end)) : undefined;
      const fits = whole !== undefined && whole.text.length <= limit;
      if (fits && !whole.hasOverwritten && !spill.isOpen()) {
        return { text: toText(whole.text, [whole], [end]), bytes };
      }
      if (!spill.isOpen()) spill.write(head);
      const { advice, file } = spill.close(bytes);
      const kept = file === undefined ? { bytes } : { bytes, file };
      if (!isText) return { text: `[Binary output, not shown. ${advice}]`, ...kept };
      if (fits) return { text: toText(whole.text, [whole], [end], advice), ...kept };
      return { text: toCappedText(head, end, { limit, bytes, advice, isJoined }), ...kept };
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
  { limit, bytes, advice, isJoined }: { limit: number; bytes: number; advice: string; isJoined: boolean },
): string {
  const half = Math.floor(limit / 2);
  const pieces = [toReadable(trimBegunSequence(decode(head))), toReadable(decode(end))] as const;
  const first = cutHead(pieces[0].text, half);
  const last = cutTail(pieces[1].text, half);
  // What is cut off here took the broken beginning with it.
  const clean = isJoined || pieces[1].text.length > half ? last : trimCutLine(last);
  const left = bytes - Buffer.byteLength(first) - Buffer.byteLength(clean);
  return toText(`${first}${toNotice(left, bytes, "bytes", advice)}${clean}`, pieces, [head, end]);
}

function toText(text: string, pieces: readonly ReadableText[], sources: Uint8Array[], advice = ""): string {
  const overwritten = `[Progress lines are shown in their last state.${advice === "" ? "" : ` ${advice}`}]`;
  const notices = [
    ...(pieces.some((piece) => piece.hasOverwritten) ? [overwritten] : []),
    ...(pieces.some((piece) => piece.hasControls) ? [CONTROL_NOTICE] : []),
    ...(sources.every((source) => isUtf8(toWholeCharacters(source))) ? [] : [ENCODING_NOTICE]),
  ];
  const gap = notices.length === 0 || text.endsWith("\n") ? "" : "\n";
  return cleanText(`${text}${gap}${notices.join("\n")}`);
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
