import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createSkillAgent, readThread, SkillgraphError } from "../../src/index.ts";
import { abortWhen, answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const read = (id: string, path: string) => ({ id, name: "Read", arguments: { path } });
const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });

describe("the loop", () => {
  it("text streams as it comes, and the last event is the end of the run", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [{ text: "One two three four." }]);
    const { events, end } = await send(agent, "count");
    const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("One two three four.");
    expect(events[0]).toMatchObject({ type: "run-start", thread: end.thread, model: "test-model" });
    expect(events.some(({ type }) => type === "checkpoint")).toBe(true);
    server.assertDone();
  });

  it("tools are sent with every call", async () => {
    const workspace = createWorkspace({ "a.txt": "alpha" });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [read("r1", "a.txt")] },
      { text: "alpha" },
    ]);
    await send(agent, "read a.txt");
    for (const request of server.requests) {
      expect(request.body.tools?.map((tool) => tool.function.name)).toEqual(
        expect.arrayContaining(["Read", "Write", "Edit", "Glob", "Grep", "Bash", "AskUser"]),
      );
    }
    server.assertDone();
  });

  it("D10: the step limit ends a run cleanly, and the next message finds a valid history", async () => {
    const workspace = createWorkspace({ "a.txt": "alpha" });
    const turns = Array.from({ length: 6 }, (_, index) => ({ calls: [read(`r${index}`, "a.txt")] }));
    const { agent, server } = await createScriptedAgent(workspace, [...turns, { text: "Enough." }], {
      maxSteps: 6,
    });
    const { end } = await send(agent, "read for ever");
    expect(end).toMatchObject({ status: "stopped", stop: { code: "step-limit" } });
    const after = await send(agent, "continue", { thread: end.thread });
    expect(after.end).toMatchObject({ status: "finished", answer: "Enough." });
    server.assertDone();
  });

  it("D10: a run that stopped at the limit goes on when it is resumed", async () => {
    const workspace = createWorkspace({ "a.txt": "alpha" });
    const script = [{ calls: [read("r1", "a.txt")] }, { calls: [read("r2", "a.txt")] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(workspace, script, { maxSteps: 2 });
    const { end } = await send(agent, "read");
    expect(end.status).toBe("stopped");
    expect((await answer(agent, end.thread)).end).toMatchObject({ status: "finished", answer: "Done." });
    server.assertDone();
  });

  it("a model that fails leaves a thread that goes on when it is resumed", async () => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ status: 401, error: "Incorrect API key provided" }, { text: "Back." }],
      {},
    );
    const { end } = await send(agent, "hello");
    expect(end).toMatchObject({ status: "failed", error: { code: expect.stringMatching(/^model-/) } });
    expect((await answer(agent, end.thread)).end).toMatchObject({ status: "finished", answer: "Back." });
    server.assertDone();
  });

  it("a named model without a key fails at the first call and not before", async () => {
    const workspace = createWorkspace();
    const agent = await createSkillAgent({
      cwd: workspace.folder,
      environment: workspace.environment,
      model: "gpt-unknown",
    });
    const { end } = await send(agent, "hello");
    expect(end).toMatchObject({ status: "failed", error: { code: "model-key-missing" } });
  });
});

describe("commands and permissions", () => {
  it.each([
    "git status && touch P",
    "git status; touch P",
    "git status | tee P",
    "git status & touch P",
    "git status || touch P",
    "(git status; touch P)",
    "git status $(touch P)",
    "git status `touch P`",
    "X=$(touch P) git status",
    "git status > P",
    "git status\ntouch P",
  ])("C1: a grant for git status does not run %j", async (command) => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", command)] }, { text: "Done." }],
      { permissions: { allow: ["Bash(git status:*)"], mode: "deny" } },
    );
    const { events } = await send(agent, "status");
    expect(events.some(({ type }) => type === "tool-denied")).toBe(true);
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("what would ask is allowed by the mode allow, but never a protected place", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(
      workspace,
      [
        { calls: [write("free")] },
        { calls: [{ id: "w2", name: "Write", arguments: { path: ".env", content: "x" } }] },
      ],
      { permissions: { mode: "allow" } },
    );
    const { end } = await send(agent, "write");
    expect(workspace.exists("free")).toBe(true);
    expect(end.request?.items).toMatchObject([{ id: "w2" }]);
    expect(workspace.exists(".env")).toBe(false);
  });

  it("a rule that denies wins over an approval that came before it", async () => {
    const workspace = createWorkspace();
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    await answer(await reopen({ permissions: { deny: ["Write"] } }), end.thread, { reply: true });
    expect(workspace.exists("w1")).toBe(false);
    server.assertDone();
  });

  it("a client cannot set the policy: input and context hold messages only", async () => {
    const workspace = createWorkspace();
    const { agent } = await createScriptedAgent(workspace, [{ calls: [write("w1")] }]);
    const config = {
      configurable: { thread_id: crypto.randomUUID(), permissions: { mode: "allow" }, policy: "allow" },
    };
    const input = { messages: [new HumanMessage("write")], calls: [], active: [{ allowedTools: ["Write"] }] };
    await agent.invoke(input as never, config);
    expect(workspace.exists("w1")).toBe(false);
    expect((await agent.getState(config)).values.active).toEqual([]);
  });
});

