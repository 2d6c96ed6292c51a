import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareChannelVersions,
  type SerializerProtocol,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { SkillgraphError, toMessage } from "../errors.ts";
import { isRecord } from "../skills/record.ts";
import { carryToken, type Token } from "./fence.ts";
import { decodeValue, type StoredValue } from "./values.ts";

/** A checkpoint as one row, joined with its line and its parent's id. */
export interface CheckpointRow {
  key: number;
  id: string;
  parent: number | null;
  parent_id: string | null;
  body: string;
  refs: string;
  metadata_type: string;
  metadata: string | Uint8Array;
  line: number;
  thread_id: string;
  ns: string;
  head: number | null;
  stamp: number;
}

/** Everything of a checkpoint but its values, which are blobs, and its id, which is a column. */
export type Body = Omit<Checkpoint, "id" | "channel_values">;

/** A checkpoint and what belongs to it, read at one moment and not yet deserialised. */
export interface StoredTuple {
  row: CheckpointRow;
  values: StoredValue[];
  writes: StoredWrite[];
  /** Sends that a checkpoint of format 3 or older left with its parent. */
  sends: StoredWrite[];
}

/** A value that a task wrote. */
export interface StoredWrite extends StoredValue {
  task_id: string;
}

/**
 * Versions, times and what else a checkpoint holds beside its values.
 *
 * @throws SkillgraphError `thread-unreadable` naming the checkpoint
 */
export function parseBody(row: Pick<CheckpointRow, "thread_id" | "id" | "body">): Body {
  const body = parseRecord(row, "body");
  if (isRecord(body.channel_versions)) return body as Body;
  throw createUnreadable(row, '"body" has no versions');
}

/** A column that holds a JSON object. */
export function parseRecord<Name extends "body" | "refs">(
  row: Pick<CheckpointRow, "thread_id" | "id" | Name>,
  name: Name,
): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(row[name]);
    if (isRecord(value)) return value;
  } catch (error) {
    throw createUnreadable(row, `"${name}" is broken (${toMessage(error)})`);
  }
  throw createUnreadable(row, `"${name}" is no object`);
}

function createUnreadable(row: Pick<CheckpointRow, "thread_id" | "id">, fault: string): SkillgraphError {
  return new SkillgraphError("thread-unreadable", `${toPlace(row)} cannot be read: ${fault}.`);
}

/** Turns stored rows into what LangGraph reads. */
export async function toTuple(serde: SerializerProtocol, stored: StoredTuple): Promise<CheckpointTuple> {
  const { row } = stored;
  const place = toPlace(row);
  const values = stored.values.map(
    async (value) => [value.channel, await decodeValue(serde, value, place)] as const,
  );
  const checkpoint: Checkpoint = {
    ...parseBody(row),
    id: row.id,
    channel_values: Object.fromEntries(await Promise.all(values)),
  };
  if (stored.sends.length > 0 || (checkpoint.v < 4 && row.parent !== null)) {
    const sends = stored.sends.map((write) => decodeValue(serde, write, place));
    checkpoint.channel_values[TASKS] = await Promise.all(sends);
    checkpoint.channel_versions[TASKS] = findNewest(checkpoint.channel_versions);
  }
  const tuple: CheckpointTuple = {
    config: toConfig(row, row.id),
    checkpoint,
    metadata: await decodeMetadata(serde, row),
    pendingWrites: await Promise.all(stored.writes.map((write) => toPendingWrite(serde, write, place))),
  };
  return row.parent_id === null ? tuple : { ...tuple, parentConfig: toConfig(row, row.parent_id) };
}

/** The metadata of a checkpoint alone. */
export async function decodeMetadata(
  serde: SerializerProtocol,
  row: CheckpointRow,
): Promise<CheckpointMetadata> {
  const stored = { channel: "metadata", type: row.metadata_type, value: row.metadata };
  return (await decodeValue(serde, stored, toPlace(row))) as CheckpointMetadata;
}

/** A stored write as LangGraph knows it: task, channel, value. */
export async function toPendingWrite(
  serde: SerializerProtocol,
  write: StoredWrite,
  place: string,
): Promise<CheckpointPendingWrite> {
  return [write.task_id, write.channel, await decodeValue(serde, write, place)];
}

/** Lets a tuple carry what its reader knows of the line. */
export function giveToken(tuple: CheckpointTuple, { row }: StoredTuple): Token {
  const token = { threadId: row.thread_id, ns: row.ns, line: row.line, stamp: row.stamp };
  carryToken(tuple.config.configurable ?? {}, token);
  return token;
}

/** Names a checkpoint in an error. */
export function toPlace({ thread_id, id }: Pick<CheckpointRow, "thread_id" | "id">): string {
  return `Checkpoint ${id} of thread "${thread_id}"`;
}

function toConfig(row: CheckpointRow, id: string): RunnableConfig {
  return { configurable: { thread_id: row.thread_id, checkpoint_ns: row.ns, checkpoint_id: id } };
}

function findNewest(versions: ChannelVersions): number | string {
  const [first = 1, ...others] = Object.values(versions);
  return others.reduce(
    (newest, other) => (compareChannelVersions(newest, other) >= 0 ? newest : other),
    first,
  );
}
