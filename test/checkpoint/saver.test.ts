import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { emptyCheckpoint, INTERRUPT, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { describeStores } from "./stores.ts";
import { onThread } from "./test-graph.ts";

const metadata = { source: "loop", step: 0, parents: {} } as const;

function makeCheckpoint(values: Record<string, unknown>, versions: Record<string, number>, step = 0) {
  return { ...emptyCheckpoint(), id: uuid6(step), channel_values: values, channel_versions: versions };
}

describeStores(({ open }) => {
  describe("values", () => {
    it.each([
      ["text with NUL, emoji and a lone surrogate", "a\0b 😀 \ud800"],
      ["null", null],
      ["false", false],
      ["nothing", ""],
      ["a deep object", { a: [{ b: { c: [1, 2, { d: "é" }] } }] }],
    ])("%s comes back as it was, from a channel and from a write", async (_name, value) => {
      const { saver } = await open();
      const config = await saver.put(onThread("t"), makeCheckpoint({ a: value }, { a: 1 }), metadata, {
        a: 1,
      });
      await saver.putWrites(config, [["a", value]], "task");
      const tuple = await saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values.a).toEqual(value);
      expect(tuple?.pendingWrites).toEqual([["task", "a", value]]);
    });

    it.each([
      ["a map", new Map([["k", 1]]), /^"a\.parts\[1\]\.when" cannot be kept: it is a Map\./],
      ["bytes", new Uint8Array([0]), /^"a\.parts\[1\]\.when" cannot be kept: it is a Uint8Array\./],
      ["a cycle", "cycle", /^"a\.parts\[1\]\.when" cannot be kept: it is an object that holds itself\./],
    ])(
      "%s is refused by its place, in a channel and in a write, and nothing is kept",
      async (_name, odd, words) => {
        const { saver } = await open();
        const value = { parts: [{}, { when: odd as unknown }] };
        if (odd === "cycle") value.parts[1]!.when = value;
        const good = await saver.put(onThread("t"), makeCheckpoint({ a: 1 }, { a: 1 }), metadata, { a: 1 });
        const refusal = { code: "state-not-plain", message: expect.stringMatching(words) };
        const next = makeCheckpoint({ a: value }, { a: 2 }, 1);
        await expect(saver.put(good, next, metadata, { a: 2 })).rejects.toMatchObject(refusal);
        await expect(saver.putWrites(good, [["a", value]], "task")).rejects.toMatchObject(refusal);
        const tuple = await saver.getTuple(onThread("t"));
        expect(tuple?.config).toEqual(good);
        expect(tuple?.pendingWrites).toEqual([]);
        expect(tuple?.checkpoint.channel_values).toEqual({ a: 1 });
      },
    );

    it.each(["__proto__", "constructor", "toString", 'a"b', "branch:to:x", "ключ"])(
      "a channel may be named %s",
      async (name) => {
        const { saver } = await open();
        const values = Object.fromEntries([[name, { x: 1 }]]);
        const versions = Object.fromEntries([[name, 1]]);
        const first = await saver.put(onThread("t"), makeCheckpoint(values, versions), metadata, versions);
        await saver.putWrites(first, [[name, 2]], "task");
        const second = await saver.put(first, makeCheckpoint(values, versions, 1), metadata, {});
        const tuple = await saver.getTuple(second);
        expect(Object.entries(tuple?.checkpoint.channel_values ?? {})).toEqual([[name, { x: 1 }]]);
        const history = await saver.getDeltaChannelHistory({ config: second, channels: [name] });
        expect(Object.entries(history)).toEqual([[name, { seed: { x: 1 }, writes: [["task", name, 2]] }]]);
      },
    );

    it("branches that give one version two values keep them apart", async () => {
      const { saver } = await open();
      const root = await saver.put(onThread("t"), makeCheckpoint({ a: 0, b: 0 }, { a: 1, b: 1 }), metadata, {
        a: 1,
        b: 1,
      });
      const left = await saver.put(root, makeCheckpoint({ a: "left", b: 0 }, { a: 2, b: 1 }, 1), metadata, {
        a: 2,
      });
      const old = await saver.getTuple(root);
      const fork = makeCheckpoint({ a: "right", b: 0 }, { a: 2, b: 1 }, 2);
      const right = await saver.put(old!.config, fork, { ...metadata, source: "fork" }, { a: 2 });
      expect((await saver.getTuple(left))?.checkpoint.channel_values).toEqual({ a: "left", b: 0 });
      expect((await saver.getTuple(right))?.checkpoint.channel_values).toEqual({ a: "right", b: 0 });
      const next = await saver.put(right, makeCheckpoint({ a: "right", b: 1 }, { a: 2, b: 2 }, 3), metadata, {
        b: 2,
      });
      expect((await saver.getTuple(next))?.checkpoint.channel_values).toEqual({ a: "right", b: 1 });
    });

    it("what changes after the call is not what is stored", async () => {
      const { saver } = await open();
      const value = { list: [1] };
      const stored = saver.put(onThread("t"), makeCheckpoint({ a: value }, { a: 1 }), metadata, { a: 1 });
      value.list.push(2);
      await stored;
      expect((await saver.getTuple(onThread("t")))?.checkpoint.channel_values.a).toEqual({ list: [1] });
    });
  });

  describe("writes", () => {
    it("E7: a pause does not take the place of what a finished sibling wrote", async () => {
      const { saver, place } = await open();
      const ran: string[] = [];
      const state = Annotation.Root({
        log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
      });
      const createGraph = (checkpointer: typeof saver) =>
        new StateGraph(state)
          .addNode("effect", () => {
            ran.push("effect");
            return { log: ["effect"] };
          })
          .addNode("ask", () => ({ log: [interrupt<string, string>("?")] }))
          .addEdge(START, "effect")
          .addEdge(START, "ask")
          .addEdge("effect", END)
          .addEdge("ask", END)
          .compile({ checkpointer });
      await createGraph(saver).invoke({ log: [] }, onThread("t"));
      const later = createGraph((await open(place)).saver);
      const result = await later.invoke(new Command({ resume: "yes" }), onThread("t"));
      expect(ran).toEqual(["effect"]);
      expect([...result.log].sort()).toEqual(["effect", "yes"]);
    });

    it("E7: a pause, an error and ordinary writes of one task stand side by side; only the pause is replaced", async () => {
      const { saver } = await open();
      const config = await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
      await saver.putWrites(
        config,
        [
          ["a", 1],
          ["b", 2],
        ],
        "task",
      );
      await saver.putWrites(config, [[INTERRUPT, "first"]], "task");
      await saver.putWrites(config, [[INTERRUPT, "second"]], "task");
      await saver.putWrites(config, [["a", "late"]], "task");
      await saver.putWrites(config, [["constructor", 3]], "other");
      expect((await saver.getTuple(config))?.pendingWrites).toEqual([
        ["other", "constructor", 3],
        ["task", INTERRUPT, "second"],
        ["task", "a", 1],
        ["task", "b", 2],
      ]);
    });

    it("they come in the order of their paths, then tasks, by code point", async () => {
      const { saver } = await open();
      const config = await saver.put(onThread("t"), emptyCheckpoint(), metadata, {});
      for (const [task, path] of [
        ["b", "~2"],
        ["a", "~2"],
        ["z", ""],
        ["é", "~1"],
        ["😀", "~1"],
        ["\uffee", "~1"],
      ] as const) {
        await saver.putWrites(config, [["a", task]], task, path);
      }
      const order = (await saver.getTuple(config))?.pendingWrites?.map(([task]) => task);
      expect(order).toEqual(["z", "é", "\uffee", "😀", "a", "b"]);
    });
  });

  describe("list", () => {
    it("gives the newest put first, within limit, before and filter", async () => {
      const { saver } = await open();
      let config: { configurable?: Record<string, unknown> } = onThread("t");
      const ids: string[] = [];
      for (let step = 0; step < 5; step += 1) {
        const checkpoint = makeCheckpoint({}, {}, step);
        ids.unshift(checkpoint.id);
        config = await saver.put(
          config,
          checkpoint,
          { ...metadata, step, source: step % 2 ? "loop" : "input" },
          {},
        );
      }
      const list = async (...[options]: [Parameters<typeof saver.list>[1]?]) => {
        const found: string[] = [];
        for await (const tuple of saver.list(onThread("t"), options)) found.push(tuple.checkpoint.id);
        return found;
      };
      expect(await list()).toEqual(ids);
      expect(await list({ limit: 2 })).toEqual(ids.slice(0, 2));
      expect(await list({ limit: 0 })).toEqual([]);
      expect(await list({ before: onThread("t", ids[1]) })).toEqual(ids.slice(2));
      expect(await list({ filter: { source: "loop" }, limit: 1 })).toEqual([ids[1]]);
      expect(await list({ filter: { parents: {} }, limit: 1 })).toEqual([ids[0]]);
      expect(await list({ filter: { toString: "x" } })).toEqual([]);
    });
  });
});
