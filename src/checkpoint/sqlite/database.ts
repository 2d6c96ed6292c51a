import { closeSync, existsSync, openSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type Libsql from "libsql";
import { toMessage } from "../../errors.ts";
import { makeFolder } from "../../tools/files/make-folder.ts";
import type { BusyOptions } from "../busy-options.ts";
import { createUnavailable } from "../unavailable.ts";
import { whenFree } from "./busy.ts";
import { isBusy, readSqliteCode, toUnavailable } from "./faults.ts";
import { findObstacle, isOutdated, migrate } from "./schema.ts";

/** What a column can hold. */
export type Cell = string | number | Uint8Array | null;

/** One open SQLite file. Statements run inside `read` or `write`, which never stop the event loop for a lock. */
export interface Database {
  /** The path as it was given, or `:memory:`. */
  readonly file: string;
  run: (sql: string, ...cells: Cell[]) => number;
  get: <T>(sql: string, ...cells: Cell[]) => T | undefined;
  all: <T>(sql: string, ...cells: Cell[]) => T[];
  exec: (sql: string) => void;
  /** Runs `work` on one consistent state of the file. */
  read: <T>(work: () => T, options?: { signal?: AbortSignal }) => Promise<T>;
  /**
   * Runs `work` in a write transaction: all of it is kept, or nothing. With `mayFade` the disk is not waited for: a power
   * cut, though not the end of a process, may take it back.
   */
  write: <T>(work: () => T, options?: { signal?: AbortSignal; mayFade?: boolean }) => Promise<T>;
  /** Closes the file; calls after it fail. */
  close: () => void;
}

/**
 * Opens a SQLite file, making it (mode 0600) and its folder (0700) where they are missing.
 *
 * @param file - A path, or `:memory:`.
 * @throws SkillgraphError `checkpoint-unavailable` naming the file: it cannot be made, opened or written, is
 * locked, is no database or another program's, or was written by a newer version.
 */
export async function openDatabase(file: string, options: BusyOptions = {}): Promise<Database> {
  const Connection = await loadDriver(file);
  if (file !== ":memory:") makeFile(file);
  const database = connect(file, Connection, options);
  try {
    await whenFree(file, () => prepareFile(database), options);
    if (isOutdated(database)) await database.write(() => migrate(database));
    return database;
  } catch (error) {
    database.close();
    throw toUnavailable(file, error);
  }
}

function connect(file: string, Connection: typeof Libsql, options: BusyOptions): Database {
  const connection = open(file, Connection);
  const path = file === ":memory:" ? undefined : resolve(file);
  const identity = path && readIdentity(path);
  const statements = new Map<string, ReturnType<typeof connection.prepare>>();
  let isOpen = true;

  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };

  // Cells are always handed over as one array: the driver takes a lone Uint8Array for a set of names and aborts.
  const database: Database = {
    file,
    run: (sql, ...cells) => prepare(sql).run(cells).changes,
    get: <T>(sql: string, ...cells: Cell[]) => prepare(sql).get(cells) as T | undefined,
    all: <T>(sql: string, ...cells: Cell[]) => prepare(sql).all(cells) as T[],
    exec: (sql) => void connection.exec(sql),
    read: (work, more) => transact("BEGIN", work, more),
    write: (work, more) => {
      const checked = () => {
        // The system would write on in a file that nobody finds again, and say that all is well.
        if (path !== undefined && readIdentity(path) !== identity)
          throw createUnavailable(file, "it was deleted or replaced while it was open");
        return work();
      };
      return transact("BEGIN IMMEDIATE", checked, more);
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      moveLogIntoFile(connection);
      statements.clear();
      connection.close();
    },
  };
  return database;

  async function transact<T>(
    begin: string,
    work: () => T,
    { mayFade = false, ...more }: { signal?: AbortSignal; mayFade?: boolean } = {},
  ): Promise<T> {
    const once = () => attempt(begin, work);
    try {
      return await whenFree(file, mayFade ? () => unhurried(once) : once, { ...options, ...more });
    } catch (error) {
      throw toUnavailable(file, error);
    }
  }

  /** Nothing else runs in between: a transaction is one piece of work of this thread. */
  function unhurried<T>(once: () => T): T {
    if (!isOpen) return once();
    connection.exec("PRAGMA synchronous = NORMAL");
    try {
      return once();
    } finally {
      connection.exec("PRAGMA synchronous = FULL");
    }
  }

  function attempt<T>(begin: string, work: () => T): T {
    if (!isOpen) throw createUnavailable(file, "the file was closed");
    connection.exec(begin);
    try {
      const result = work();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (connection.inTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Which file a path leads to; undefined when it leads to none. */
function readIdentity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** The driver lets go of a file only when its statements are collected, so the log is not left to the closing. */
function moveLogIntoFile(connection: Libsql.Database): void {
  try {
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // Another process reads, or the disk is full: the log stays, and whoever opens the file next reads it.
    if (readSqliteCode(error) === undefined) throw error;
  }
}

function prepareFile(database: Database): void {
  const obstacle = findObstacle(database);
  if (obstacle !== undefined) throw createUnavailable(database.file, obstacle);
  // Lets the file shrink when threads are deleted; it has no effect once there are tables.
  database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.get("PRAGMA journal_mode = WAL");
  // With NORMAL a power cut could take back the newest commits, and with them the mark that a call has begun:
  // the call would run twice. FULL waits for the disk at every commit. A killed process loses nothing in either.
  database.exec("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0");
}

function open(file: string, Connection: typeof Libsql): Libsql.Database {
  try {
    return new Connection(file, { timeout: 0 });
  } catch (error) {
    if (isBusy(error) || readSqliteCode(error) !== undefined) throw toUnavailable(file, error);
    throw createUnavailable(file, `it cannot be opened (${toMessage(error)})`, error);
  }
}

async function loadDriver(file: string): Promise<typeof Libsql> {
  try {
    return (await import("libsql")).default;
  } catch (error) {
    const help = 'run "npm install --include=optional"';
    throw createUnavailable(
      file,
      `the SQLite driver "libsql" cannot be loaded (${toMessage(error)}); ${help}`,
      error,
    );
  }
}

function makeFile(file: string): void {
  const folder = dirname(file);
  try {
    makeFolder(folder);
    const ignore = join(folder, ".gitignore");
    if (basename(folder) === ".skillgraph" && !existsSync(ignore)) writeFileSync(ignore, "*\n");
    // SQLite would make it readable for everybody, and gives its own side files the mode of this one.
    closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw createUnavailable(file, `it cannot be made or written (${toMessage(error)})`, error);
  }
}
