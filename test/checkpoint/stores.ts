import { afterAll, describe } from "vitest";
import type { Checkpointer } from "../../src/checkpoint/checkpointer.ts";
import { openCheckpointer } from "../../src/checkpoint/index.ts";
import type { PostgresDatabase } from "../../src/checkpoint/postgres/database.ts";
import { createLeases } from "../../src/checkpoint/sqlite/sqlite-lease.ts";
import { createThreadIndex } from "../../src/checkpoint/sqlite/threads.ts";
import { findPostgresObstacle, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { inFile, inServer, type LeaseTable } from "./lease-table.ts";
import { openTestSaver } from "./support.ts";

/** An open store of threads. */
export type OpenStore = Pick<Checkpointer, "saver" | "leases" | "threads"> & {
  /** What `openCheckpointer` opens, here or in another process. */
  place: string;
  leaseTable: LeaseTable;
};

/** A kind of store. What is true of one is true of all. */
export interface TestStore {
  name: string;
  /** A store of its own, or the given one once more; closed when the test file is done. */
  open: (place?: string) => Promise<OpenStore>;
}

const obstacle = findPostgresObstacle();
const opened: Checkpointer[] = [];
const databases: PostgresDatabase[] = [];
let starting: Promise<PostgresServer> | undefined;

afterAll(async () => {
  for (const store of [...opened, ...databases]) await store.close();
  await (await starting)?.close();
});

/** The PostgreSQL server of a test file, started when it is first asked for. */
export function getServer(): Promise<PostgresServer> {
  starting ??= startPostgres();
  return starting;
}

/** Where a store of its own may be made. */
export async function makePostgresPlace(): Promise<string> {
  return (await getServer()).toUrl();
}

/** Says the same of every kind of store. */
export function describeStores(facts: (store: TestStore) => void): void {
  describe("in SQLite", () => facts({ name: "SQLite", open: openInFile }));
  describePostgres("in PostgreSQL", () => facts({ name: "PostgreSQL", open: openInServer }));
}

/** What is true of PostgreSQL alone; left out, with the reason, where none can be started. */
export function describePostgres(name: string, facts: () => void): void {
  if (obstacle === undefined) describe(name, facts);
  else describe.skip(`${name} (${obstacle})`, facts);
}

async function openInFile(place?: string): Promise<OpenStore> {
  const { saver, database, file } = await openTestSaver(place);
  const [leases, threads] = [createLeases(database), createThreadIndex(database)];
  return { saver, leases, threads, place: file, leaseTable: inFile(database) };
}

async function openInServer(place?: string): Promise<OpenStore> {
  const url = place ?? (await makePostgresPlace());
  const store = await openCheckpointer(url);
  opened.push(store);
  return { ...store, place: url, leaseTable: inServer(await getServer(), url, databases) };
}
