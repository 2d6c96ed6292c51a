import { HumanMessage } from "@langchain/core/messages";
import {
  type BaseCheckpointSaver,
  Command,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { describeStores } from "../checkpoint/stores.ts";
import { createScriptedAgent } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const write = (id: string) => ({ calls: [{ id, name: "Write", arguments: { path: id, content: id } }] });
const plain = new Command({ resume: true });

/** Keeps a number of writes of a kind, and then none. */
class BreakingSaver extends MemorySaver {
  readonly left = { put: Number.POSITIVE_INFINITY, putWrites: Number.POSITIVE_INFINITY };
  #count(kind: keyof BreakingSaver["left"]): void {
    this.left[kind] -= 1;
    if (this.left[kind] < 0) throw new Error("The database is gone.");
  }
  override async put(...parts: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    this.#count("put");
    return super.put(...parts);
  }
  override async putWrites(...parts: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    this.#count("putWrites");
    return super.putWrites(...parts);
  }
}

/** An agent in a caller's graph that asks for w1, then for w2; it waits for the first answer. */
async function askTwice(checkpointer: boolean, saver: BaseCheckpointSaver) {
  const workspace = createWorkspace();
  const script = [write("w1"), write("w2"), { text: "Done." }];
  const { agent } = await createScriptedAgent(workspace, script, {
    checkpointer: checkpointer as true,
  });
  const parent = new StateGraph(MessagesAnnotation)
    .addNode("agent", agent as never)
    .addEdge(START, "agent")
    .compile({ checkpointer: saver });
  const place = { configurable: { thread_id: crypto.randomUUID() } };
  const run = (input: unknown) => parent.invoke(input as never, place);
  await run({ messages: [new HumanMessage("go")] });
  const written = () => ["w1", "w2"].filter((path) => workspace.exists(path));
  return { run, written };
}

describe.each([
  ["kept for a turn", false as const],
  ["kept from turn to turn", true as const],
])("an agent in a caller's graph, its state %s", (_name, checkpointer) => {
  it("D3: a plain answer is not given to the next question by a run without an answer", async () => {
    const { run, written } = await askTwice(checkpointer, new MemorySaver());
    await run(plain);
    expect(written()).toEqual(["w1"]);
    await run(null);
    await run(null);
    expect(written()).toEqual(["w1"]);
    await run(plain);
    expect(written()).toEqual(["w1", "w2"]);
  });

  it.each(
    Array.from({ length: 12 }, (_, kept) => kept).flatMap((kept) =>
      (["put", "putWrites"] as const).map((kind) => ({ kind, kept })),
    ),
  )(
    "D3: an answer that is given again after a crash reaches no question that nobody saw: $kind, $kept kept",
    async ({ kind, kept }) => {
      for (const input of [null, plain]) {
        const saver = new BreakingSaver();
        const { run, written } = await askTwice(checkpointer, saver);
        saver.left[kind] = kept;
        const isBroken = await run(plain).then(
          () => false,
          () => true,
        );
        // So many are not written before the next question is shown.
        if (!isBroken) return expect(kept).toBeGreaterThan(3);
        saver.left[kind] = Number.POSITIVE_INFINITY;
        await run(input);
        expect(written()).not.toContain("w2");
        await run(null);
        expect(written()).not.toContain("w2");
      }
    },
  );
});

it("D3: a plain answer reaches the second of two agents in one node, where the first is done", async () => {
  const workspace = createWorkspace();
  const options = { checkpointer: false as const };
  const first = (await createScriptedAgent(workspace, [{ text: "First." }], options)).agent;
  const second = (await createScriptedAgent(workspace, [write("w2"), { text: "Second." }], options)).agent;
  const parent = new StateGraph(MessagesAnnotation)
    .addNode("both", async ({ messages: said }, config) => {
      await first.invoke({ messages: said }, config as never);
      const { messages } = await second.invoke({ messages: said }, config as never);
      return { messages };
    })
    .addEdge(START, "both")
    .compile({ checkpointer: new MemorySaver() });
  const place = { configurable: { thread_id: crypto.randomUUID() } };
  await parent.invoke({ messages: [new HumanMessage("go")] }, place);
  const { messages } = await parent.invoke(plain as never, place);
  expect(workspace.exists("w2")).toBe(true);
  expect(messages.at(-1)?.text).toBe("Second.");
});

describeStores(({ open }) => {
  it.each([false, true] as const)(
    "D3: an answer to a graph around is used once, and the run goes on: state kept %s",
    async (checkpointer) => {
      const { saver } = await open();
      const { run, written } = await askTwice(checkpointer, saver);
      await run(plain);
      await run(null);
      expect(written()).toEqual(["w1"]);
      await run(plain);
      expect(written()).toEqual(["w1", "w2"]);
    },
  );
});
