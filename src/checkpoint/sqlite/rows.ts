import { TASKS } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointRow,
  parseBody,
  parseRecord,
  type StoredTuple,
  type StoredWrite,
} from "../stored-tuple.ts";
import type { StoredValue } from "../values.ts";
import { readValues } from "./blob.ts";
import type { Database } from "./database.ts";
import { fromShaped } from "./shape.ts";

/** A row as it is stored: with a shape, its body is what fills that. */
type ShapedRow = CheckpointRow & { shape: string | null };

const SELECT_ROW = `
  SELECT c.key, c.id, c.parent, c.body, s.value AS shape, c.refs, c.metadata_type, c.metadata, p.id AS parent_id,
         l.key AS line, l.thread_id, l.ns, l.head, l.stamp
  FROM line l JOIN checkpoint c ON c.line = l.key LEFT JOIN checkpoint p ON p.key = c.parent
    LEFT JOIN blob s ON s.key = c.shape`;

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
  const row =
    id === undefined
      ? database.get<ShapedRow>(`${SELECT_ROW} ${where} AND c.key = l.head`, threadId, ns)
      : database.get<ShapedRow>(`${SELECT_ROW} ${where} AND c.id = ?`, threadId, ns, id);
  return row && toWhole(row);
}

/** The row with this key; undefined when it is gone. */
export function findRowByKey(database: Database, key: number): CheckpointRow | undefined {
  const row = database.get<ShapedRow>(`${SELECT_ROW} WHERE c.key = ? AND c.body IS NOT NULL`, key);
  return row && toWhole(row);
}

/** The row with its body, and its metadata when that is stored with it. Older rows have both as they are. */
export function toWhole<Row extends { body: string; shape: string | null }>(row: Row): Row {
  if (row.shape === null) return row;
  const whole = fromShaped({ shape: row.shape, fill: row.body });
  // What is broken stays as it is, and whoever reads the body says so.
  if (!Array.isArray(whole)) return row;
  const [body, metadata] = whole as unknown[];
  const filled = { ...row, body: JSON.stringify(body) };
  return metadata === undefined ? filled : { ...filled, metadata: JSON.stringify(metadata) };
}

/** Reads what belongs to a checkpoint. Runs in the same transaction as the read of its row. */
export function readStoredTuple(database: Database, row: CheckpointRow): StoredTuple {
  const isOld = parseBody(row).v < 4 && row.parent !== null;
  // SQLite would blame the whole file for a list that is broken.
  parseRecord(row, "refs");
  return {
    row,
    values: readValues<StoredValue>(database, SELECT_VALUES, row.refs),
    writes: readValues<StoredWrite>(database, SELECT_WRITES, row.key),
    sends: isOld
      ? readValues<StoredWrite>(database, SELECT_WRITES, row.parent).filter((w) => w.channel === TASKS)
      : [],
  };
}
