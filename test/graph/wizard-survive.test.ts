import { HumanMessage } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { readThread, type SkillAgent } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, readPrompt, stageText, tripFiles } from "../support/wizard.ts";
import { createWorkspace } from "../support/workspace.ts";

const looked = { places: ["Rome"] };
const planned = { days: 2, route: "by train" };

describe("a wizard outlives its process", () => {
  it("the open gate is the same in a new process, and is answered there", async () => {
    const workspace = createWorkspace(tripFiles);
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      complete("s1", looked),
      complete("s2", planned),
    ]);
    const { end } = await send(agent, "/trip");
    const later = await reopen();
    expect((await readThread(later, end.thread)).request).toEqual(end.request);
    const next = await answer(later, end.thread, { reply: true, request: end.request?.id ?? "" });
    expect(next.end.request?.items[0]?.stage).toBe("plan");
    server.assertDone();
  });

  it("goes on with the stages it started with when they are edited meanwhile, and says so", async () => {
    const workspace = createWorkspace(tripFiles);
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      complete("s1", looked),
      complete("s2", planned),
    ]);
    const { end } = await send(agent, "/trip");
    workspace.write("skills/trip/stages/02-plan.md", stageText(["title: Other"], "OTHER TEXT"));
    const next = await answer(await reopen(), end.thread, { reply: true });
    expect(next.end.request?.items[0]).toMatchObject({ stage: "plan", title: "Plan" });
    expect(readPrompt(server.requests[1])).toContain("PLAN: make a route.");
    expect(readPrompt(server.requests[1])).not.toContain("OTHER TEXT");
    expect(next.events).toContainEqual(expect.objectContaining({ type: "skill-drifted", name: "trip" }));
    server.assertDone();
  });

  it("the stages are kept once, whatever the number of steps", async () => {
    const files = {
      ...tripFiles,
      "skills/trip/stages/04-long.md": stageText([], `LONG ${"x".repeat(5_000)}`),
    };
    const { agent } = await createScriptedAgent(createWorkspace(files), [
      complete("s1", looked),
      complete("s2", planned),
    ]);
    const { end } = await send(agent, "/trip");
    await answer(agent, end.thread, { reply: true });
    const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
    const { texts, ...rest } = values as { texts: Record<string, string> };
    expect(Object.values(texts).filter((text) => text.includes("LONG"))).toHaveLength(1);
    expect(JSON.stringify(rest)).not.toContain("LONG");
  });
});

describe("D11: a wizard in a graph of the caller's runs each stage once", () => {
  const files = {
    ...tripFiles,
    "skills/trip/stages/01-look.md": stageText(
      ["title: Look around", "allowed-tools: Bash(bash mark.sh)"],
      "LOOK: find places.",
    ),
    "mark.sh": "echo stage-1 >> log",
  };
  const script = [
    { calls: [{ id: "b1", name: "Bash", arguments: { command: "bash mark.sh" } }] },
    complete("s1"),
    complete("s2", planned),
  ];

  function embed(agent: SkillAgent, saver: MemorySaver, how: "node" | "inside") {
    const inside = async (state: typeof MessagesAnnotation.State, config: object) => {
      const { messages } = await agent.invoke({ messages: state.messages } as never, config);
      return { messages };
    };
    return new StateGraph(MessagesAnnotation)
      .addNode("agent", how === "node" ? (agent as never) : inside)
      .addEdge(START, "agent")
      .compile({ checkpointer: saver });
  }

  it.each([
    ["by thread id, as a node", "node", false],
    ["by thread and checkpoint id, as a node", "node", true],
    ["by thread id, called inside a node", "inside", false],
    ["by thread and checkpoint id, called inside a node", "inside", true],
  ] as const)("resumed %s", async (_how, place, byCheckpoint) => {
    const workspace = createWorkspace(files);
    const { agent, server, reopen } = await createScriptedAgent(workspace, script, { checkpointer: false });
    const saver = new MemorySaver();
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    await embed(agent, saver, place).invoke({ messages: [new HumanMessage("/trip")] }, config);
    expect(workspace.read("log")).toBe("stage-1\n");
    // Another agent and another parent: nothing of the first process is left but the saver.
    const parent = embed(await reopen(), saver, place);
    const snapshot = await parent.getState(config, { subgraphs: true });
    expect(JSON.stringify(snapshot.tasks.flatMap((task) => task.interrupts))).toContain('"stage":"look"');
    const from = byCheckpoint ? snapshot.config : config;
    await parent.invoke(new Command({ resume: true }), from as never);
    expect(workspace.read("log")).toBe("stage-1\n");
    const after = await parent.getState(config);
    expect(JSON.stringify(after.tasks.flatMap((task) => task.interrupts))).toContain('"stage":"plan"');
    server.assertDone();
  });
});
