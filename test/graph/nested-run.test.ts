import { setTimeout as wait } from "node:timers/promises";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  Command,
  MemorySaver,
  MessagesAnnotation,
  RunControl,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SkillAgentOptions } from "../../src/index.ts";
import { createScriptedAgent } from "../support/agent.ts";
import type { ScriptedTurn } from "../support/openai-server.ts";
import { createWorkspace } from "../support/workspace.ts";

type Shape = "node" | "called" | "ambient";

const yes = new Command({ resume: true }) as never;
const pay = (id: string) => ({ calls: [{ id, name: "pay", arguments: { what: id } }] });
const place = (thread = crypto.randomUUID()) => ({ configurable: { thread_id: thread } });
const busy = (thread: string) => ({
  code: "thread-busy",
  message: expect.stringContaining(`Thread "${thread}" is in use by process ${process.pid}`),
});

/** An agent whose tool `pay` asks first and takes its time; `paid` is what was paid for. */
async function createPayer(script: ScriptedTurn[], options: SkillAgentOptions = {}, takesMs = 150) {
  const paid: string[] = [];
  const own = tool(
    async ({ what }) => {
      paid.push(what);
      await wait(takesMs);
      return `paid ${what}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ what: z.string() }) },
  );
  const { agent, server } = await createScriptedAgent(createWorkspace(), script, {
    checkpointer: false,
    tools: [own],
    ...options,
  });
  return { agent, server, paid };
}

type Payer = Awaited<ReturnType<typeof createPayer>>["agent"];

/** A graph of the caller's around agents, side by side. */
function around(agents: Payer[], saver?: BaseCheckpointSaver, shape: Shape = "node") {
  const builder = new StateGraph(MessagesAnnotation);
  for (const [index, agent] of agents.entries()) {
    const called = async ({ messages }: typeof MessagesAnnotation.State, config: object) =>
      agent.invoke({ messages }, shape === "called" ? (config as never) : undefined);
    builder.addNode(`agent${index}`, (shape === "node" ? agent : called) as never);
    builder.addEdge(START, `agent${index}` as never);
  }
  return builder.compile(saver ? { checkpointer: saver } : {});
}

const go = (text = "go") => ({ messages: [new HumanMessage(text)] });

async function settle(runs: Promise<unknown>[]) {
  const settled = await Promise.allSettled(runs);
  return settled.flatMap((run) => (run.status === "rejected" ? [run.reason] : []));
}

describe.each([
  ["kept for a turn", false as const],
  ["kept from turn to turn", true as const],
])("D7: two answers at once to a caller's graph, the agent's state %s", (_name, checkpointer) => {
  it.each<[Shape, "invoke" | "stream"]>([
    ["node", "invoke"],
    ["node", "stream"],
    ["called", "invoke"],
    ["ambient", "stream"],
  ])(
    "run an approved call once, the second is told that the thread is busy: a %s, by %s",
    async (shape, how) => {
      const { agent, server, paid } = await createPayer([pay("p1"), { text: "Done." }], {
        checkpointer: checkpointer as true,
      });
      const parent = around([agent], new MemorySaver(), shape);
      const config = place();
      await parent.invoke(go(), config);
      const click = async () => {
        if (how === "invoke") return parent.invoke(yes, config);
        for await (const _chunk of await parent.stream(yes, config));
      };
      const failures = await settle([click(), click()]);
      expect(failures).toMatchObject([busy(config.configurable.thread_id)]);
      expect(failures[0].message).toMatch(/; it answers "req-[0-9a-f]{12}" for /);
      expect(paid).toEqual(["p1"]);
      const { values, next } = await parent.getState(config);
      expect(next).toEqual([]);
      expect(values.messages.at(-1)?.text).toBe("Done.");
      server.assertDone();
    },
  );
});

it("D7: an answer that was refused as too early is not taken for the question that comes next", async () => {
  const { agent, paid } = await createPayer([pay("p1"), pay("p2"), { text: "Done." }]);
  const parent = around([agent], new MemorySaver());
  const config = place();
  await parent.invoke(go(), config);
  expect(await settle([parent.invoke(yes, config), parent.invoke(yes, config)])).toHaveLength(1);
  await parent.invoke(null, config);
  await parent.invoke(null, config);
  expect(paid).toEqual(["p1"]);
  await parent.invoke(yes, config);
  expect(paid).toEqual(["p1", "p2"]);
});

it("D7: two runs that share a RunControl of the caller's are still two", async () => {
  const { agent, paid } = await createPayer([pay("p1"), { text: "Done." }]);
  const parent = around([agent], new MemorySaver());
  const config = place();
  await parent.invoke(go(), config);
  const shared = { ...config, control: new RunControl() };
  expect(await settle([parent.invoke(yes, shared), parent.invoke(yes, shared)])).toHaveLength(1);
  expect(paid).toEqual(["p1"]);
});

it("D7: two parents that share a saver share its threads; with savers of their own they do not", async () => {
  const script = [pay("p1"), { text: "Done." }];
  const saver = new MemorySaver();
  const one = await createPayer(script);
  const config = place();
  const first = around([one.agent], saver);
  await first.invoke(go(), config);
  const again = around([one.agent], saver);
  expect(await settle([first.invoke(yes, config), again.invoke(yes, config)])).toMatchObject([
    busy(config.configurable.thread_id),
  ]);
  expect(one.paid).toEqual(["p1"]);
  const others = await Promise.all([createPayer(script), createPayer(script)]);
  const parents = others.map(({ agent }) => around([agent], new MemorySaver()));
  await Promise.all(parents.map((parent) => parent.invoke(go(), config)));
  await Promise.all(parents.map((parent) => parent.invoke(yes, config)));
  expect(others.map(({ paid }) => paid)).toEqual([["p1"], ["p1"]]);
});

it("threads of one saver run at once", async () => {
  const { agent, paid } = await createPayer([pay("p1"), pay("p2"), { text: "Done." }, { text: "Done." }]);
  const parent = around([agent], new MemorySaver());
  const places = [place(), place()];
  for (const config of places) await parent.invoke(go(), config);
  await Promise.all(places.map((config) => parent.invoke(yes, config)));
  expect(paid.sort()).toEqual(["p1", "p2"]);
});

it.each<Shape>(["node", "called", "ambient"])(
  "agents side by side in one run share its thread: each a %s",
  async (shape) => {
    const payers = await Promise.all(["p1", "p2"].map((id) => createPayer([pay(id), { text: "Done." }])));
    const parent = around(
      payers.map(({ agent }) => agent),
      new MemorySaver(),
      shape,
    );
    const config = place();
    await parent.invoke(go(), config);
    const { tasks } = await parent.getState(config);
    const ids = tasks.map(({ interrupts }) => interrupts[0]?.id ?? "");
    const both = new Command({ resume: Object.fromEntries(ids.map((id) => [id, true])) }) as never;
    expect(await settle([parent.invoke(both, config), parent.invoke(both, config)])).toMatchObject([{}]);
    expect(payers.flatMap(({ paid }) => paid)).toEqual(["p1", "p2"]);
  },
);

it("a graph without a saver has no threads: its runs do not wait for each other", async () => {
  const { agent, paid } = await createPayer([pay("p1"), pay("p2"), { text: "Done." }, { text: "Done." }], {
    permissions: { allow: ["pay"] },
  });
  const parent = around([agent]);
  const config = place();
  await Promise.all([parent.invoke(go(), config), parent.invoke(go(), config)]);
  expect(paid.sort()).toEqual(["p1", "p2"]);
});

it("a stream that its reader leaves gives the thread back once its calls have ended", async () => {
  const { agent, paid } = await createPayer([pay("p1"), { text: "Done." }]);
  const parent = around([agent], new MemorySaver());
  const config = place();
  await parent.invoke(go(), config);
  for await (const _chunk of await parent.stream(yes, { ...config, streamMode: "debug", subgraphs: true })) {
    if (paid.length > 0) break;
  }
  await parent.invoke(null, config);
  const { tasks } = await parent.getState(config);
  expect(tasks[0]?.interrupts[0]?.value).toMatchObject({ items: [{ kind: "outcome" }] });
  expect(paid).toEqual(["p1"]);
});

/** Lets the run that comes next wait with what it has read of the graph, until the saver is opened. */
class LateSaver extends MemorySaver {
  #isNext = false;
  open: () => void = () => undefined;
  holdNext(): void {
    this.#isNext = true;
  }
  override async getTuple(...parts: Parameters<MemorySaver["getTuple"]>) {
    const tuple = await super.getTuple(...parts);
    if (!this.#isNext) return tuple;
    this.#isNext = false;
    await new Promise<void>((resolve) => {
      this.open = resolve;
    });
    return tuple;
  }
}

describe.each([
  ["kept for a turn", false as const],
  ["kept from turn to turn", true as const],
])("D7: a run from before the first answer was taken, the agent's state %s", (_name, checkpointer) => {
  it("is refused once the graph has gone on, and runs nothing again", async () => {
    const saver = new LateSaver();
    const script = [pay("p1"), { text: "Done." }];
    const { agent, paid } = await createPayer(script, { checkpointer: checkpointer as true });
    const after: string[] = [];
    const parent = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent as never)
      .addNode("after", () => {
        after.push("once");
        return {};
      })
      .addEdge(START, "agent")
      .addEdge("agent", "after")
      .compile({ checkpointer: saver });
    const config = place();
    await parent.invoke(go(), config);
    saver.holdNext();
    const late = parent.invoke(yes, config);
    await parent.invoke(yes, config);
    saver.open();
    await expect(late).rejects.toMatchObject({
      code: "thread-conflict",
      message: expect.stringContaining(`Thread "${config.configurable.thread_id}" went on without this run`),
    });
    expect([paid, after]).toEqual([["p1"], ["once"]]);
  });

  it("answers no question that came meanwhile, where the answer names its request", async () => {
    const saver = new LateSaver();
    const script = [pay("p1"), pay("p2"), { text: "Done." }];
    const { agent, paid } = await createPayer(script, { checkpointer: checkpointer as true });
    const parent = around([agent], saver);
    const config = place();
    await parent.invoke(go(), config);
    const { id } = (await parent.getState(config)).tasks[0]?.interrupts[0]?.value ?? {};
    const named = new Command({ resume: { request: id, decisions: [{ type: "approve" }] } }) as never;
    saver.holdNext();
    const late = parent.invoke(named, config);
    await parent.invoke(named, config);
    saver.open();
    await late;
    expect(paid).toEqual(["p1"]);
    const { value } = (await parent.getState(config)).tasks[0]?.interrupts[0] ?? {};
    expect(value).toMatchObject({ errors: [expect.stringContaining(id)] });
  });
});

/** Keeps each checkpoint a moment after the graph has gone on, and takes its time to read. */
class SlowSaver extends MemorySaver {
  override async put(...parts: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
    await wait(5);
    return super.put(...parts);
  }
  override async getTuple(...parts: Parameters<MemorySaver["getTuple"]>) {
    const tuple = await super.getTuple(...parts);
    await wait(60);
    return tuple;
  }
}

it("a run is not taken for a late one while its own checkpoint is being written", async () => {
  const { agent, server } = await createPayer([{ text: "Done." }, { text: "Done." }]);
  const parent = around([agent], new SlowSaver());
  const config = place();
  await parent.invoke(go(), config);
  await parent.invoke(go(), config);
  server.assertDone();
});
