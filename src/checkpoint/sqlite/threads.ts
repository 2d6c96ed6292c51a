import { type ThreadIndex, type ThreadRow, toEntry } from "../thread-index.ts";
import type { Database } from "./database.ts";

const SELECT_THREADS = `
  SELECT l.thread_id, l.updated_at, c.id FROM line l JOIN checkpoint c ON c.key = l.head
  WHERE l.ns = '' AND substr(l.thread_id, 1, length(?1)) = ?1 ORDER BY l.head DESC`;

const FIND_THREAD = `
  SELECT 1 FROM line l JOIN checkpoint c ON c.key = l.head WHERE l.thread_id = ? AND l.ns = ''`;

const SET_INFO = `
  INSERT INTO thread_info (thread_id, name, value) VALUES (?, ?, ?)
  ON CONFLICT (thread_id, name) DO UPDATE SET value = excluded.value`;

const SELECT_SIZE = `
  SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count) AS pages,
         (SELECT page_size FROM pragma_page_size) AS page_size,
         (SELECT count(*) FROM line WHERE ns = '' AND head IS NOT NULL) AS threads,
         (SELECT count(*) FROM checkpoint WHERE body IS NOT NULL) AS checkpoints`;

/** The threads of an open database. */
export function createThreadIndex(database: Database): ThreadIndex {
  const list = (prefix: string) => database.read(() => database.all<ThreadRow>(SELECT_THREADS, prefix));

  return {
    async listThreads() {
      return (await list("")).map(toEntry);
    },

    async hasThread(threadId) {
      return (await database.read(() => database.get(FIND_THREAD, threadId))) !== undefined;
    },

    async findThreads(prefix) {
      return (await list(prefix)).map((row) => row.thread_id);
    },

    deleteThread: (threadId) => deleteThread(database, threadId),

    async getThreadInfo(threadId) {
      const select = "SELECT name, value FROM thread_info WHERE thread_id = ?";
      const rows = await database.read(() => database.all<{ name: string; value: string }>(select, threadId));
      return Object.fromEntries(rows.map((row) => [row.name, row.value]));
    },

    async setThreadInfo(threadId, info) {
      await database.write(() => {
        for (const [name, value] of Object.entries(info)) database.run(SET_INFO, threadId, name, value);
      });
    },

    async readSize() {
      const row = await database.read(() => database.get<Record<string, number>>(SELECT_SIZE));
      const { pages = 0, page_size = 0, threads = 0, checkpoints = 0 } = row ?? {};
      return { bytes: pages * page_size, threads, checkpoints };
    },

    async readStoreId() {
      return (await database.read(() => database.get<{ id: string }>("SELECT id FROM store")))?.id ?? "";
    },
  };
}

/** Deletes everything of a thread but its lease, which belongs to whoever holds it. */
export async function deleteThread(database: Database, threadId: string): Promise<void> {
  const lines = "line IN (SELECT key FROM line WHERE thread_id = ?)";
  await database.write(
    () => {
      database.run(
        `DELETE FROM pending WHERE checkpoint IN (SELECT key FROM checkpoint WHERE ${lines})`,
        threadId,
      );
      database.run(`DELETE FROM checkpoint WHERE ${lines}`, threadId);
      database.run(`DELETE FROM blob WHERE ${lines}`, threadId);
      database.run("DELETE FROM line WHERE thread_id = ?", threadId);
      database.run("DELETE FROM thread_info WHERE thread_id = ?", threadId);
      database.exec("PRAGMA incremental_vacuum");
      // Thousands may be deleted one by one; one that comes back can be deleted again.
    },
    { mayFade: true },
  );
}
