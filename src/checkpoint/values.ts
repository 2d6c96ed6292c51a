import { createHash } from "node:crypto";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { SkillgraphError, toMessage } from "../errors.ts";

/** A value as it is stored. Equal values have equal digests. */
export interface Encoded {
  type: string;
  value: string | Uint8Array;
  digest: Uint8Array;
}

/** What a row says about a value, and where it came from, for the error when it cannot be read. */
export interface StoredValue {
  channel: string;
  type: string;
  value: string | Uint8Array;
}

/** Serialises a value. JSON is kept as text, so that the file can be read with any SQLite tool. */
export async function encodeValue(serde: SerializerProtocol, value: unknown): Promise<Encoded> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const digest = digestValue(type, bytes);
  return { type, value: type === "json" ? Buffer.from(bytes).toString("utf8") : bytes, digest };
}

/** What tells one serialised value from another. */
export function digestValue(type: string, value: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(`${type}\n`).update(value).digest().subarray(0, 16);
}

/**
 * Reads a stored value.
 *
 * @param place - Names the checkpoint, for the error.
 * @throws SkillgraphError `thread-unreadable` naming the place and the channel.
 */
export async function decodeValue(
  serde: SerializerProtocol,
  stored: StoredValue,
  place: string,
): Promise<unknown> {
  // The driver gives bytes now as a Buffer, now as an ArrayBuffer.
  const value = typeof stored.value === "string" ? stored.value : new Uint8Array(stored.value);
  try {
    return await serde.loadsTyped(stored.type, value);
  } catch (error) {
    const message = `${place} cannot be read: the value of "${stored.channel}" is broken (${toMessage(error)}).`;
    throw new SkillgraphError("thread-unreadable", message, { cause: error });
  }
}
