import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Database, openDatabase } from "../../src/checkpoint/sqlite/database.ts";
import { SqliteSaver } from "../../src/checkpoint/sqlite/sqlite-saver.ts";

const folders: string[] = [];
const databases: Database[] = [];

afterAll(() => {
  for (const database of databases) database.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder, removed when the test file is done. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillgraph-checkpoint-"));
  folders.push(folder);
  return folder;
}

/** An open database, closed when the test file is done. */
export async function openTestDatabase(file = join(makeFolder(), "threads.db"), busyTimeoutMs = 2_000) {
  const database = await openDatabase(file, { busyTimeoutMs });
  databases.push(database);
  return database;
}

/** A saver on a file of its own, or on the given one. */
export async function openTestSaver(file?: string) {
  const database = await openTestDatabase(file);
  return { database, saver: new SqliteSaver(database), file: database.file };
}