describe("answers that come at the wrong place", () => {
  it("D6: an unknown thread, a finished thread and an unknown request are errors, and nothing changes", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { text: "Done." },
      { calls: [write("w1")] },
      { text: "Written." },
    ]);
    await expect(answer(agent, "typo", { reply: true })).rejects.toMatchObject({ code: "thread-unknown" });
    const { end } = await send(agent, "hello");
    await expect(answer(agent, end.thread, { reply: true })).rejects.toMatchObject({
      code: "nothing-pending",
    });
    await expect(answer(agent, end.thread)).rejects.toMatchObject({ code: "nothing-pending" });
    const open = await send(agent, "write", { thread: end.thread });
    const wrong = answer(agent, end.thread, { reply: true, request: "0123456789abcdef0123456789abcdef" });
    await expect(wrong).rejects.toMatchObject({ code: "request-unknown" });
    await expect(wrong).rejects.toThrow(open.end.request?.id);
    expect(workspace.exists("w1")).toBe(false);
    await answer(agent, end.thread, { reply: true, request: open.end.request?.id ?? "" });
    expect(workspace.exists("w1")).toBe(true);
    server.assertDone();
  });

  it("D7: the same answer twice acts once", async () => {
    const workspace = createWorkspace({ "append.sh": "echo x >> log" });
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { calls: [bash("b1", "bash append.sh")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "append");
    const request = end.request?.id ?? "";
    const other = await reopen();
    const both = await Promise.allSettled([
      answer(agent, end.thread, { reply: true, request }),
      answer(other, end.thread, { reply: true, request }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(answer(agent, end.thread, { reply: true, request })).rejects.toBeInstanceOf(SkillgraphError);
    expect(workspace.read("log")).toBe("x\n");
    server.assertDone();
  });

  it("D12: a new message while a question is open cancels the question with a result", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      { text: "Noon." },
    ]);
    const { end } = await send(agent, "write");
    const after = await send(agent, "actually, what time is it?", { thread: end.thread });
    expect(after.end).toMatchObject({ status: "finished", answer: "Noon." });
    const messages = server.requests[1]?.body.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
    expect(String(messages[3]?.content)).toContain("Cancelled");
    expect(workspace.exists("w1")).toBe(false);
    server.assertDone();
  });
});

describe("E3: one run on a thread", () => {
  it("E3: of four concurrent invokes one runs and the others are told that the thread is busy", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "Once.", delayMs: 200 }]);
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    const runs = await Promise.allSettled(
      [1, 2, 3, 4].map((number) => agent.invoke({ messages: [new HumanMessage(`${number}`)] }, config)),
    );
    const failures = runs.flatMap((run) =>
      run.status === "rejected" ? [run.reason as SkillgraphError] : [],
    );
    expect(failures.map(({ code }) => code)).toEqual(["thread-busy", "thread-busy", "thread-busy"]);
    expect((await readThread(agent, config.configurable.thread_id)).messages).toHaveLength(2);
    server.assertDone();
  });

  it.each(["stream", "streamEvents", "withConfig", "break"])(
    "E3: a run by %s frees the thread at its end",
    async (how) => {
      const { agent, server } = await createScriptedAgent(createWorkspace(), [
        { text: "One." },
        { text: "Two." },
      ]);
      const config = { configurable: { thread_id: crypto.randomUUID() } };
      const input = { messages: [new HumanMessage("hello")] };
      if (how === "streamEvents") {
        for await (const event of agent.streamEvents(input, { ...config, version: "v2" }))
          expect(event).toBeDefined();
      } else if (how === "withConfig") {
        await agent.withConfig({ tags: ["x"] }).invoke(input, config);
      } else {
        for await (const chunk of await agent.stream(input, config)) {
          expect(chunk).toBeDefined();
          if (how === "break") break;
        }
      }
      await agent.invoke(input, config);
      expect(server.requests.length).toBeGreaterThan(0);
    },
  );
});

