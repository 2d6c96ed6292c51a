import { createHash } from "node:crypto";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { SkillgraphError, toMessage } from "../errors.ts";
import type { Database } from "./sqlite/database.ts";

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
  const digest = createHash("sha256").update(`${type}\n`).update(bytes).digest().subarray(0, 16);
  return { type, value: type === "json" ? Buffer.from(bytes).toString("utf8") : bytes, digest };
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

/** Stores a value once a line and returns its key. Runs inside a write transaction. */
export function storeBlob(database: Database, line: number, { type, value, digest }: Encoded): number {
  const find = "SELECT key FROM blob WHERE line = ? AND digest = ?";
  const known = database.get<{ key: number }>(find, line, digest);
  if (known !== undefined) return known.key;
  const insert = "INSERT INTO blob (line, digest, type, value) VALUES (?, ?, ?, ?) RETURNING key";
  return database.get<{ key: number }>(insert, line, digest, type, value)?.key as number;
}
