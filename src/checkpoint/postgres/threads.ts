import { type ThreadIndex, type ThreadRow, toEntry } from "../thread-index.ts";
import type { PostgresDatabase } from "./database.ts";
import { cleanCell, deleteShipped } from "./shipped.ts";

const SELECT_THREADS = `
  SELECT l.thread_id, l.updated_at, c.id FROM skillgraph_line l JOIN skillgraph_checkpoint c ON c.key = l.head
  WHERE l.ns = '' AND starts_with(l.thread_id, $1) ORDER BY l.head DESC`;

const HAS_THREAD = "SELECT 1 FROM skillgraph_line WHERE thread_id = $1 AND ns = '' AND head IS NOT NULL";

const SET_INFO = `
  INSERT INTO skillgraph_thread_info (thread_id, name, value) VALUES ($1, $2, $3)
  ON CONFLICT (thread_id, name) DO UPDATE SET value = excluded.value`;

const SELECT_SIZE = `
  SELECT (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r') AS bytes,
         (SELECT count(*) FROM skillgraph_line WHERE ns = '' AND head IS NOT NULL) AS threads,
         (SELECT count(*) FROM skillgraph_checkpoint) AS checkpoints`;

/** The threads of a database. */
export function createThreadIndex(database: PostgresDatabase): ThreadIndex {
  const list = (prefix: string) => database.read((session) => session.all<ThreadRow>(SELECT_THREADS, prefix));

  return {
    async listThreads() {
      return (await list("")).map(toEntry);
    },

    hasThread: (threadId) =>
      database.read(async (session) => (await session.get(HAS_THREAD, threadId)) !== undefined),

    async findThreads(prefix) {
      return (await list(prefix)).map((row) => row.thread_id);
    },

    deleteThread: (threadId) => deleteThread(database, threadId),

    async getThreadInfo(threadId) {
      const select = "SELECT name, value FROM skillgraph_thread_info WHERE thread_id = $1";
      const rows = await database.read((session) =>
        session.all<{ name: string; value: string }>(select, threadId),
      );
      return Object.fromEntries(rows.map((row) => [row.name, row.value]));
    },

    async setThreadInfo(threadId, info) {
      await database.write(async (session) => {
        for (const [name, value] of Object.entries(info)) {
          await session.run(SET_INFO, threadId, name, cleanCell(value));
        }
      });
    },

    async readSize() {
      const size = await database.read((session) =>
        session.get<{ bytes: number; threads: number; checkpoints: number }>(SELECT_SIZE, database.schema),
      );
      return size ?? { bytes: 0, threads: 0, checkpoints: 0 };
    },

    async readStoreId() {
      const store = await database.read((session) =>
        session.get<{ id: string }>("SELECT id FROM skillgraph_store"),
      );
      return store?.id ?? "";
    },
  };
}

/** Deletes everything of a thread but its lease, which belongs to whoever holds it. */
export async function deleteThread(database: PostgresDatabase, threadId: string): Promise<void> {
  await database.write(async (session) => {
    // In a fixed order: two who delete at once must not wait for each other.
    const rows = await session.all<{ key: number }>(
      "SELECT key FROM skillgraph_line WHERE thread_id = $1 ORDER BY key FOR UPDATE",
      threadId,
    );
    // Given as they are: for keys out of a query the server may read the whole table.
    const lines = rows.map(({ key }) => key);
    await deleteShipped(session, database.schema, threadId);
    await session.run("DELETE FROM skillgraph_task WHERE line = ANY($1::bigint[])", lines);
    await session.run("DELETE FROM skillgraph_checkpoint WHERE line = ANY($1::bigint[])", lines);
    await session.run("DELETE FROM skillgraph_line WHERE thread_id = $1", threadId);
    await session.run("DELETE FROM skillgraph_thread_info WHERE thread_id = $1", threadId);
  });
}
