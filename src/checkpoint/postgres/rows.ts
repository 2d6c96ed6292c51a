import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId, TASKS } from "@langchain/langgraph-checkpoint";
import type { Found, Target } from "../saver-store.ts";
import { type CheckpointRow, parseBody, type StoredTuple, type StoredWrite } from "../stored-tuple.ts";
import type { StoredValue } from "../values.ts";
import type { Session } from "./database.ts";

const SELECT_ROW = `
  SELECT c.key, c.id, c.parent, p.id AS parent_id, s.checkpoint::text AS body, c.refs::text AS refs,
         'json' AS metadata_type, s.metadata::text AS metadata, l.key AS line, l.thread_id, l.ns, l.head, l.stamp
  FROM skillgraph_line l JOIN skillgraph_checkpoint c ON c.line = l.key
    JOIN checkpoints s ON s.thread_id = l.thread_id AND s.checkpoint_ns = l.ns AND s.checkpoint_id = c.id
    LEFT JOIN skillgraph_checkpoint p ON p.key = c.parent`;

const SELECT_VALUES = `
  SELECT r.key AS channel, b.type, b.blob AS value FROM jsonb_each_text($3::jsonb) r
    JOIN checkpoint_blobs b ON b.thread_id = $1 AND b.checkpoint_ns = $2 AND b.channel = r.key AND b.version = r.value`;

/** Writes in the order in which a run applies them, by code point, whatever the language of the database. */
const SELECT_WRITES = `
  SELECT w.task_id, w.channel, w.type, w.blob AS value FROM checkpoint_writes w
    LEFT JOIN skillgraph_task t ON t.line = $3 AND t.id = w.checkpoint_id AND t.task_id = w.task_id
  WHERE w.thread_id = $1 AND w.checkpoint_ns = $2 AND w.checkpoint_id = $4
  ORDER BY coalesce(t.task_path, '') COLLATE "C", w.task_id COLLATE "C", w.idx`;

/** The checkpoint that a target names, or what is known of its line without one. */
export async function findTuple(session: Session, { threadId, ns, id }: Target): Promise<Found> {
  const row = await findRow(session, { threadId, ns, id });
  if (row !== undefined) return { stored: await readStoredTuple(session, row) };
  const line = "SELECT key AS line, stamp FROM skillgraph_line WHERE thread_id = $1 AND ns = $2";
  return { empty: await session.get<{ line: number; stamp: number }>(line, threadId, ns) };
}

/** The row of a checkpoint, or of the head when no id is given. */
export async function findRow(
  session: Session,
  { threadId, ns, id }: Target,
): Promise<CheckpointRow | undefined> {
  const where = `${SELECT_ROW} WHERE l.thread_id = $1 AND l.ns = $2 AND`;
  if (id === undefined) return session.get(`${where} c.key = l.head`, threadId, ns);
  return session.get(`${where} c.id = $3`, threadId, ns, id);
}

/** The checkpoint with this key; undefined when it is gone. */
export async function readTuple(session: Session, key: number): Promise<StoredTuple | undefined> {
  const row = await session.get<CheckpointRow>(`${SELECT_ROW} WHERE c.key = $1`, key);
  return row === undefined ? undefined : readStoredTuple(session, row);
}

async function readStoredTuple(session: Session, row: CheckpointRow): Promise<StoredTuple> {
  const { thread_id: threadId, ns, line, refs, id, parent_id: parentId } = row;
  const isOld = parseBody(row).v < 4 && parentId !== null;
  const values = await session.all<StoredValue>(SELECT_VALUES, threadId, ns, refs);
  const writes = await session.all<StoredWrite>(SELECT_WRITES, threadId, ns, line, id);
  if (!isOld) return { row, values, writes, sends: [] };
  const older = await session.all<StoredWrite>(SELECT_WRITES, threadId, ns, line, parentId);
  return { row, values, writes, sends: older.filter((write) => write.channel === TASKS) };
}

const FIND_BEFORE = `
  SELECT max(c.key) AS key FROM skillgraph_checkpoint c JOIN skillgraph_line l ON l.key = c.line
  WHERE c.id = $1 AND ($2::text IS NULL OR l.thread_id = $2)`;

/**
 * The keys of the checkpoints that a listing asks for, the newest put first. `before` may name a checkpoint of another
 * namespace, as LangGraph does to find what a subgraph held at a moment of its parent.
 *
 * @param limit - Undefined or negative for all.
 */
export async function selectKeys(
  session: Session,
  config: RunnableConfig,
  before: RunnableConfig | undefined,
  limit: number | undefined,
): Promise<number[]> {
  const { thread_id: threadId, checkpoint_ns: ns } = config.configurable ?? {};
  const conditions = ["true"];
  const cells: unknown[] = [];
  const add = (condition: string, cell: unknown) => {
    if (cell === undefined) return;
    cells.push(cell);
    conditions.push(`${condition} $${cells.length}`);
  };
  add("l.thread_id =", threadId);
  add("l.ns =", ns);
  add("c.id =", getCheckpointId(config) || undefined);
  const beforeId = before === undefined ? undefined : getCheckpointId(before) || undefined;
  if (beforeId !== undefined) {
    const beforeThread = before?.configurable?.thread_id ?? threadId ?? null;
    const key =
      (await session.get<{ key: number | null }>(FIND_BEFORE, beforeId, beforeThread))?.key ?? undefined;
    if (key === undefined) add('c.id COLLATE "C" <', beforeId);
    else add("c.key <", key);
  }
  const sql = `SELECT c.key FROM skillgraph_checkpoint c JOIN skillgraph_line l ON l.key = c.line
    WHERE ${conditions.join(" AND ")} ORDER BY c.key DESC LIMIT $${cells.length + 1}`;
  const most = limit === undefined || limit < 0 ? null : limit;
  return (await session.all<{ key: number }>(sql, ...cells, most)).map((row) => row.key);
}
