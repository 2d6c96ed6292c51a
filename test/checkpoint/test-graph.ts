import {
  type BaseCheckpointSaver,
  END,
  MessagesDeltaValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { z } from "zod";

/** The config of a thread. */
export function onThread(threadId: string, checkpointId?: string) {
  return { configurable: { thread_id: threadId, ...(checkpointId ? { checkpoint_id: checkpointId } : {}) } };
}

/** A promise that is settled from outside. */
export function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Two steps that each add a message; `work` runs inside the second and adds its text. */
export function createTestGraph(
  checkpointer: BaseCheckpointSaver,
  work: (last: string) => unknown = () => "done",
) {
  const state = new StateSchema({ messages: MessagesDeltaValue, steps: z.number().default(0) });
  return new StateGraph(state)
    .addNode("first", ({ steps }) => ({ steps: steps + 1 }))
    .addNode("second", async ({ messages, steps }) => {
      const text = await work(messages.at(-1)?.text ?? "");
      return { messages: [{ role: "assistant", content: String(text) }], steps: steps + 1 };
    })
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" } as never);
}

/** The texts of all messages of a thread, in order. */
export async function readTexts(
  graph: ReturnType<typeof createTestGraph>,
  threadId: string,
): Promise<string[]> {
  const { values } = await graph.getState(onThread(threadId));
  return (values.messages ?? []).map((message: { text: string }) => message.text);
}

/** A person's message as a graph's input. */
export function say(text: string) {
  return { messages: [{ role: "user", content: text }] };
}

/** Lets as many readers as given read before any of them goes on. */
export function readTogether(saver: BaseCheckpointSaver, count: number): void {
  const { opened, open } = createGate();
  const getTuple = saver.getTuple.bind(saver);
  let arrived = 0;
  saver.getTuple = async (config) => {
    const tuple = await getTuple(config);
    arrived += 1;
    if (arrived === count) open();
    await opened;
    return tuple;
  };
}
