import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { createThreadIndex } from "../../../src/checkpoint/sqlite/threads.ts";
import { openTestSaver } from "../support.ts";

describe("createThreadIndex", () => {
  it("deletes one thread with all its namespaces and facts, and no other", async () => {
    const { saver, database } = await openTestSaver();
    const threads = createThreadIndex(database);
    const metadata = { source: "loop", step: 0, parents: {} } as const;
    for (const thread_id of ["one", "two"]) {
      for (const checkpoint_ns of ["", "sub:1"]) {
        const checkpoint = { ...emptyCheckpoint(), channel_values: { a: "v" } };
        const config = await saver.put({ configurable: { thread_id, checkpoint_ns } }, checkpoint, metadata, {
          a: 1,
        });
        await saver.putWrites(config, [["a", "w"]], "task");
      }
      await threads.setThreadInfo(thread_id, { name: "n" });
    }
    const count = () =>
      ["line", "checkpoint", "pending", "blob", "thread_info"].map(
        (table) => database.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count,
      );
    const before = count();
    await threads.deleteThread("one");
    expect(count()).toEqual(before.map((number) => Number(number) / 2));
    expect(await threads.hasThread("one")).toBe(false);
    expect(await threads.getThreadInfo("one")).toEqual({});
    await threads.deleteThread("never there");
    expect((await threads.listThreads()).map((entry) => entry.threadId)).toEqual(["two"]);
  });
});
