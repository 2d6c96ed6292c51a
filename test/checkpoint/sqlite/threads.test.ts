import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createThreadIndex } from "../../../src/checkpoint/sqlite/threads.ts";
import { openTestSaver } from "../support.ts";
import { createTestGraph, onThread, say } from "../test-graph.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function openThreads() {
  const { saver, database } = await openTestSaver();
  return { saver, database, graph: createTestGraph(saver), threads: createThreadIndex(database) };
}

describe("createThreadIndex", () => {
  it("lists threads, the one that changed last first, whatever the clock says", async () => {
    const { graph, threads, saver } = await openThreads();
    expect(await threads.listThreads()).toEqual([]);
    await graph.invoke(say("a"), onThread("one"));
    await graph.invoke(say("a"), onThread("two"));
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-02-03T04:05:06.789Z") });
    await graph.invoke(say("b"), onThread("one"));
    const listed = await threads.listThreads();
    expect(listed.map((entry) => entry.threadId)).toEqual(["one", "two"]);
    expect(listed[0]?.updatedAt).toBe("2001-02-03T04:05:06.789Z");
    expect(listed[0]?.checkpointId).toBe((await saver.getTuple(onThread("one")))?.checkpoint.id);
  });

  it("knows a thread by its whole id and by a prefix in which nothing is a wildcard", async () => {
    const { saver, threads } = await openThreads();
    const metadata = { source: "loop", step: 0, parents: {} } as const;
    for (const id of ["abc", "ab%", "a_x", "ABC", "é1"])
      await saver.put(onThread(id), emptyCheckpoint(), metadata, {});
    expect(await threads.hasThread("abc")).toBe(true);
    expect(await threads.hasThread("ab")).toBe(false);
    expect(await threads.findThreads("ab")).toEqual(["ab%", "abc"]);
    expect(await threads.findThreads("ab%")).toEqual(["ab%"]);
    expect(await threads.findThreads("_")).toEqual([]);
    expect(await threads.findThreads("é")).toEqual(["é1"]);
    expect(await threads.findThreads("")).toHaveLength(5);
  });

  it("deletes one thread with all its namespaces and facts, and no other", async () => {
    const { saver, threads, database } = await openThreads();
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

  it("keeps facts about a thread, also before its first checkpoint", async () => {
    const { threads } = await openThreads();
    expect(await threads.getThreadInfo("t")).toEqual({});
    await threads.setThreadInfo("t", { name: "Tidy up", other: "1" });
    await threads.setThreadInfo("t", { name: "Tidy 'up' more" });
    await threads.setThreadInfo("t", { __proto__x: "2" });
    expect(await threads.getThreadInfo("t")).toEqual({ name: "Tidy 'up' more", other: "1", __proto__x: "2" });
    expect(await threads.hasThread("t")).toBe(false);
  });

  it("tells how much the file holds", async () => {
    const { graph, threads } = await openThreads();
    await graph.invoke(say("a"), onThread("t"));
    const size = await threads.readSize();
    expect(size).toMatchObject({ threads: 1, checkpoints: 4 });
    expect(size.bytes).toBeGreaterThan(10_000);
  });
});
