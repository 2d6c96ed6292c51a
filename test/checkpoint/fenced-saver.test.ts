import { join } from "node:path";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { SqliteSaver } from "../../src/checkpoint/sqlite/sqlite-saver.ts";
import { makeFolder, openTestDatabase } from "./support.ts";
import { onThread } from "./test-graph.ts";

it("what a run still wants to write after a change of it was lost is not written later", async () => {
  const file = join(makeFolder(), "threads.db");
  const database = await openTestDatabase(file, 100);
  const saver = new SqliteSaver(database);
  const metadata = { source: "loop", step: 0, parents: {} } as const;
  const at = await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
  const toRun = () => Object.assign({ ...at }, { control: {} });
  const run = toRun();

  const other = new Libsql(file);
  other.exec("BEGIN IMMEDIATE");
  const lost = saver.putWrites(run, [["messages", "first"]], "a");
  const late = saver.putWrites(run, [["messages", "second"]], "b");
  await expect(lost).rejects.toMatchObject({ code: "checkpoint-unavailable" });
  other.exec("COMMIT");
  other.close();
  await expect(late).rejects.toMatchObject({ code: "checkpoint-unavailable" });
  expect(database.all("SELECT * FROM pending")).toEqual([]);

  // Another run is not concerned.
  await saver.putWrites(toRun(), [["messages", "third"]], "c");
  expect(database.all("SELECT * FROM pending")).toHaveLength(1);
});
