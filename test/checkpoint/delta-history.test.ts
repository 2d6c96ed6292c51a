import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { HISTORY_KEY, KnownHistory } from "../../src/checkpoint/delta-history.ts";
import { openTestSaver } from "./support.ts";
import { createTestGraph, onThread, readTexts, say } from "./test-graph.ts";

interface Chunk {
  config: { configurable: { checkpoint_id: string } };
  values: Record<string, unknown>;
}

function under(history: KnownHistory, checkpoint?: string) {
  const { configurable } = onThread("t", checkpoint);
  return { configurable: { ...configurable, [HISTORY_KEY]: history } };
}

describe("what a run knows of a history", () => {
  it("says the same as the file, turn by turn, over forks and after what another process wrote", async () => {
    const { saver, file } = await openTestSaver();
    const graph = createTestGraph(saver, (last) => `to ${last}`);
    const other = createTestGraph((await openTestSaver(file)).saver, (last) => `other to ${last}`);
    const heads: string[] = [];
    let seed = 7;
    for (let turn = 0; turn < 16; turn += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const history = new KnownHistory();
      await graph.getState(under(history));
      if (turn > 0 && seed % 3 === 0) await other.invoke(say(`o${turn}`), onThread("t"));
      const old = seed % 5 === 0 ? heads[seed % heads.length] : undefined;
      const chunks = await graph.stream(say(`q${turn}`), {
        ...under(history, old),
        streamMode: ["checkpoints"],
      });
      for await (const [, { config, values }] of chunks as AsyncIterable<[string, Chunk]>) {
        const { checkpoint_id: id } = config.configurable;
        history.keepValues({ threadId: "t", ns: "", id }, values);
      }
      const known = await graph.getState(under(history));
      const fresh = await graph.getState(onThread("t"));
      expect(known.values).toEqual(fresh.values);
      expect(known.next).toEqual(fresh.next);
      heads.push(fresh.config.configurable?.checkpoint_id);
    }
    expect((await readTexts(graph, "t")).length).toBeGreaterThan(2);
  });

  it("is read once for one checkpoint, and again for the next", async () => {
    const { saver } = await openTestSaver();
    const graph = createTestGraph(saver);
    await graph.invoke({ messages: [new HumanMessage("a")] }, onThread("t"));
    const history = new KnownHistory();
    const { values } = await graph.getState(under(history));
    const again = await graph.getState(under(history));
    expect(again.values.messages[0]).toBe(values.messages[0]);
    expect((await graph.getState(onThread("t"))).values.messages[0]).not.toBe(values.messages[0]);
    await graph.invoke(say("b"), onThread("t"));
    const later = await graph.getState(under(history));
    expect(later.values.messages.map((message: { text: string }) => message.text)).toEqual([
      ...["a", "done", "b", "done"],
    ]);
  });

  it("nothing that a client puts in its place is taken for it", async () => {
    const { saver } = await openTestSaver();
    const graph = createTestGraph(saver);
    await graph.invoke(say("a"), onThread("t"));
    const made = { find: () => ({ messages: { writes: [] } }) };
    const { values } = await graph.getState({ configurable: { thread_id: "t", [HISTORY_KEY]: made } });
    expect(values.messages).toHaveLength(2);
  });
});
