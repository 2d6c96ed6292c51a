import { tool } from "@langchain/core/tools";
import { interrupt, isGraphBubbleUp, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });
const ask = (id: string, question: string) => ({ id, name: "AskUser", arguments: { question } });

describe("a pause", () => {
  it("D1: what ran before a question does not run again after it", async () => {
    const workspace = createWorkspace();
    const options = { permissions: { allow: ["Bash(bash append.sh)"] } };
    workspace.write("append.sh", "echo line >> log.txt");
    const { agent, server } = await createScriptedAgent(
      workspace,
      [
        { calls: [bash("b1", "bash append.sh"), ask("q1", "Go on?")] },
        { calls: [ask("q2", "Still?")] },
        { text: "Done." },
      ],
      options,
    );
    const first = await send(agent, "append");
    expect(first.end.request?.items.map(({ id }) => id)).toEqual(["q1"]);
    const second = await answer(agent, first.end.thread, { reply: "yes" });
    expect(second.end.request?.items.map(({ id }) => id)).toEqual(["q2"]);
    const third = await answer(agent, first.end.thread, { reply: "yes" });
    expect(third.end.status).toBe("finished");
    expect(workspace.read("log.txt")).toBe("line\n");
    server.assertDone();
  });

  it("D2, D3: two questions of one turn are asked together, and each gets its own answer", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [ask("qa", "Name A?"), ask("qb", "Name B?")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "ask");
    expect(end.request?.items.map(({ id }) => id)).toEqual(["qa", "qb"]);
    // D3: what is for one of them only is for none.
    for (const reply of ["yes", true, 0, "", { any: "thing" }, ["alpha"], { qb: "beta" }]) {
      const refused = answer(agent, end.thread, { reply });
      await expect(refused, JSON.stringify(reply)).rejects.toMatchObject({ code: "answer-invalid" });
    }
    await expect(answer(agent, end.thread, { reply: "yes" })).rejects.toThrow(
      /cannot answer 2 items at once.*AskUser \(qa\), AskUser \(qb\)/,
    );
    await answer(agent, end.thread, { reply: { qb: "beta", qa: "alpha" } });
    const results = server.requests[1]?.body.messages?.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([
      { tool_call_id: "qa", content: "alpha" },
      { tool_call_id: "qb", content: "beta" },
    ]);
    server.assertDone();
  });

  it("D2: two tools of the caller's that ask in one turn each get their own answer, one after the other", async () => {
    const entered: string[] = [];
    const tools = ["red", "blue"].map((name) =>
      tool(
        async () => {
          entered.push(name);
          await new Promise((resolve) => setTimeout(resolve, name === "red" ? 30 : 0));
          return `${name}: ${String(interrupt(`Which ${name}?`))}`;
        },
        { name, description: "Asks.", schema: z.object({}) },
      ),
    );
    const calls = ["red", "blue"].map((name) => ({ id: `c-${name}`, name, arguments: {} }));
    const { agent, server } = await createScriptedAgent(createWorkspace(), [{ calls }, { text: "Done." }], {
      tools,
      permissions: { allow: ["red", "blue"] },
    });
    const { end } = await send(agent, "ask");
    expect(end.request?.items).toMatchObject([{ name: "red" }]);
    const second = await answer(agent, end.thread, { reply: "wine" });
    expect(second.end.request?.items).toMatchObject([{ name: "blue" }]);
    await answer(agent, end.thread, { reply: "sky" });
    const results = server.requests[1]?.body.messages?.filter(({ role }) => role === "tool");
    expect(results).toMatchObject([{ content: "red: wine" }, { content: "blue: sky" }]);
    expect(entered).toEqual(["red", "red", "blue", "blue"]);
    server.assertDone();
  });

  it("fewer decisions than items settle the first ones, and the rest is asked again", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1"), write("w2")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    const after = await answer(agent, end.thread, { reply: { decisions: [{ type: "approve" }] } });
    expect(after.end.request?.items.map(({ id }) => id)).toEqual(["w2"]);
    expect(workspace.exists("w1")).toBe(false);
    expect(server.requests).toHaveLength(1);
    await answer(agent, end.thread, { reply: { decisions: [{ type: "reject" }] } });
    expect([workspace.exists("w1"), workspace.exists("w2")]).toEqual([true, false]);
    server.assertDone();
  });

  it.each([
    ["a retry that lets pauses through", true],
    ["nothing", false],
  ])(
    "D4: a caller's tool that pauses inside %s pauses the run and gets its answer once",
    async (_name, guarded) => {
      const workspace = createWorkspace();
      let entered = 0;
      const confirm = tool(
        async () => {
          entered += 1;
          const attempt = () => `the person said ${String(interrupt("Really?"))}`;
          for (let tries = 1; ; tries += 1) {
            try {
              return attempt();
            } catch (error) {
              if (!guarded || isGraphBubbleUp(error) || tries === 3) throw error;
            }
          }
        },
        { name: "confirm", description: "Asks.", schema: z.object({}) },
      );
      const { agent, server } = await createScriptedAgent(
        workspace,
        [{ calls: [{ id: "c1", name: "confirm", arguments: {} }] }, { text: "Done." }],
        { tools: [confirm], permissions: { allow: ["confirm"] } },
      );
      const { end, events } = await send(agent, "confirm");
      expect(end.status).toBe("waiting");
      expect(end.request?.items).toMatchObject([
        { kind: "question", name: "confirm", description: "Really?" },
      ]);
      expect(events.some(({ type }) => type === "tool-end")).toBe(false);
      const after = await answer(agent, end.thread, { reply: "yes" });
      expect(after.end.status).toBe("finished");
      expect(server.requests[1]?.body.messages?.at(-1)?.content).toBe("the person said yes");
      expect(entered).toBe(2);
      server.assertDone();
    },
  );

  it.each([
    [false, "false"],
    [0, "0"],
    ["", ""],
    [{ value: "" }, '{"value":""}'],
  ])("D5: %j is an answer to a question", async (reply, text) => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [ask("q1", "Value?")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "ask");
    const after = await answer(agent, end.thread, { reply });
    expect(after.end.status).toBe("finished");
    expect(server.requests[1]?.body.messages?.at(-1)).toMatchObject({ role: "tool", content: text });
    server.assertDone();
  });

  it("D5: null is no answer, and the question stays open", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ calls: [ask("q1", "Value?")] }]);
    const { end } = await send(agent, "ask");
    await expect(answer(agent, end.thread, { reply: null })).rejects.toMatchObject({
      code: "answer-invalid",
    });
    expect((await readThread(agent, end.thread)).status).toBe("waiting");
  });

  it("a reply that does not fit, sent past our own check, is asked again with the reason and no model call", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    const reply = { type: "edit", edited_action: { args: { path: 7 } } };
    const again = await answer(agent, end.thread, { reply });
    expect(again.end.request?.errors?.join(" ")).toContain("path");
    expect(server.requests).toHaveLength(1);
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.status).toBe("finished");
    expect(workspace.exists("w1")).toBe(true);
    server.assertDone();
  });

  it.each([
    [["w1"], "1 open call was cancelled by the new message."],
    [["w1", "w2"], "2 open calls were cancelled by the new message."],
  ])("a new message instead of an answer for %j says what it cancels", async (ids, text) => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: ids.map(write) },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    const { events } = await send(agent, "no, wait", { thread: end.thread });
    expect(events).toContainEqual({ type: "notice", text });
    server.assertDone();
  });

  it("an edited call runs with the person's arguments, and the model is told", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    await answer(agent, end.thread, { reply: { path: "mine", content: "mine" } });
    expect(workspace.read("mine")).toBe("mine");
    expect(workspace.exists("w1")).toBe(false);
    expect(String(server.requests[1]?.body.messages?.at(-1)?.content)).toContain(
      'changed the call to {"path":"mine"',
    );
    server.assertDone();
  });

  it("an edit cannot get past a deny", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "touch ok")] }, { text: "Done." }],
      { permissions: { deny: ["Bash(rm:*)"] } },
    );
    workspace.write("keep", "x");
    const { end } = await send(agent, "touch");
    const again = await answer(agent, end.thread, { reply: { command: "rm keep" } });
    expect(again.end.request?.errors).toEqual([
      'The changed call is not allowed: rule "Bash(rm:*)" denies it.',
    ]);
    expect(again.end.request?.items[0]?.args).toEqual({ command: "touch ok" });
    expect(server.requests).toHaveLength(1);
    await answer(agent, end.thread, { reply: false });
    expect(workspace.exists("keep")).toBe(true);
    server.assertDone();
  });

  it("a saver of the caller's own serves too", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [write("w1")] }, { text: "Done." }],
      { checkpointer: new MemorySaver() },
    );
    const { end } = await send(agent, "write");
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.status).toBe("finished");
    server.assertDone();
  });
});
