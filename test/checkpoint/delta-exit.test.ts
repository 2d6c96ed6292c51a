import {
  type BaseCheckpointSaver,
  DeltaValue,
  END,
  MessagesDeltaValue,
  MessagesValue,
  messagesDeltaReducer,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { describeStores } from "./stores.ts";
import { onThread, say } from "./test-graph.ts";

/** A value that is written whole at every third update. */
const often = new DeltaValue(MessagesDeltaValue.valueSchema, {
  reducer: messagesDeltaReducer,
  snapshotFrequency: 3,
});

function createGraph(saver: BaseCheckpointSaver, messages: typeof MessagesValue) {
  return new StateGraph(new StateSchema({ messages }))
    .addNode("answer", ({ messages: [...all] }) => ({
      messages: [{ role: "assistant", content: `to ${all.at(-1)?.text}` }],
    }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });
}

async function readTexts(graph: ReturnType<typeof createGraph>): Promise<string[]> {
  const { values } = await graph.getState(onThread("t"));
  return [...values.messages].map(({ text }) => text);
}

describeStores(({ open }) => {
  describe("a thread with delta channels", () => {
    it.each([
      ["never whole", MessagesDeltaValue],
      ["whole now and then", often],
    ])("is gone on with by a graph of plain channels, and by the first again: %s", async (_title, value) => {
      const { saver } = await open();
      const delta = createGraph(saver, value as unknown as typeof MessagesValue);
      const plain = createGraph(saver, MessagesValue);
      const said: string[] = [];
      for (const [turn, graph] of [delta, delta, delta, plain, plain, delta, plain].entries()) {
        await graph.invoke(say(`${turn}`), onThread("t"));
        said.push(`${turn}`, `to ${turn}`);
        expect(await readTexts(delta)).toEqual(said);
        expect(await readTexts(plain)).toEqual(said);
      }
    });
  });
});
