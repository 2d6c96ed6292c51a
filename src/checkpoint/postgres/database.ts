import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { SkillgraphError, toMessage } from "../../errors.ts";
import type { BusyOptions } from "../busy-options.ts";
import type { PostgresPlace } from "../checkpoint-url.ts";
import { createUnavailable } from "../unavailable.ts";
import { isLost, isPassing, toUnavailable } from "./faults.ts";

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const CONNECT_MS = 10_000;
/** A process that was stopped inside a transaction must not keep others out for ever. */
const IDLE_MS = 60_000;
const INT8 = 20;

/** One transaction. Tables need no schema before their names. */
export interface Session {
  /** Runs a statement; returns how many rows it changed. */
  run: (sql: string, ...cells: unknown[]) => Promise<number>;
  get: <T>(sql: string, ...cells: unknown[]) => Promise<T | undefined>;
  all: <T>(sql: string, ...cells: unknown[]) => Promise<T[]>;
}

/** One PostgreSQL database. */
export interface PostgresDatabase {
  /** Host and database, for people. */
  readonly name: string;
  readonly schema: string;
  /** Runs `work` on one consistent state of the database; again when the connection was lost. */
  read: <T>(work: (session: Session) => Promise<T>, options?: { signal?: AbortSignal }) => Promise<T>;
  /** Runs `work` in a transaction: all of it is kept, once, or nothing. `work` may be called again. */
  write: <T>(work: (session: Session) => Promise<T>, options?: { signal?: AbortSignal }) => Promise<T>;
  /** Closes the connections; calls after it fail. */
  close: () => Promise<void>;
}

/**
 * Connects to a PostgreSQL database, lazily: the first transaction shows whether it is there.
 *
 * @throws SkillgraphError `checkpoint-unavailable` when the driver cannot be loaded.
 */
export async function connectDatabase(
  place: PostgresPlace,
  { busyTimeoutMs = 30_000 }: BusyOptions = {},
): Promise<PostgresDatabase> {
  const { name, schema } = place;
  const pool = createPool(await loadDriver(name), place, busyTimeoutMs);
  let closed: Promise<void> | undefined;
  const limits = `SET LOCAL search_path = "${schema}"; SET LOCAL lock_timeout = ${busyTimeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS};`;

  return {
    name,
    schema,
    read: (work, options) =>
      transact(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`, work, options),
    write: (work, options) =>
      transact(
        `BEGIN ISOLATION LEVEL READ COMMITTED; ${limits} SELECT pg_current_xact_id()::text AS xid`,
        work,
        options,
      ),
    close: () => {
      closed ??= pool.end();
      return closed;
    },
  };

  async function transact<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<T> {
    // A clock that is set back or forward must neither prolong nor cut the wait.
    const giveUpAt = performance.now() + busyTimeoutMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (closed !== undefined) throw createUnavailable(name, "the connection was closed");
      try {
        return await attempt(begin, work, giveUpAt);
      } catch (error) {
        if (!isPassing(error)) throw toUnavailable(name, error);
        if (performance.now() >= giveUpAt) throw toUnavailable(name, error, busyTimeoutMs);
      }
      await delay(pause * (0.5 + Math.random() / 2), undefined, signal === undefined ? {} : { signal });
    }
  }

  async function attempt<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    giveUpAt: number,
  ): Promise<T> {
    const client = await connect();
    let fault: unknown;
    try {
      // Several statements at once give a list of results.
      const began = (await client.query(begin)) as unknown as pg.QueryResult<{ xid?: string }>[];
      const result = await work(createSession(client));
      try {
        await client.query("COMMIT");
      } catch (error) {
        const xid = began.at(-1)?.rows[0]?.xid;
        if (!isLost(error) || xid === undefined || !(await isCommitted(xid, giveUpAt))) throw error;
        fault = error;
      }
      return result;
    } catch (error) {
      fault = await rollBack(client, error);
      throw error;
    } finally {
      client.release(fault !== undefined && isLost(fault));
    }
  }

  async function connect(): Promise<pg.PoolClient> {
    try {
      return await pool.connect();
    } catch (error) {
      if (isPassing(error)) throw error;
      const known = toUnavailable(name, error);
      if (known instanceof SkillgraphError) throw known;
      const detail = toMessage(error);
      const reason = /password must be a string/.test(detail)
        ? "it wants a password: set PGPASSWORD, or keep one in ~/.pgpass"
        : `it cannot be connected to (${detail})`;
      throw createUnavailable(name, reason, error);
    }
  }

  /** Whether a transaction whose COMMIT got no reply was kept: a second try must not do it twice. */
  async function isCommitted(xid: string, giveUpAt: number): Promise<boolean> {
    for (;;) {
      try {
        const { rows } = await pool.query("SELECT pg_xact_status($1::xid8) AS status", [xid]);
        const status: unknown = rows[0]?.status;
        if (status === "committed" || status === "aborted") return status === "committed";
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
      if (performance.now() >= giveUpAt) {
        throw createUnavailable(name, "the connection was lost, and it is not known what was kept");
      }
      await delay(LONGEST_PAUSE_MS / 2);
    }
  }
}

function createPool(driver: typeof pg, { url }: PostgresPlace, busyTimeoutMs: number): pg.Pool {
  const pool = new driver.Pool({
    connectionString: url,
    application_name: "skillgraph",
    connectionTimeoutMillis: Math.min(CONNECT_MS, busyTimeoutMs),
    keepAlive: true,
    // Waiting for a lock ends by itself before that. A network that is cut says nothing, ever.
    query_timeout: 2 * busyTimeoutMs,
    // An idle connection must not keep the program from ending.
    allowExitOnIdle: true,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 && format !== "binary" ? Number : driver.types.getTypeParser(oid, format as "text"),
    } as pg.CustomTypesConfig,
  });
  // A connection that dies between two statements says so here; the next statement finds out by itself.
  const ignore = () => undefined;
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  return pool;
}

function createSession(client: pg.PoolClient): Session {
  return {
    run: async (sql, ...cells) => (await client.query(sql, cells)).rowCount ?? 0,
    get: async <T>(sql: string, ...cells: unknown[]) =>
      (await client.query(sql, cells)).rows[0] as T | undefined,
    all: async <T>(sql: string, ...cells: unknown[]) => (await client.query(sql, cells)).rows as T[],
  };
}

/** Ends a failed transaction. Returns what tells whether the connection is still good. */
async function rollBack(client: pg.PoolClient, error: unknown): Promise<unknown> {
  if (isLost(error)) return error;
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (second) {
    // The first error is the one to tell.
    return second;
  }
}

async function loadDriver(name: string): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw createUnavailable(name, `the PostgreSQL driver "pg" cannot be loaded (${toMessage(error)})`, error);
  }
}