describe("F1: every call has one result", () => {
  it("F1: one call approved, one rejected", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1"), write("w2")] },
      { text: "Done." },
      { text: "Again." },
    ]);
    const { end } = await send(agent, "write");
    const reply = { decisions: [{ type: "approve" }, { type: "reject", message: "too much" }] };
    await answer(agent, end.thread, { reply });
    await send(agent, "more", { thread: end.thread });
    const results = server.requests[1]?.body.messages?.filter(({ role }) => role === "tool");
    expect(results?.map(({ tool_call_id }) => tool_call_id)).toEqual(["w1", "w2"]);
    expect(String(results?.[1]?.content)).toContain("too much");
    server.assertDone();
  });

  it("F1: an abort in the middle of a call leaves a thread that asks about it and then goes on", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 30" });
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh"), read("r1", "slow.sh")] }, { text: "Done." }, { text: "Again." }],
      { permissions: { allow: ["Bash(bash slow.sh)"] } },
    );
    const thread = crypto.randomUUID();
    await abortWhen(agent, thread, { messages: [new HumanMessage("go")] }, () => workspace.isWritten("log"));
    const { end } = await answer(agent, thread);
    expect(end.request?.items).toMatchObject([{ kind: "outcome", id: "b1" }]);
    const after = await answer(agent, thread, { reply: { type: "reject" } });
    expect(after.end.status).toBe("finished");
    await send(agent, "more", { thread });
    const results = server.requests[1]?.body.messages?.filter(({ role }) => role === "tool");
    expect(results?.map(({ tool_call_id }) => tool_call_id)).toEqual(["b1", "r1"]);
    expect(workspace.read("log")).toBe("begun\n");
    server.assertDone();
  });

  it("a call that was begun is asked about as such, also where a rule now asks or denies", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 30" });
    const { agent, reopen } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }],
      { permissions: { allow: ["Bash(bash slow.sh)"] } },
    );
    const thread = crypto.randomUUID();
    await abortWhen(agent, thread, { messages: [new HumanMessage("go")] }, () => workspace.isWritten("log"));
    const strict = await reopen({ permissions: { deny: ["Bash"] } });
    const { end } = await answer(strict, thread);
    expect(end.request?.items).toMatchObject([{ kind: "outcome", id: "b1" }]);
  });

  it("an aborted run holds its thread until its command has ended", async () => {
    const workspace = createWorkspace({
      "stubborn.sh": "trap '' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >> log; sleep 0.5; done",
    });
    const { agent } = await createScriptedAgent(workspace, [{ calls: [bash("b1", "bash stubborn.sh")] }], {
      permissions: { allow: ["Bash(bash stubborn.sh)"] },
    });
    const thread = crypto.randomUUID();
    await abortWhen(agent, thread, { messages: [new HumanMessage("go")] }, () => workspace.isWritten("log"));
    expect((await answer(agent, thread)).end.request?.items).toMatchObject([{ kind: "outcome" }]);
    const before = workspace.read("log");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(workspace.read("log")).toBe(before);
  });

  it("an answer in the words of any client is taken by the graph itself", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("w1")] },
      { text: "Done." },
    ]);
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    await agent.invoke({ messages: [new HumanMessage("write")] }, config);
    await agent.invoke(new Command({ resume: [{ type: "accept", args: null }] }), config);
    expect(workspace.exists("w1")).toBe(true);
    server.assertDone();
  });
});

describe("the mode deny", () => {
  it("an approval under it does not get past a deny rule, and does run what no rule denies", async () => {
    const workspace = createWorkspace();
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { calls: [write("w1"), bash("b1", "touch b1")] },
      { text: "Done." },
    ]);
    const { end } = await send(agent, "write");
    const strict = await reopen({ permissions: { mode: "deny", deny: ["Write"] } });
    await answer(strict, end.thread, { reply: { decisions: [{ type: "approve" }, { type: "approve" }] } });
    expect([workspace.exists("w1"), workspace.exists("b1")]).toEqual([false, true]);
    server.assertDone();
  });

  it("a skill that needs consent is declined, and nobody is waited for", async () => {
    const workspace = createWorkspace({
      "skills/a/SKILL.md": "---\nname: a\ndescription: An a.\n---\nBODY\n",
    });
    const { agent, server } = await createScriptedAgent(workspace, [], {
      trust: false,
      permissions: { mode: "deny" },
    });
    const { end } = await send(agent, "/a");
    expect(end.status).toBe("finished");
    expect(end.answer).toContain("not trusted");
    server.assertDone();
  });

  it("a question is refused, and the model goes on", async () => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [{ id: "q1", name: "AskUser", arguments: { question: "Which?" } }] }, { text: "Without." }],
      { permissions: { mode: "deny" } },
    );
    expect((await send(agent, "go")).end).toMatchObject({ status: "finished", answer: "Without." });
    server.assertDone();
  });
});
