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

/** Both in one statement, since the walk costs more than what is found: a value has no task. */
const SELECT_HISTORY = `${WALK}
  SELECT w.task_id, w.channel, b.type, b.value, walk.depth AS depth, w.task_path AS task_path, w.idx AS idx
    FROM walk JOIN pending w ON w.checkpoint = walk.checkpoint AND w.channel = walk.channel
    JOIN blob b ON b.key = w.blob
  UNION ALL
  SELECT NULL, r.key, b.type, b.value, 0, '', 0
    FROM walk JOIN checkpoint p ON p.key = walk.checkpoint AND instr(p.refs, walk.name) > 0,
    json_each(p.refs) r JOIN blob b ON b.key = r.value WHERE r.key = walk.channel
  ORDER BY depth DESC, task_path, task_id, idx`;

type StoredSeed = StoredValue & { task_id: null };

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
    const stored = readValues<StoredWrite | StoredSeed>(database, SELECT_HISTORY, ...cells);
    return {
      place: toPlace(row),
      writes: stored.filter((each) => each.task_id !== null),
      seeds: stored.filter((each) => each.task_id === null),
    };
  });
  return toDeltaHistory(serde, names, found);
}
