import { parseCheckpointUrl } from "../../src/checkpoint/checkpoint-url.ts";
import type { LeaseOptions, Leases } from "../../src/checkpoint/lease.ts";
import { readMachine } from "../../src/checkpoint/machine.ts";
import { connectDatabase, type PostgresDatabase } from "../../src/checkpoint/postgres/database.ts";
import { createLeases as createPostgresLeases } from "../../src/checkpoint/postgres/postgres-lease.ts";
import type { Database } from "../../src/checkpoint/sqlite/database.ts";
import { createLeases } from "../../src/checkpoint/sqlite/sqlite-lease.ts";
import { readStartTime } from "../../src/tools/process/process-group.ts";
import type { PostgresServer } from "../support/postgres.ts";

/** The rows of the leases, past whoever should write them. */
export interface LeaseTable {
  createLeases: (options: LeaseOptions) => Promise<Leases>;
  /** Puts a holder of the thread "t" into the table, as another process would. */
  plant: (holder: Planted) => Promise<void>;
  /** Makes every holder silent for longer. */
  addSilence: (ms: number) => Promise<void>;
  read: () => Promise<{ threadId: string; life: string; groups: string; beat: number }[]>;
  /** Takes the table away, or puts it back. */
  hide: (isHidden: boolean) => Promise<void>;
}

/** What a row says; of this process on this machine where it is not given. */
export interface Planted {
  machine?: string;
  pid?: number;
  startTime?: string;
  /** Milliseconds of silence. */
  silence?: number;
  /** The process groups as they are written down. */
  groups?: string;
}

type Row = Awaited<ReturnType<LeaseTable["read"]>>[number];

function toCells({ machine = readMachine(), pid = process.pid, startTime, groups = "[]" }: Planted) {
  return ["t", "life", machine, "elsewhere", pid, startTime ?? readStartTime(pid) ?? "", groups] as const;
}

const COLUMNS = "thread_id, life, machine, host, pid, start_time, groups, since, beat";

export function inFile(database: Database): LeaseTable {
  return {
    createLeases: async (options) => createLeases(database, options),
    async plant(planted) {
      const then = Date.now() - (planted.silence ?? 0);
      const sql = `INSERT INTO lease (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      database.run(sql, ...toCells(planted), then, then);
    },
    addSilence: async (ms) => void database.run("UPDATE lease SET beat = beat - ?", ms),
    read: async () => database.all<Row>("SELECT thread_id AS threadId, life, groups, beat FROM lease"),
    hide: async (isHidden) =>
      database.exec(isHidden ? "ALTER TABLE lease RENAME TO hidden" : "ALTER TABLE hidden RENAME TO lease"),
  };
}

/**
 * @param opened - Takes what is to be closed at the end.
 */
export function inServer(server: PostgresServer, url: string, opened: PostgresDatabase[]): LeaseTable {
  const schema = `"${new URL(url).searchParams.get("schema")}"`;
  const table = `${schema}.skillgraph_lease`;
  return {
    async createLeases(options) {
      const place = parseCheckpointUrl(url);
      if (place.kind !== "postgres") throw new Error(url);
      const database = await connectDatabase(place);
      opened.push(database);
      return createPostgresLeases(database, options);
    },
    async plant(planted) {
      const then = "clock_timestamp() - $8 * interval '1 ms'";
      const sql = `INSERT INTO ${table} (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, ${then}, ${then})`;
      await server.query(sql, ...toCells(planted), planted.silence ?? 0);
    },
    addSilence: async (ms) =>
      void (await server.query(`UPDATE ${table} SET beat = beat - $1 * interval '1 ms'`, ms)),
    read: () =>
      server.query<Row>(
        `SELECT thread_id AS "threadId", life, groups, (extract(epoch FROM beat) * 1000)::float8 AS beat FROM ${table}`,
      ),
    hide: async (isHidden) => {
      if (isHidden) await server.query(`ALTER TABLE ${table} RENAME TO hidden`);
      else await server.query(`ALTER TABLE ${schema}.hidden RENAME TO skillgraph_lease`);
    },
  };
}
