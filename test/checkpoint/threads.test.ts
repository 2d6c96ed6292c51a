import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { afterEach, describe, expect, it, vi } from "vitest";
import { describeStores } from "./stores.ts";
import { createTestGraph, onThread, say } from "./test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

afterEach(() => {
  vi.useRealTimers();
});

describeStores(({ open }) => {
  async function openThreads() {
    const store = await open();
    return { ...store, graph: createTestGraph(store.saver) };
  }

  describe("the thread index", () => {
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
      const { saver, threads } = await openThreads();
      for (const thread_id of ["one", "two"]) {
        for (const checkpoint_ns of ["", "sub:1"]) {
          const checkpoint = { ...emptyCheckpoint(), channel_values: { a: "v" } };
          const line = { configurable: { thread_id, checkpoint_ns } };
          const config = await saver.put(line, checkpoint, metadata, { a: 1 });
          await saver.putWrites(config, [["a", "w"]], "task");
        }
        await threads.setThreadInfo(thread_id, { name: "n" });
      }
      await threads.deleteThread("one");
      expect(await threads.hasThread("one")).toBe(false);
      expect(await threads.getThreadInfo("one")).toEqual({});
      for (const checkpoint_ns of ["", "sub:1"]) {
        expect(await saver.getTuple({ configurable: { thread_id: "one", checkpoint_ns } })).toBeUndefined();
        const kept = await saver.getTuple({ configurable: { thread_id: "two", checkpoint_ns } });
        expect(kept?.pendingWrites).toEqual([["task", "a", "w"]]);
      }
      await threads.deleteThread("never there");
      expect((await threads.listThreads()).map((entry) => entry.threadId)).toEqual(["two"]);
      expect(await threads.readSize()).toMatchObject({ threads: 1, checkpoints: 2 });
    });

    it("keeps facts about a thread, also before its first checkpoint", async () => {
      const { threads } = await openThreads();
      expect(await threads.getThreadInfo("t")).toEqual({});
      await threads.setThreadInfo("t", { name: "Tidy up", other: "1" });
      await threads.setThreadInfo("t", { name: "Tidy 'up' more" });
      await threads.setThreadInfo("t", { __proto__x: "2" });
      expect(await threads.getThreadInfo("t")).toEqual({
        name: "Tidy 'up' more",
        other: "1",
        __proto__x: "2",
      });
      expect(await threads.hasThread("t")).toBe(false);
    });

    it("tells how much is kept", async () => {
      const { graph, threads } = await openThreads();
      await graph.invoke(say("a"), onThread("t"));
      const size = await threads.readSize();
      expect(size).toMatchObject({ threads: 1, checkpoints: 4 });
      expect(size.bytes).toBeGreaterThan(10_000);
    });

    it("has a random name of 32 digits that stays", async () => {
      const one = await open();
      const id = await one.threads.readStoreId();
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(await (await open(one.place)).threads.readStoreId()).toBe(id);
      expect(await (await open()).threads.readStoreId()).not.toBe(id);
    });
  });
});
