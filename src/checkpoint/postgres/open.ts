import type { BusyOptions } from "../busy-options.ts";
import type { PostgresPlace } from "../checkpoint-url.ts";
import type { Checkpointer } from "../checkpointer.ts";
import { FencedSaver } from "../fenced-saver.ts";
import type { SaverStore } from "../saver-store.ts";
import { connectDatabase, type PostgresDatabase } from "./database.ts";
import { readDeltaHistory } from "./history.ts";
import { createLeases } from "./postgres-lease.ts";
import { findTuple, readTuple, selectKeys } from "./rows.ts";
import { prepareSchema, readFormat } from "./schema.ts";
import { storeCheckpoint, storeWrites } from "./store.ts";
import { createThreadIndex, deleteThread } from "./threads.ts";

/**
 * Opens a PostgreSQL database and makes the tables where they are missing.
 *
 * @throws SkillgraphError `checkpoint-unavailable` naming host and database.
 */
export async function openPostgres(place: PostgresPlace, options: BusyOptions = {}): Promise<Checkpointer> {
  const database = await connectDatabase(place, options);
  try {
    const isNew = await prepareSchema(database);
    return {
      saver: new FencedSaver(createSaverStore(database)),
      leases: createLeases(database),
      threads: createThreadIndex(database),
      isNew,
      close: database.close,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * True when the tables are there. Makes nothing.
 *
 * @throws SkillgraphError `checkpoint-unavailable` naming host and database.
 */
export async function hasTables(place: PostgresPlace, options: BusyOptions = {}): Promise<boolean> {
  const database = await connectDatabase(place, options);
  try {
    return (await database.read(readFormat)) > 0;
  } finally {
    await database.close();
  }
}

/** What LangGraph's saver needs, out of a PostgreSQL database. */
export function createSaverStore(database: PostgresDatabase): SaverStore {
  return {
    findTuple: (target) => database.read((session) => findTuple(session, target)),
    selectKeys: (config, before, limit) =>
      database.read((session) => selectKeys(session, config, before, limit)),
    readTuple: (key) => database.read((session) => readTuple(session, key)),
    storeCheckpoint: (added) => storeCheckpoint(database, added),
    storeWrites: (added) => storeWrites(database, added),
    deleteThread: (threadId) => deleteThread(database, threadId),
    readDeltaHistory: (serde, target, channels) => readDeltaHistory(database, serde, target, channels),
  };
}
