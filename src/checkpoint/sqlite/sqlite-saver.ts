import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { FencedSaver } from "../fenced-saver.ts";
import type { SaverStore } from "../saver-store.ts";
import type { Database } from "./database.ts";
import { readDeltaHistory } from "./history.ts";
import { findRow, findRowByKey, readStoredTuple } from "./rows.ts";
import { selectKeys } from "./select-keys.ts";
import { storeCheckpoint, storeWrites } from "./store.ts";
import { deleteThread } from "./threads.ts";

/**
 * Keeps LangGraph's checkpoints in one SQLite file. A channel that did not change is a reference, never a copy; a
 * locked file is waited for without stopping the event loop.
 */
export class SqliteSaver extends FencedSaver {
  /**
   * @param database - An open database; the caller closes it.
   * @param serde - How values become text. Default: LangGraph's own JSON.
   */
  constructor(database: Database, serde?: SerializerProtocol) {
    super(createSaverStore(database), serde);
  }
}

/** What LangGraph's saver needs, out of a SQLite file. */
function createSaverStore(database: Database): SaverStore {
  return {
    findTuple: ({ threadId, ns, id }) =>
      database.read(() => {
        const row = findRow(database, threadId, ns, id);
        if (row !== undefined) return { stored: readStoredTuple(database, row) };
        const line = "SELECT key AS line, stamp FROM line WHERE thread_id = ? AND ns = ?";
        return { empty: database.get<{ line: number; stamp: number }>(line, threadId, ns) };
      }),
    selectKeys: (config, before, limit) => database.read(() => selectKeys(database, config, before, limit)),
    readTuple: (key) =>
      database.read(() => {
        const row = findRowByKey(database, key);
        return row === undefined ? undefined : readStoredTuple(database, row);
      }),
    storeCheckpoint: (added) => storeCheckpoint(database, added),
    storeWrites: (added) => storeWrites(database, added),
    deleteThread: (threadId) => deleteThread(database, threadId),
    readDeltaHistory: (serde, target, channels) => readDeltaHistory(database, serde, target, channels),
  };
}
