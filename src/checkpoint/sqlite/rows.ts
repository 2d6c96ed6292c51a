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
import { decodeValue, type StoredValue } from "../values.ts";
import type { Database } from "./database.ts";

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

interface StoredWrite extends StoredValue {
  task_id: string;
}

const SELECT_ROW = `
  SELECT c.key, c.id, c.parent, c.body, c.refs, c.metadata_type, c.metadata, p.id AS parent_id,
         l.key AS line, l.thread_id, l.ns, l.head, l.stamp
  FROM line l JOIN checkpoint c ON c.line = l.key LEFT JOIN checkpoint p ON p.key = c.parent`;

/** Writes in the order in which a run applies them: SQLite compares text as LangGraph's `compareWritesSortKeys`. */
const SELECT_WRITES = `
  SELECT w.task_id, w.channel, b.type, b.value FROM pending w JOIN blob b ON b.key = w.blob
  WHERE w.checkpoint = ? ORDER BY w.task_path, w.task_id, w.idx`;

const SELECT_VALUES = `
  SELECT r.key AS channel, b.type, b.value FROM json_each(?) r JOIN blob b ON b.key = r.value`;

/** The row of a checkpoint, or of the newest one when no id is given. */
export function findRow(
  database: Database,
  threadId: string,
  ns: string,
  id?: string,
): CheckpointRow | undefined {
  const where = "WHERE l.thread_id = ? AND l.ns = ? AND c.body IS NOT NULL";
  if (id === undefined) return database.get(`${SELECT_ROW} ${where} AND c.key = l.head`, threadId, ns);
  return database.get(`${SELECT_ROW} ${where} AND c.id = ?`, threadId, ns, id);
}

/** The row with this key; undefined when it is gone. */
export function findRowByKey(database: Database, key: number): CheckpointRow | undefined {
  return database.get(`${SELECT_ROW} WHERE c.key = ? AND c.body IS NOT NULL`, key);
}

/** Reads what belongs to a checkpoint. Runs in the same transaction as the read of its row. */
export function readStoredTuple(database: Database, row: CheckpointRow): StoredTuple {
  const isOld = parseBody(row).v < 4 && row.parent !== null;
  return {
    row,
    values: database.all<StoredValue>(SELECT_VALUES, row.refs),
    writes: database.all<StoredWrite>(SELECT_WRITES, row.key),
    sends: isOld
      ? database.all<StoredWrite>(SELECT_WRITES, row.parent).filter((w) => w.channel === TASKS)
      : [],
  };
}

/** Versions, times and what else a checkpoint holds beside its values. */
export function parseBody(row: { body: string }): Body {
  return JSON.parse(row.body) as Body;
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

/** Names a checkpoint in an error. */
export function toPlace({ thread_id, id }: { thread_id: string; id: string }): string {
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
