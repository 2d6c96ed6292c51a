import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** What stands in a stored thread for the folder in which it ran. */
const PLACE = "/skillgraph-fixture/work";

const COLUMNS = [
  ["blob", "value"],
  ["checkpoint", "body"],
  ["checkpoint", "metadata"],
] as const;

export const storedFolder = fileURLToPath(new URL("../fixtures/threads", import.meta.url));

/** A thread as a release left it. */
export interface StoredThread {
  name: string;
  thread: string;
  status: "finished" | "waiting" | "stopped";
  kind?: string;
  messages: number;
}

/** Releases of which threads are stored. */
export function listStoredVersions(): string[] {
  return readdirSync(storedFolder);
}

/** The threads of a release. */
export function listStoredThreads(version: string): StoredThread[] {
  const text = readFileSync(join(storedFolder, version, "threads.json"), "utf8");
  return (JSON.parse(text) as { threads: StoredThread[] }).threads;
}

/** A workspace with the skills and the threads of a release, as if they had been made there. */
export function openStored(version: string): Workspace {
  const workspace = createWorkspace();
  const from = join(storedFolder, version);
  cpSync(join(from, "skills"), join(workspace.folder, "skills"), { recursive: true });
  mkdirSync(join(workspace.folder, ".skillgraph"));
  cpSync(join(from, "threads.db"), join(workspace.folder, ".skillgraph/threads.db"));
  editStored(workspace, (text) => text.replaceAll(PLACE, workspace.folder));
  return workspace;
}

/** Changes every stored text, as a person with an editor for databases would. */
export function editStored({ folder }: Workspace, change: (text: string) => string): void {
  const database = new Database(join(folder, ".skillgraph/threads.db"));
  for (const [table, column] of COLUMNS) {
    const rows = database.prepare(`SELECT key, ${column} AS value FROM ${table}`).all() as {
      key: number;
      value: string | ArrayBuffer | null;
    }[];
    for (const { key, value } of rows) {
      if (value === null) continue;
      const isText = typeof value === "string";
      const before = isText ? value : Buffer.from(value).toString("utf8");
      const after = change(before);
      if (after === before) continue;
      const stored = isText ? after : Buffer.from(after);
      database.prepare(`UPDATE ${table} SET ${column} = ? WHERE key = ?`).run(stored, key);
    }
  }
  database.close();
}
