import type { DeltaChannelHistory, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { toDeltaHistory } from "../delta-history.ts";
import { type StoredWrite, toPlace } from "../stored-tuple.ts";
import type { StoredValue } from "../values.ts";
import { readValues } from "./blob.ts";
import type { Database } from "./database.ts";
import { findRow } from "./rows.ts";

/**
 * Every ancestor of a checkpoint that counts for a channel: up to and with the nearest one that holds a value of
 * it. The walk stays inside SQLite and reads no value on its way, since a history has thousands of ancestors. Whether
 * one holds a value is asked only where the text of its references has the channel's name at all.
 */
const WALK = `
  WITH RECURSIVE walk (channel, name, checkpoint, depth) AS (
    SELECT c.value ->> 0, c.value ->> 1, t.parent, 1 FROM json_each(?) c, checkpoint t
    WHERE t.key = ? AND t.parent IS NOT NULL
    UNION ALL
    SELECT w.channel, w.name, p.parent, w.depth + 1 FROM walk w JOIN checkpoint p ON p.key = w.checkpoint
    WHERE p.parent IS NOT NULL AND NOT (instr(p.refs, w.name) > 0
      AND EXISTS (SELECT 1 FROM json_each(p.refs) r WHERE r.key = w.channel)))`;

const SELECT_WRITES = `${WALK}
  SELECT w.task_id, w.channel, b.type, b.value FROM walk JOIN pending w ON w.checkpoint = walk.checkpoint
    AND w.channel = walk.channel JOIN blob b ON b.key = w.blob
  ORDER BY walk.depth DESC, w.task_path, w.task_id, w.idx`;

const SELECT_SEEDS = `${WALK}
  SELECT r.key AS channel, b.type, b.value FROM walk
    JOIN checkpoint p ON p.key = walk.checkpoint AND instr(p.refs, walk.name) > 0,
    json_each(p.refs) r JOIN blob b ON b.key = r.value WHERE r.key = walk.channel`;

/**
 * What delta channels are rebuilt from: for each channel the nearest stored value among the ancestors of
 * a checkpoint, and all writes since, oldest first.
 *
 * @param id - The checkpoint; the newest one when undefined.
 */
export async function readDeltaHistory(
  database: Database,
  serde: SerializerProtocol,
  target: { threadId: string; ns: string; id: string | undefined },
  channels: readonly string[],
): Promise<Record<string, DeltaChannelHistory>> {
  const names = [...new Set(channels)];
  const found = await database.read(() => {
    const row = findRow(database, target.threadId, target.ns, target.id);
    if (row === undefined) return undefined;
    const cells = [JSON.stringify(names.map((name) => [name, JSON.stringify(name)])), row.key] as const;
    return {
      place: toPlace(row),
      writes: readValues<StoredWrite>(database, SELECT_WRITES, ...cells),
      seeds: readValues<StoredValue>(database, SELECT_SEEDS, ...cells),
    };
  });
  return toDeltaHistory(serde, names, found);
}
