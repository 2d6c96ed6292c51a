import type { RunnableConfig } from "@langchain/core/runnables";
import { getCheckpointId } from "@langchain/langgraph-checkpoint";
import type { Cell, Database } from "./database.ts";

const FIND_BEFORE = `
  SELECT max(key) AS key FROM checkpoint
  WHERE id = ?1 AND body IS NOT NULL AND (?2 IS NULL OR line IN (SELECT key FROM line WHERE thread_id = ?2))`;

/**
 * The keys of the checkpoints that a listing asks for, the newest put first. Keys are given in the order of the
 * puts, so neither the order nor `before` depends on the clock; `before` may name a checkpoint of another
 * namespace, as LangGraph does to find what a subgraph held at a moment of its parent.
 *
 * @param limit - Undefined or negative for all.
 */
export function selectKeys(
  database: Database,
  config: RunnableConfig,
  before: RunnableConfig | undefined,
  limit: number | undefined,
): number[] {
  const { thread_id: threadId, checkpoint_ns: ns } = config.configurable ?? {};
  const conditions = ["c.body IS NOT NULL"];
  const cells: Cell[] = [];
  const add = (condition: string, cell: Cell | undefined) => {
    if (cell === undefined) return;
    conditions.push(condition);
    cells.push(cell);
  };
  add("l.thread_id = ?", threadId);
  add("l.ns = ?", ns);
  add("c.id = ?", getCheckpointId(config) || undefined);
  const beforeId = before === undefined ? undefined : getCheckpointId(before) || undefined;
  if (beforeId !== undefined) {
    const beforeThread = before?.configurable?.thread_id ?? threadId ?? null;
    const key = database.get<{ key: number | null }>(FIND_BEFORE, beforeId, beforeThread)?.key ?? undefined;
    if (key === undefined) add("c.id < ?", beforeId);
    else add("c.key < ?", key);
  }
  const sql = `SELECT c.key FROM checkpoint c JOIN line l ON l.key = c.line
    WHERE ${conditions.join(" AND ")} ORDER BY c.key DESC LIMIT ?`;
  return database.all<{ key: number }>(sql, ...cells, limit ?? -1).map((row) => row.key);
}
