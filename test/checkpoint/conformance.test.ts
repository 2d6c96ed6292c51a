import { rmSync } from "node:fs";
import { join } from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { type Database, openDatabase } from "../../src/checkpoint/sqlite/database.ts";
import { SqliteSaver } from "../../src/checkpoint/sqlite/sqlite-saver.ts";
import { makeFolder } from "./support.ts";

const opened = new Map<SqliteSaver, { database: Database; folder: string }>();

const initializer = {
  checkpointerName: "SqliteSaver",
  async createCheckpointer() {
    const folder = makeFolder();
    const database = await openDatabase(join(folder, "threads.db"));
    const saver = new SqliteSaver(database);
    opened.set(saver, { database, folder });
    return saver;
  },
  destroyCheckpointer(saver: SqliteSaver) {
    const known = opened.get(saver);
    known?.database.close();
    if (known !== undefined) rmSync(known.folder, { recursive: true });
    opened.delete(saver);
  },
};

validate(initializer);
deltaChannelHistoryTests(initializer);
