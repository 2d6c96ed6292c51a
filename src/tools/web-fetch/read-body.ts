import type { IncomingMessage } from "node:http";
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { toMessage } from "../../errors.ts";

const MAX_ENCODINGS = 3;
const DEFLATE_METHOD = 8;

/** What came of a body. */
export interface Body {
  bytes: Buffer;
  /** It is longer than the limit: the rest was not read. */
  isCut: boolean;
  /** Why it ended early, when it did. */
  broken?: string;
}

/**
 * Reads a body and undoes its compression, each step up to the limit: a small body can unfold to any size.
 *
 * @throws for a compression that is not known, and the signal's reason.
 */
export async function readBody(response: IncomingMessage, limit: number, signal: AbortSignal): Promise<Body> {
  const encodings = listEncodings(response);
  let body = await collect(response, limit, signal);
  for (const encoding of encodings.reverse()) {
    if (body.bytes.length === 0) return body;
    const { isCut, broken } = body;
    const decoder = createDecoder(encoding, body.bytes);
    const inflated = await collect(Readable.from([body.bytes]).pipe(decoder), limit, signal);
    // When the compressed bytes end early the decoder says so too; the first reason is the better one.
    body = isCut || broken !== undefined ? { ...inflated, isCut: isCut || inflated.isCut } : inflated;
    if (broken !== undefined) body.broken = broken;
    else if (isCut) delete body.broken;
  }
  return body;
}

function listEncodings({ headers }: IncomingMessage): string[] {
  const encodings = (headers["content-encoding"] ?? "")
    .split(",")
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  const unknown = encodings.find((encoding) => !/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding));
  if (unknown === undefined && encodings.length <= MAX_ENCODINGS) return encodings;
  const what =
    unknown === undefined ? `${encodings.length} times` : `as ${JSON.stringify(unknown.slice(0, 40))}`;
  throw new Error(`its body is compressed ${what}; known: gzip, deflate, br`);
}

function createDecoder(encoding: string, bytes: Buffer): Transform {
  if (encoding === "br") return createBrotliDecompress();
  if (encoding !== "deflate") return createGunzip();
  // Some servers leave out the header that "deflate" is to have.
  return ((bytes[0] ?? 0) & 0x0f) === DEFLATE_METHOD ? createInflate() : createInflateRaw();
}

async function collect(stream: Readable, limit: number, signal: AbortSignal): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    return { bytes: Buffer.concat(chunks), isCut: false, broken: toMessage(error) };
  }
  signal.throwIfAborted();
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isCut: size > limit };
}
