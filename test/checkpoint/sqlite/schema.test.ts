import { join } from "node:path";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { createLeases } from "../../../src/checkpoint/sqlite/sqlite-lease.ts";
import { createThreadIndex } from "../../../src/checkpoint/sqlite/threads.ts";
import { makeFolder, openTestDatabase } from "../support.ts";

/** The tables of 0.1.0, with a thread, its name and the lease of a process that is gone. */
const FIRST = `
  CREATE TABLE line (
    key INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL, ns TEXT NOT NULL, head INTEGER,
    stamp INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, UNIQUE (thread_id, ns));
  CREATE TABLE checkpoint (
    key INTEGER PRIMARY KEY AUTOINCREMENT, line INTEGER NOT NULL, id TEXT NOT NULL, parent INTEGER,
    body TEXT, refs TEXT, metadata_type TEXT, metadata BLOB, UNIQUE (line, id));
  CREATE INDEX checkpoint_by_line ON checkpoint (line);
  CREATE TABLE blob (
    key INTEGER PRIMARY KEY, line INTEGER NOT NULL, digest BLOB NOT NULL, type TEXT NOT NULL, value BLOB NOT NULL,
    UNIQUE (line, digest));
  CREATE TABLE pending (
    checkpoint INTEGER NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, task_path TEXT NOT NULL,
    channel TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (checkpoint, task_id, idx)) WITHOUT ROWID;
  CREATE TABLE thread_info (
    thread_id TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (thread_id, name)) WITHOUT ROWID;
  CREATE TABLE lease (
    thread_id TEXT PRIMARY KEY, life TEXT NOT NULL, machine TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
    start_time TEXT NOT NULL, since INTEGER NOT NULL, beat INTEGER NOT NULL, groups TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE store (id TEXT NOT NULL);
  INSERT INTO store VALUES ('0123456789abcdef0123456789abcdef');
  INSERT INTO line (thread_id, ns, head, updated_at) VALUES ('t', '', 1, 0);
  INSERT INTO checkpoint (line, id, body) VALUES (1, 'c', '{}');
  INSERT INTO thread_info VALUES ('t', 'name', 'old');
  INSERT INTO lease VALUES ('t', 'life', 'elsewhere', 'elsewhere', 1, '', 0, 0, '[]');
  PRAGMA application_id = 0x736b6c67; PRAGMA user_version = 1;`;

it("a file of the first format is brought up to date and keeps what is in it", async () => {
  const file = join(makeFolder(), "threads.db");
  const old = new Libsql(file);
  old.exec(FIRST);
  old.close();
  const database = await openTestDatabase(file);
  const threads = createThreadIndex(database);
  expect(await threads.listThreads()).toMatchObject([{ threadId: "t", checkpointId: "c" }]);
  expect(await threads.getThreadInfo("t")).toEqual({ name: "old" });
  expect(await threads.readStoreId()).toBe("0123456789abcdef0123456789abcdef");
  const leases = createLeases(database);
  expect(await leases.isHeld("t")).toBe(false);
  await leases.acquire("t", { who: "anna", request: "req-1" });
  // A second opening finds nothing to do, and sees who holds the thread.
  const other = createLeases(await openTestDatabase(file));
  await expect(other.acquire("t", { who: "ben" })).rejects.toThrow(/Z; it answers "req-1" for anna\.$/);
});
