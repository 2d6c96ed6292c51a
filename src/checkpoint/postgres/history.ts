import type { DeltaChannelHistory, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { toDeltaHistory } from "../delta-history.ts";
import type { Target } from "../saver-store.ts";
import { type StoredWrite, toPlace } from "../stored-tuple.ts";
import type { StoredValue } from "../values.ts";
import type { PostgresDatabase } from "./database.ts";
import { findRow } from "./rows.ts";

/**
 * Every ancestor of a checkpoint that counts for a channel: up to and with the nearest one that holds a value of it.
 * The walk stays inside the database and reads no value on its way, since a history has thousands of ancestors.
 */
const WALK = `
  WITH RECURSIVE walk (channel, checkpoint, depth) AS (
    SELECT c.channel, t.parent, 1 FROM unnest($1::text[]) c (channel), skillgraph_checkpoint t
    WHERE t.key = $2 AND t.parent IS NOT NULL
    UNION ALL
    SELECT w.channel, p.parent, w.depth + 1 FROM walk w JOIN skillgraph_checkpoint p ON p.key = w.checkpoint
    WHERE p.parent IS NOT NULL AND NOT p.refs ? w.channel)`;

const SELECT_WRITES = `${WALK}
  SELECT w.task_id, w.channel, w.type, w.blob AS value FROM walk
    JOIN skillgraph_checkpoint p ON p.key = walk.checkpoint
    JOIN checkpoint_writes w ON w.thread_id = $3 AND w.checkpoint_ns = $4 AND w.checkpoint_id = p.id
      AND w.channel = walk.channel
    LEFT JOIN skillgraph_task t ON t.line = p.line AND t.id = p.id AND t.task_id = w.task_id
  ORDER BY walk.depth DESC, coalesce(t.task_path, '') COLLATE "C", w.task_id COLLATE "C", w.idx`;

const SELECT_SEEDS = `${WALK}
  SELECT walk.channel, b.type, b.blob AS value FROM walk
    JOIN skillgraph_checkpoint p ON p.key = walk.checkpoint
    JOIN checkpoint_blobs b ON b.thread_id = $3 AND b.checkpoint_ns = $4 AND b.channel = walk.channel
      AND b.version = p.refs ->> walk.channel`;

/**
 * What delta channels are rebuilt from: for each channel the nearest stored value among the ancestors of
 * a checkpoint, and all writes since, oldest first.
 */
export async function readDeltaHistory(
  database: PostgresDatabase,
  serde: SerializerProtocol,
  target: Target,
  channels: readonly string[],
): Promise<Record<string, DeltaChannelHistory>> {
  const names = [...new Set(channels)];
  const found = await database.read(async (session) => {
    const row = await findRow(session, target);
    if (row === undefined) return undefined;
    const cells = [names, row.key, row.thread_id, row.ns];
    return {
      place: toPlace(row),
      writes: await session.all<StoredWrite>(SELECT_WRITES, ...cells),
      seeds: await session.all<StoredValue>(SELECT_SEEDS, ...cells),
    };
  });
  return toDeltaHistory(serde, names, found);
}
