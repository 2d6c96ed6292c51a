import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { SkillgraphError, toMessage } from "../../errors.ts";
import type { BusyOptions } from "../busy-options.ts";
import type { PostgresPlace } from "../checkpoint-url.ts";
import { tellWhenSlow } from "../slow-wait.ts";
import { createUnavailable } from "../unavailable.ts";
import { isLost, isPassing, toUnavailable } from "./faults.ts";
import { connectOnce, createReach, type Reach } from "./reach.ts";

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
/** For making a connection, and for statements that wait for nothing. */
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
  const driver = await loadDriver(name);
  const connectMs = Math.min(CONNECT_MS, busyTimeoutMs);
  const pool = createPool(driver, place, { connectMs, busyTimeoutMs });
  const reach = createReach((withinMs) => connectOnce(driver, place.url, withinMs), busyTimeoutMs);
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
    signal?.throwIfAborted();
    return tellWhenSlow(name, () => tryOften(begin, work, signal));
  }

  async function tryOften<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // A clock that is set back or forward must neither prolong nor cut the wait.
    const giveUpAt = performance.now() + busyTimeoutMs;
    const known = await reach.findFault();
    if (known !== undefined) throw toUnavailable(name, known);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      signal?.throwIfAborted();
      if (closed !== undefined) throw createUnavailable(name, "the connection was closed");
      try {
        const result = await attempt(begin, work, giveUpAt);
        reach.restore();
        return result;
      } catch (error) {
        if (!isPassing(error)) throw toUnavailable(name, error);
        if (performance.now() >= giveUpAt) {
          if (isLost(error)) reach.giveUp(error);
          throw toUnavailable(name, error, busyTimeoutMs);
        }
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
      const began = (await client.query(limit(begin))) as unknown as pg.QueryResult<{ xid?: string }>[];
      const result = await work(createSession(client, reach));
      try {
        await reach.listen(client.query("COMMIT"));
      } catch (error) {
        if (isLost(error)) fault = error;
        const xid = began.at(-1)?.rows[0]?.xid;
        if (fault === undefined || xid === undefined || !(await isCommitted(xid, giveUpAt))) throw error;
      }
      return result;
    } catch (error) {
      fault ??= isLost(error) ? error : await rollBack(client);
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
      let fault = await reach.findFault();
      try {
        if (fault === undefined) {
          const ask = limit("SELECT pg_xact_status($1::xid8) AS status");
          const status: unknown = (await pool.query(ask, [xid])).rows[0]?.status;
          if (status === "committed" || status === "aborted") return status === "committed";
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
        fault = error;
      }
      if (performance.now() >= giveUpAt) {
        if (isLost(fault)) reach.giveUp(fault);
        throw createUnavailable(name, "the connection was lost, and it is not known what was kept");
      }
      await delay(LONGEST_PAUSE_MS / 2);
    }
  }

  /** Ends a failed transaction. Returns what went wrong with the connection. */
  async function rollBack(client: pg.PoolClient): Promise<unknown> {
    try {
      await client.query(limit("ROLLBACK"));
      return undefined;
    } catch (second) {
      // The first error is the one to tell.
      return second;
    }
  }

  /** A statement that waits for nothing, and so is answered as soon as a connection is made. */
  function limit(text: string): pg.QueryConfig {
    return { text, query_timeout: connectMs } as pg.QueryConfig;
  }
}

function createPool(
  driver: typeof pg,
  { url }: PostgresPlace,
  { connectMs, busyTimeoutMs }: { connectMs: number; busyTimeoutMs: number },
): pg.Pool {
  const pool = new driver.Pool({
    connectionString: url,
    application_name: "skillgraph",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // Waiting for a lock ends by itself before that.
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

function createSession(client: pg.PoolClient, reach: Reach): Session {
  const query = (sql: string, cells: unknown[]) => reach.listen(client.query(sql, cells));
  return {
    run: async (sql, ...cells) => (await query(sql, cells)).rowCount ?? 0,
    get: async <T>(sql: string, ...cells: unknown[]) => (await query(sql, cells)).rows[0] as T | undefined,
    all: async <T>(sql: string, ...cells: unknown[]) => (await query(sql, cells)).rows as T[],
  };
}

async function loadDriver(name: string): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw createUnavailable(name, `the PostgreSQL driver "pg" cannot be loaded (${toMessage(error)})`, error);
  }
}
