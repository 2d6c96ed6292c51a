import { END, MessagesDeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { describeStores } from "./stores.ts";
import { createTestGraph, onThread, readTexts, say } from "./test-graph.ts";

describeStores(({ open }) => {
  describe("delta channels", () => {
    it("are rebuilt across many turns, snapshots and a reopening", async () => {
      const { saver, place } = await open();
      const state = new StateSchema({ messages: MessagesDeltaValue });
      const createGraph = (checkpointer: typeof saver) =>
        new StateGraph(state)
          .addNode("answer", ({ messages }) => ({
            messages: [{ role: "assistant", content: `n${messages.length}` }],
          }))
          .addEdge(START, "answer")
          .addEdge("answer", END)
          .compile({ checkpointer });
      const graph = createGraph(saver);
      for (let turn = 0; turn < 70; turn += 1) await graph.invoke(say(`q${turn}`), onThread("t"));
      const later = createGraph((await open(place)).saver);
      const { values } = await later.getState(onThread("t"));
      const texts = values.messages.map((message: { text: string }) => message.text);
      expect(texts).toEqual(Array.from({ length: 70 }, (_, turn) => [`q${turn}`, `n${2 * turn + 1}`]).flat());
    });

    it("a message that was removed by its id stays removed", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver);
      const { messages } = await graph.invoke(say("a"), onThread("t"));
      await graph.updateState(
        onThread("t"),
        { messages: [{ role: "remove", id: messages[0]?.id, content: "" }] },
        "second",
      );
      expect(await readTexts(graph, "t")).toEqual(["done"]);
    });

    it("of a thread that forked, each branch is rebuilt from its own past", async () => {
      const { saver } = await open();
      const graph = createTestGraph(saver, (last) => `to ${last}`);
      for (const text of ["a", "b", "c"]) await graph.invoke(say(text), onThread("t"));
      const history = [];
      for await (const snapshot of graph.getStateHistory(onThread("t"))) history.push(snapshot);
      const old = history.find(({ next, values }) => next.length === 0 && values.messages.length === 2);
      await graph.invoke(say("x"), onThread("t", old?.config.configurable?.checkpoint_id));
      expect(await readTexts(graph, "t")).toEqual(["a", "to a", "x", "to x"]);
      for (const { config, values } of history) {
        const again = await graph.getState(onThread("t", config.configurable?.checkpoint_id));
        expect(again.values).toEqual(values);
      }
    });
  });
});
