import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });

it("E7: a call that finished beside one that asks is not run again by a new process", async () => {
  const workspace = createWorkspace({ "append.sh": "echo line >> log" });
  const confirm = tool(async () => `they said ${String(interrupt("Sure?"))}`, {
    name: "confirm",
    description: "Asks.",
    schema: z.object({}),
  });
  const { agent, server, reopen } = await createScriptedAgent(
    workspace,
    [
      { calls: [bash("b1", "bash append.sh"), { id: "c1", name: "confirm", arguments: {} }] },
      { text: "Done." },
    ],
    { tools: [confirm], permissions: { allow: ["Bash(bash append.sh)", "confirm"] } },
  );
  const { end } = await send(agent, "go");
  expect(end.status).toBe("waiting");
  const after = await answer(await reopen(), end.thread, { reply: "yes" });
  expect(after.end.status).toBe("finished");
  expect(workspace.read("log")).toBe("line\n");
  expect(server.requests[1]?.body.messages?.at(-1)?.content).toBe("they said yes");
  server.assertDone();
});

it("the agent serves as a subgraph of the caller's graph, which brings the saver", async () => {
  const workspace = createWorkspace();
  const { agent, server } = await createScriptedAgent(
    workspace,
    [
      { calls: [{ id: "w1", name: "Write", arguments: { path: "out", content: "x" } }] },
      { text: "Written." },
    ],
    { checkpointer: false },
  );
  let before = 0;
  const parent = new StateGraph(MessagesAnnotation)
    .addNode("before", () => {
      before += 1;
      return {};
    })
    .addNode("agent", agent)
    .addEdge(START, "before")
    .addEdge("before", "agent")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  await parent.invoke({ messages: [new HumanMessage("write")] }, config);
  expect(workspace.exists("out")).toBe(false);
  const state = await parent.invoke(new Command({ resume: true }), config);
  expect(state.messages.at(-1)?.text).toBe("Written.");
  expect(workspace.read("out")).toBe("x");
  expect(before).toBe(1);
  server.assertDone();
});

it("what a run carries with it stays out of the checkpoints", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "Done." }]);
  const { end } = await send(agent, "hello");
  for await (const snapshot of agent.getStateHistory({ configurable: { thread_id: end.thread } })) {
    expect(JSON.stringify(snapshot.metadata)).not.toContain("skillgraph_run");
    expect(JSON.stringify(snapshot.config)).not.toContain("skillgraph_run");
  }
});

it("a fork from before the question asks it again and leaves the first branch as it was", async () => {
  const workspace = createWorkspace({ "append.sh": "echo line >> log" });
  const { agent, server } = await createScriptedAgent(workspace, [
    { calls: [bash("b1", "bash append.sh")] },
    { text: "First." },
    { text: "Second." },
  ]);
  const { end } = await send(agent, "go");
  await answer(agent, end.thread, { reply: true });
  const config = { configurable: { thread_id: end.thread } };
  const history = [];
  for await (const snapshot of agent.getStateHistory(config)) history.push(snapshot);
  const before = history.find((snapshot) => snapshot.next.includes("review"));
  const fork = await agent.updateState(before?.config ?? config, {}, "__copy__");
  await agent.invoke(null, fork);
  const asked = await agent.getState(config);
  expect(asked.tasks.flatMap((entry) => entry.interrupts)).toHaveLength(1);
  await answer(agent, end.thread, { reply: false });
  expect(workspace.read("log")).toBe("line\n");
  expect((await agent.getState(config)).values.messages.at(-1)?.text).toBe("Second.");
  server.assertDone();
});

it("a skill that was loaded in one turn of a parent graph is there in the next, when it is asked for", async () => {
  const files = {
    "skills/counter/SKILL.md": skillText({ name: "counter", description: "Counts." }, "COUNT WITH CARE"),
  };
  const { agent, server } = await createScriptedAgent(
    createWorkspace(files),
    [{ text: "Loaded." }, { text: "Still there." }],
    { checkpointer: true },
  );
  const context = z.object({ userId: z.string() });
  const parent = new StateGraph(MessagesAnnotation, context as never)
    .addNode("agent", agent as never)
    .addEdge(START, "agent")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: crypto.randomUUID() }, context: { userId: "ada" } };
  await parent.invoke({ messages: [new HumanMessage("/counter")] }, config as never);
  await parent.invoke({ messages: [new HumanMessage("and now?")] }, config as never);
  expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("COUNT WITH CARE");
  server.assertDone();
});
