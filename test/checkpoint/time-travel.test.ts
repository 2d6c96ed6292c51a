import { afterEach, describe, expect, it, vi } from "vitest";
import { describeStores } from "./stores.ts";
import { createGate, createTestGraph, onThread, readTexts, readTogether, say } from "./test-graph.ts";

const conflict = { code: "thread-conflict" };

afterEach(() => {
  vi.useRealTimers();
});

describeStores(({ open }) => {
  describe("time travel", () => {
    async function makeHistory() {
      const { saver } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("a"), onThread("t"));
      await graph.invoke(say("b"), onThread("t"));
      const history = [];
      for await (const snapshot of graph.getStateHistory(onThread("t"))) history.push(snapshot);
      return { graph, saver, history };
    }

    it("a run from an old checkpoint owns the head", async () => {
      const { graph, history } = await makeHistory();
      const old = history.find(
        (snapshot) => snapshot.next[0] === "second" && snapshot.values.messages.length === 1,
      );
      await graph.invoke(null, onThread("t", old?.config.configurable?.checkpoint_id));
      expect(await readTexts(graph, "t")).toEqual(["a", "to a"]);
      await graph.invoke(say("c"), onThread("t"));
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "c", "to c"]);
    });

    it.each(["sync", "async", "exit"] as const)(
      "a new message to an old checkpoint forks there (%s)",
      async (durability) => {
        const { graph, history } = await makeHistory();
        const old = history.find(
          (snapshot) => snapshot.next.length === 0 && snapshot.values.messages.length === 2,
        );
        await graph.invoke(say("c"), {
          ...onThread("t", old?.config.configurable?.checkpoint_id),
          durability,
        });
        expect(await readTexts(graph, "t")).toEqual(["a", "to a", "c", "to c"]);
      },
    );

    it("an update of an old checkpoint forks there", async () => {
      const { graph, history } = await makeHistory();
      const old = history.find(
        (snapshot) => snapshot.next.length === 0 && snapshot.values.messages.length === 2,
      );
      const edit = { messages: [{ role: "user", content: "edited" }] };
      const config = await graph.updateState(
        onThread("t", old?.config.configurable?.checkpoint_id),
        edit,
        "first",
      );
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "edited"]);
      await graph.invoke(null, config);
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "edited", "to edited"]);
    });

    it("a copy of any checkpoint holds the same values and becomes the head", async () => {
      const { graph, history } = await makeHistory();
      for (const old of history) {
        await graph.updateState(onThread("t", old.config.configurable?.checkpoint_id), null, "__copy__");
        const copy = await graph.getState(onThread("t"));
        expect(copy.values).toEqual(old.values);
        expect(copy.next).toEqual(old.next);
        expect(copy.metadata?.source).toBe("fork");
      }
    });

    it("the branch that was left stays readable", async () => {
      const { graph, history } = await makeHistory();
      await graph.invoke(say("c"), onThread("t", history.at(-1)?.config.configurable?.checkpoint_id));
      for (const old of history) {
        const again = await graph.getState(onThread("t", old.config.configurable?.checkpoint_id));
        expect(again.values).toEqual(old.values);
      }
    });

    it("a loop that is at work loses against a fork and not the other way round", async () => {
      const { saver, history } = await makeHistory();
      const { opened, open: letGo } = createGate();
      const slow = createTestGraph(saver, () => opened.then(() => "slow"));
      const refused = expect(slow.invoke(say("d"), onThread("t"))).rejects.toMatchObject(conflict);
      await vi.waitFor(async () => expect((await slow.getState(onThread("t"))).next).toEqual(["second"]));
      await slow.updateState(
        onThread("t", history.at(-2)?.config.configurable?.checkpoint_id),
        null,
        "__copy__",
      );
      letGo();
      await refused;
      expect((await slow.getState(onThread("t"))).metadata?.source).toBe("fork");
    });

    it("of two runs from one old checkpoint at once, one owns the head and the other is refused", async () => {
      const { graph, history, saver } = await makeHistory();
      const old = onThread("t", history.at(-2)?.config.configurable?.checkpoint_id);
      readTogether(saver, 2);
      const settled = await Promise.allSettled([graph.invoke(null, old), graph.invoke(null, old)]);
      expect(settled.map((run) => run.status).sort()).toEqual(["fulfilled", "rejected"]);
    });
  });

  describe("the clock", () => {
    it("set back, it neither hides new messages nor changes the order of the history", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("a"), onThread("t"));
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 86_400_000 });
      await graph.invoke(say("b"), onThread("t"));
      const head = await saver.getTuple(onThread("t"));
      const all = [];
      for await (const tuple of saver.list(onThread("t"))) all.push(tuple.checkpoint.id);
      // The premise: by id alone, the newest would be one of the first turn.
      expect([...all].sort().at(-1)).not.toBe(head?.checkpoint.id);
      expect(all[0]).toBe(head?.checkpoint.id);
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b"]);
      const steps = [];
      for await (const snapshot of graph.getStateHistory(onThread("t"))) steps.push(snapshot.metadata?.step);
      expect(steps).toEqual([...steps].sort((one, other) => Number(other) - Number(one)));
    });
  });
});
