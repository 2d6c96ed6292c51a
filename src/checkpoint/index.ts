import { existsSync } from "node:fs";
import type { BusyOptions } from "./busy-options.ts";
import { parseCheckpointUrl } from "./checkpoint-url.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { createMemoryLeases } from "./memory-lease.ts";
import { openDatabase } from "./sqlite/database.ts";
import { createLeases } from "./sqlite/sqlite-lease.ts";
import { SqliteSaver } from "./sqlite/sqlite-saver.ts";
import { createThreadIndex } from "./sqlite/threads.ts";

/** How to open the place where threads are kept. */
export interface OpenOptions extends BusyOptions {
  /** What relative paths start from. Default: the working directory. */
  folder?: string;
}

/**
 * Opens the place where threads are kept and makes it where it is missing. Loads the driver of the database, so call
 * it only when it is needed.
 *
 * @param url - `sqlite:path`, `sqlite:///absolute/path`, a `file:` URL, a path ending in `.db`,
 * `postgres://user@host/database`, or `memory:`, which is gone with the process.
 * @throws SkillgraphError `checkpoint-url-invalid`, or `checkpoint-unavailable` when the place cannot be used.
 */
export async function openCheckpointer(url: string, options: OpenOptions = {}): Promise<Checkpointer> {
  const place = parseCheckpointUrl(url, options.folder);
  if (place.kind === "postgres") {
    const { openPostgres } = await import("./postgres/open.ts");
    return openPostgres(place, options);
  }
  const isNew = place.kind === "memory" || !existsSync(place.path);
  const database = await openDatabase(place.kind === "memory" ? ":memory:" : place.path, options);
  return {
    saver: new SqliteSaver(database),
    leases: place.kind === "memory" ? createMemoryLeases() : createLeases(database),
    threads: createThreadIndex(database),
    isNew,
    close: async () => database.close(),
  };
}
