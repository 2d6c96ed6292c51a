import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";
import { describeStores } from "./stores.ts";
import { createGate, createTestGraph, onThread, readTexts, readTogether, say } from "./test-graph.ts";

const conflict = { code: "thread-conflict" };

describeStores(({ open }) => {
  describe("two runs on one thread", () => {
    it("E3: of four runs that begin a thread together, one goes on and three get thread-conflict", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver);
      const runs = ["a", "b", "c", "d"].map((text) => graph.invoke(say(text), onThread("t")));
      const settled = await Promise.allSettled(runs);
      const lost = settled.filter((run) => run.status === "rejected");
      expect(lost.map((run) => run.reason)).toEqual(Array(3).fill(expect.objectContaining(conflict)));
      const won = settled.find((run) => run.status === "fulfilled");
      const texts = won?.value.messages.map((message: { text: string }) => message.text);
      expect(await readTexts(graph, "t")).toEqual(texts);
    });

    it("E3: of four runs on a thread with a history, one goes on and the history holds its message alone", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      await graph.invoke(say("zero"), onThread("t"));
      const settled = await Promise.allSettled(
        ["a", "b", "c", "d"].map((text) => graph.invoke(say(text), onThread("t"))),
      );
      const won = settled.filter((run) => run.status === "fulfilled");
      expect(won).toHaveLength(1);
      const texts = won[0]?.value.messages.map((message: { text: string }) => message.text);
      expect(await readTexts(graph, "t")).toEqual(texts);
      expect(texts).toEqual(["zero", "to zero", expect.any(String), expect.stringMatching(/^to [a-d]$/)]);
    });

    it("E3: the runs may belong to two openings of the place", async () => {
      const one = await open();
      const two = await open(one.place);
      const graphs = [createTestGraph(one.saver), createTestGraph(two.saver)] as const;
      await graphs[0].invoke(say("zero"), onThread("t"));
      const settled = await Promise.allSettled([
        graphs[0].invoke(say("a"), onThread("t")),
        graphs[1].invoke(say("b"), onThread("t")),
      ]);
      const won = settled.filter((run) => run.status === "fulfilled");
      expect(won).toHaveLength(1);
      expect(settled.find((run) => run.status === "rejected")?.reason).toMatchObject(conflict);
      expect(await readTexts(graphs[1], "t")).toEqual(
        won[0]?.value.messages.map((m: { text: string }) => m.text),
      );
    });

    it("a run that slept while another one finished is refused and leaves no trace", async () => {
      const { saver } = await open();
      const { opened, open: letGo } = createGate();
      const slow = createTestGraph(saver, () => opened.then(() => "slow"));
      const quick = createTestGraph(saver, () => "quick");
      const sleeping = slow.invoke(say("a"), onThread("t"));
      const refused = expect(sleeping).rejects.toMatchObject(conflict);
      await vi.waitFor(async () => expect((await slow.getState(onThread("t"))).next).toEqual(["second"]));
      await quick.invoke(say("b"), onThread("t"));
      const before = await readTexts(quick, "t");
      letGo();
      await refused;
      expect(await readTexts(quick, "t")).toEqual(before);
      await quick.invoke(say("c"), onThread("t"));
      expect(await readTexts(quick, "t")).toEqual([...before, "c", "quick"]);
    });

    it("a run whose thread was deleted and begun again is refused", async () => {
      const { saver } = await open();
      const { opened, open: letGo } = createGate();
      const slow = createTestGraph(saver, () => opened.then(() => "slow"));
      const refused = expect(slow.invoke(say("a"), onThread("t"))).rejects.toMatchObject(conflict);
      await vi.waitFor(async () => expect((await slow.getState(onThread("t"))).next).toEqual(["second"]));
      await saver.deleteThread("t");
      await createTestGraph(saver).invoke(say("b"), onThread("t"));
      letGo();
      await refused;
      expect(await readTexts(slow, "t")).toEqual(["b", "done"]);
    });

    it("an update while a run works makes the run end in thread-conflict", async () => {
      const { saver } = await open();
      const { opened, open: letGo } = createGate();
      const slow = createTestGraph(saver, () => opened.then(() => "slow"));
      const refused = expect(slow.invoke(say("a"), onThread("t"))).rejects.toMatchObject(conflict);
      await vi.waitFor(async () => expect((await slow.getState(onThread("t"))).next).toEqual(["second"]));
      await slow.updateState(onThread("t"), { messages: [{ role: "user", content: "edited" }] }, "second");
      letGo();
      await refused;
      expect(await readTexts(slow, "t")).toEqual(["a", "edited"]);
    });

    it("two updates of one state do not overwrite each other silently", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver);
      await graph.invoke(say("a"), onThread("t"));
      readTogether(saver, 2);
      const settled = await Promise.allSettled([
        graph.updateState(onThread("t"), { steps: 10 }, "first"),
        graph.updateState(onThread("t"), { steps: 20 }, "first"),
      ]);
      expect(settled.map((update) => update.status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("two updates that begin a thread together do not overwrite each other silently", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver);
      readTogether(saver, 2);
      const settled = await Promise.allSettled([
        graph.updateState(onThread("t"), { steps: 10 }, "first"),
        graph.updateState(onThread("t"), { steps: 20 }, "first"),
      ]);
      expect(settled.map((update) => update.status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(settled.find((update) => update.status === "rejected")?.reason).toMatchObject(conflict);
    });

    it("a run that began the thread is refused when another one only wrote to its checkpoint", async () => {
      const { saver } = await open();
      const [one, other] = [1, 2].map(() => ({ ...onThread("t"), control: {} }));
      const metadata = { source: "loop", step: 0, parents: {} } as const;
      expect(await saver.getTuple(one!)).toBeUndefined();
      const first = { ...one, ...(await saver.put(one!, emptyCheckpoint(), metadata, {})) };
      const read = await saver.getTuple(other!);
      await saver.putWrites({ ...other, ...read?.config }, [["messages", "other's"]], "input");
      const next = saver.put(first, { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
      await expect(next).rejects.toMatchObject(conflict);
    });

    it.each(["sync", "async", "exit"] as const)(
      "many turns with durability %s run without a conflict",
      async (durability) => {
        const { saver } = await open();
        const graph = createTestGraph(saver, (last) => `to ${last}`);
        for (const text of ["a", "b", "c"]) await graph.invoke(say(text), { ...onThread("t"), durability });
        expect(await readTexts(graph, "t")).toEqual(["a", "to a", "b", "to b", "c", "to c"]);
      },
    );
  });

  describe("callers who are no run", () => {
    const metadata = { source: "loop", step: 0, parents: {} } as const;

    it("writes to a checkpoint that was continued are refused", async () => {
      const { saver } = await open();
      const first = await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
      await saver.put(first, { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
      await expect(saver.putWrites(first, [["a", 1]], "task")).rejects.toMatchObject(conflict);
    });

    it("a checkpoint after one that was continued is refused", async () => {
      const { saver } = await open();
      const first = await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
      await saver.put(first, { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
      const late = saver.put(first, { ...emptyCheckpoint(), id: uuid6(2) }, metadata, {});
      await expect(late).rejects.toMatchObject(conflict);
    });

    it("a checkpoint that was continued is not put once more, and stays as it is", async () => {
      const { saver } = await open();
      const checkpoint = emptyCheckpoint();
      const first = await saver.put(onThread("t"), checkpoint, metadata, {});
      const head = await saver.put(first, { ...emptyCheckpoint(), id: uuid6(1) }, metadata, {});
      const again = saver.put(onThread("t"), checkpoint, { ...metadata, step: 7 }, {});
      await expect(again).rejects.toMatchObject(conflict);
      expect((await saver.getTuple(first))?.metadata?.step).toBe(0);
      expect((await saver.getTuple(onThread("t")))?.config.configurable).toEqual(head.configurable);
    });

    it("writes may come before their checkpoint", async () => {
      const { saver } = await open();
      const checkpoint = emptyCheckpoint();
      const config = onThread("t", checkpoint.id);
      await saver.putWrites(
        { configurable: { ...config.configurable, checkpoint_ns: "" } },
        [["a", 1]],
        "task",
      );
      expect(await saver.getTuple(onThread("t"))).toBeUndefined();
      await saver.put(onThread("t"), checkpoint, metadata, {});
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", 1]]);
    });

    it("the head put once more is replaced, with its writes kept", async () => {
      const { saver } = await open();
      const checkpoint = emptyCheckpoint();
      const config = await saver.put(onThread("t"), checkpoint, metadata, {});
      await saver.putWrites(config, [["a", 1]], "task");
      await saver.put(onThread("t"), checkpoint, { ...metadata, step: 7 }, {});
      const tuple = await saver.getTuple(onThread("t"));
      expect(tuple?.metadata?.step).toBe(7);
      expect(tuple?.pendingWrites).toEqual([["task", "a", 1]]);
    });
  });
});
