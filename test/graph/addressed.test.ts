import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readThread, type SkillAgentOptions } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });
const late = "req-0123456789ab";

/** What names the request that it is for, in each wrapper that clients use. */
const shapes: [string, (request: string) => unknown][] = [
  ["beside decisions", (request) => ({ request, decisions: [{ type: "approve" }] })],
  ["beside a bare decision", (request) => ({ request, type: "approve" })],
  ["as JSON that was typed", (request) => JSON.stringify({ request, decisions: [{ type: "approve" }] })],
  ["inside resume", (request) => ({ resume: { request, type: "approve" } })],
  ["around resume", (request) => ({ request, resume: "yes" })],
];

async function ask(options: SkillAgentOptions = {}) {
  const workspace = createWorkspace();
  const script = [{ calls: [write("w1")] }, { calls: [write("w2")] }];
  return { workspace, ...(await createScriptedAgent(workspace, script, options)) };
}

async function askAnd() {
  const { agent, workspace } = await ask();
  const { end } = await send(agent, "write");
  const config = { configurable: { thread_id: end.thread } };
  const invoke = (resume: unknown) => agent.invoke(new Command({ resume }), config);
  return { agent, workspace, invoke, config, thread: end.thread, request: end.request?.id ?? "" };
}

describe("a reply that names its request", () => {
  it.each(shapes)("D6: %s is for that one only, through resumeThread", async (_name, toReply) => {
    const { agent, workspace, thread, request } = await askAnd();
    await expect(answer(agent, thread, { reply: toReply(late) })).rejects.toMatchObject({
      code: "request-unknown",
      message: `Request "${late}" is not open on thread ${thread}. Open: "${request}".`,
    });
    expect(workspace.exists("w1")).toBe(false);
    await answer(agent, thread, { reply: toReply(request) });
    expect(workspace.exists("w1")).toBe(true);
    await expect(answer(agent, thread, { reply: toReply(request) })).rejects.toMatchObject({
      code: "request-unknown",
      message: expect.stringContaining(`"${request}" on thread ${thread} was answered already: approve by `),
    });
    expect(workspace.exists("w2")).toBe(false);
  });

  it.each(shapes)("D6: %s is for that one only, straight to the graph", async (_name, toReply) => {
    const { agent, workspace, invoke, thread, request } = await askAnd();
    const told = await invoke(toReply(late)).then(
      async () => (await readThread(agent, thread)).request?.errors?.join(),
      (error: Error) => error.message,
    );
    expect(told).toMatch(new RegExp(`"${late}".*not open.* Open: "${request}"\\.$`));
    expect(workspace.exists("w1")).toBe(false);
    await invoke(toReply(request));
    expect([workspace.exists("w1"), workspace.exists("w2")]).toEqual([true, false]);
  });

  it("D6: under the id of the question is for that one only", async () => {
    const { agent, workspace, invoke, config, request } = await askAnd();
    const id = async () => (await agent.getState(config)).tasks[0]?.interrupts[0]?.id ?? "";
    await invoke({ [await id()]: { request: late, type: "approve" } });
    expect(workspace.exists("w1")).toBe(false);
    await invoke({ [await id()]: { request, type: "approve" } });
    expect(workspace.exists("w1")).toBe(true);
  });

  it("that is another one than the caller names is refused", async () => {
    const { agent, workspace, thread, request } = await askAnd();
    const reply = { request: late, type: "approve" };
    const both = answer(agent, thread, { reply, request });
    await expect(both).rejects.toMatchObject({ code: "request-unknown" });
    expect(workspace.exists("w1")).toBe(false);
  });

  it("D6: is for that one only inside a graph of the caller's", async () => {
    const { agent, workspace } = await ask({ checkpointer: false });
    const parent = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    const first = await parent.invoke({ messages: [new HumanMessage("write")] }, config);
    const read = (state: unknown) =>
      (state as { __interrupt__: { value: { id: string; errors?: string[] } }[] }).__interrupt__[0]?.value;
    const again = read(
      await parent.invoke(new Command({ resume: { request: late, type: "approve" } }), config),
    );
    expect(again).toMatchObject({ id: read(first)?.id, errors: [expect.stringContaining(late)] });
    expect(workspace.exists("w1")).toBe(false);
    await parent.invoke(new Command({ resume: { request: again?.id, type: "approve" } }), config);
    expect([workspace.exists("w1"), workspace.exists("w2")]).toEqual([true, false]);
  });

  it("reaches a caller's own tool without that name", async () => {
    const heard: unknown[] = [];
    const own = tool(
      () => {
        heard.push(interrupt("Sure?"));
        return "told";
      },
      { name: "confirm", description: "Asks.", schema: z.object({}) },
    );
    const { agent } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [{ id: "c1", name: "confirm", arguments: {} }] }, { text: "Done." }],
      { tools: [own], permissions: { allow: ["confirm"] } },
    );
    const { end } = await send(agent, "confirm");
    const wrong = answer(agent, end.thread, { reply: { request: late, word: "yes" } });
    await expect(wrong).rejects.toMatchObject({ code: "request-unknown" });
    await answer(agent, end.thread, { reply: { request: end.request?.id, word: "yes" } });
    expect(heard).toEqual([{ word: "yes" }]);
  });
});
