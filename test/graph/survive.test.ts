import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { HumanMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSkillAgent, readThread, unloadSkill } from "../../src/index.ts";
import { abortWhen, answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });
const go = { messages: [new HumanMessage("go")] };
const at = (thread: string) => ({ configurable: { thread_id: thread } });
const allowed = { permissions: { allow: ["Write", "Bash(bash slow.sh)", "pay", "confirm"] } };

/** A saver that fails at one put, as a process that is killed there would. */
class DyingSaver extends MemorySaver {
  dyingStep: number | undefined;

  override async put(...words: Parameters<MemorySaver["put"]>) {
    if (words[2].step === this.dyingStep) throw new Error("killed");
    return super.put(...words);
  }
}

function createLogTool(name: string, log: string, body: () => Promise<string>): StructuredToolInterface {
  const run = async () => {
    const text = await body();
    appendFileSync(log, `${text}\n`);
    return text;
  };
  return tool(run, { name, description: "Writes a line.", schema: z.object({}) });
}

describe("a run that ends between a step's writes and its checkpoint", () => {
  it("is stopped and not finished, and goes on", async () => {
    const saver = new DyingSaver();
    const workspace = createWorkspace();
    const script = [{ calls: [write("w1"), write("w2")] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(workspace, script, {
      ...allowed,
      checkpointer: saver,
    });
    saver.dyingStep = 3;
    await expect(agent.invoke(go, at("t"))).rejects.toThrow("killed");
    saver.dyingStep = undefined;
    expect((await readThread(agent, "t")).status).toBe("stopped");
    expect((await answer(agent, "t")).end.status).toBe("finished");
    server.assertDone();
  });
});

describe("what a model or a person sends is data", () => {
  const lc = { lc: 1, type: "constructor", id: ["foo", "Bar"], kwargs: {} };
  const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);

  it.each([
    ["an object that looks like a stored one", lc],
    ["one inside a list", [lc]],
    ["deep nesting", deep],
  ])("arguments with %s are refused, and the thread can be read", async (_name, note) => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [
        { calls: [{ id: "w", name: "Write", arguments: { path: "w", content: "x", note } }] },
        { text: "Done." },
      ],
      allowed,
    );
    const { end } = await send(agent, "write");
    expect(end.status).toBe("finished");
    expect((await readThread(agent, end.thread)).messages).toHaveLength(4);
    server.assertDone();
  });

  it("an edit with such an object is refused, and the question stays open", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ calls: [write("w")] }]);
    const { end } = await send(agent, "write");
    const reply = { type: "edit" as const, edited_action: { args: { lc } } };
    await expect(answer(agent, end.thread, { reply })).rejects.toMatchObject({ code: "answer-invalid" });
    expect((await readThread(agent, end.thread)).request).toEqual(end.request);
  });

  it.each([null, undefined, "text", Object.create(null), 7])(
    "a caller's tool that throws %o fails, and the run goes on",
    async (thrown) => {
      const pay = tool(
        async () => {
          throw thrown;
        },
        { name: "pay", description: "Pays.", schema: z.object({}) },
      );
      const script = [{ calls: [{ id: "p", name: "pay", arguments: {} }] }, { text: "Done." }];
      const { agent, server } = await createScriptedAgent(createWorkspace(), script, {
        ...allowed,
        tools: [pay],
      });
      expect((await send(agent, "pay")).end.status).toBe("finished");
      server.assertDone();
    },
  );

  it("what a caller's tool returns is capped and cleaned", async () => {
    const pay = tool(async () => `\0${"x".repeat(100_000)}`, {
      name: "pay",
      description: "Pays.",
      schema: z.object({}),
    });
    const script = [{ calls: [{ id: "p", name: "pay", arguments: {} }] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(createWorkspace(), script, {
      ...allowed,
      tools: [pay],
    });
    await send(agent, "pay");
    const result = String(server.requests[1]?.body.messages?.at(-1)?.content);
    expect(result.length).toBeLessThan(40_000);
    expect(result).not.toContain("\0");
  });
});

describe("a caller's tool", () => {
  const call = { calls: [{ id: "p1", name: "pay", arguments: {} }] };

  it("that was begun is not entered again by an answer that nobody asked for", async () => {
    const workspace = createWorkspace();
    const log = join(workspace.folder, "log");
    const pay = createLogTool("pay", log, async () => {
      appendFileSync(log, "begun ");
      await wait(1_500);
      return "paid";
    });
    const { agent } = await createScriptedAgent(workspace, [call], { ...allowed, tools: [pay] });
    await abortWhen(agent, "t", go, () => workspace.isWritten("log"));
    const late = agent.invoke(new Command({ resume: true }), at("t"));
    await expect(late).rejects.toMatchObject({ code: "nothing-pending" });
    await agent.invoke(null, at("t"));
    expect(readFileSync(log, "utf8").match(/begun/g)).toHaveLength(1);
    expect((await readThread(agent, "t")).request?.items).toMatchObject([{ kind: "outcome" }]);
  });

  it("that was answered and then begun is asked about, whatever comes next", async () => {
    const workspace = createWorkspace();
    const log = join(workspace.folder, "log");
    const pay = createLogTool("pay", log, async () => {
      const said = String(interrupt("Pay?"));
      appendFileSync(log, `${said} `);
      await wait(1_500);
      return "paid";
    });
    const { agent } = await createScriptedAgent(workspace, [call], { ...allowed, tools: [pay] });
    await agent.invoke(go, at("t"));
    await abortWhen(agent, "t", new Command({ resume: "yes" }), () => workspace.isWritten("log"));
    const { end } = await answer(agent, "t");
    expect(end.request?.items).toMatchObject([{ kind: "outcome" }]);
    await wait(1_600);
    expect(readFileSync(log, "utf8").match(/yes/g)).toHaveLength(1);
  });

  it("may ask twice, and each question gets its answer", async () => {
    const workspace = createWorkspace();
    const log = join(workspace.folder, "log");
    const pay = createLogTool("pay", log, async () => `${interrupt("First?")} ${interrupt("Second?")}`);
    const { agent, server } = await createScriptedAgent(workspace, [call, { text: "Done." }], {
      ...allowed,
      tools: [pay],
    });
    await agent.invoke(go, at("t"));
    const second = await answer(agent, "t", { reply: "one" });
    expect(second.end.request?.items[0]?.description).toBe("Second?");
    expect((await answer(agent, "t", { reply: "two" })).end.status).toBe("finished");
    expect(readFileSync(log, "utf8")).toBe("one two\n");
    server.assertDone();
  });

  it.each(["Bash", "shell", "CompleteStage", "Read"])(
    "cannot be named %s, for which rules are written",
    async (name) => {
      const odd = tool(async () => "x", { name, description: "Odd.", schema: z.object({}) });
      const { folder, environment } = createWorkspace();
      const made = createSkillAgent({ cwd: folder, environment, checkpointer: false, tools: [odd] });
      await expect(made).rejects.toThrow(`cannot be named "${name}"`);
    },
  );
});

describe("rules", () => {
  it("a deny of Skill keeps every skill out", async () => {
    const workspace = createWorkspace({
      "skills/a/SKILL.md": skillText({ name: "a", description: "A." }, "BODY"),
    });
    const script = [{ calls: [{ id: "s", name: "Skill", arguments: { name: "a" } }] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(workspace, script, {
      permissions: { deny: ["Skill"] },
    });
    await send(agent, "load");
    expect(JSON.stringify(server.requests[1]?.body.messages)).not.toContain("BODY");
  });
});

describe("a new message after a crash", () => {
  it("tells the model that a call which was begun may have happened", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 20" });
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }, { text: "Done." }],
      allowed,
    );
    await abortWhen(agent, "t", go, () => workspace.isWritten("log"));
    await send(agent, "what now?", { thread: "t" });
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("It may have happened");
    server.assertDone();
  });

  it("an empty input gives an open call a result, too", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [
      { calls: [write("w")] },
      { text: "Done." },
    ]);
    await agent.invoke(go, at("t"));
    await agent.invoke({ messages: [] }, at("t"));
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain("Cancelled");
  });
});

describe("unloading", () => {
  const skills = { "skills/a/SKILL.md": skillText({ name: "a", description: "A." }, "BODY") };

  it("leaves a finished thread finished", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(skills), [{ text: "Done." }]);
    const { end } = await send(agent, "/a");
    expect(await unloadSkill(agent, end.thread, "a")).toBe(true);
    expect((await readThread(agent, end.thread)).status).toBe("finished");
  });

  it("does not touch a thread with a call that was begun", async () => {
    const workspace = createWorkspace({ ...skills, "slow.sh": "echo begun >> log; sleep 20" });
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }],
      allowed,
    );
    await abortWhen(agent, "t", { messages: [new HumanMessage("/a")] }, () => workspace.isWritten("log"));
    expect(await unloadSkill(agent, "t", "a")).toBe(false);
    expect((await answer(agent, "t")).end.request?.items).toMatchObject([{ kind: "outcome" }]);
  });
});

describe("the id of a request", () => {
  it("is another one for the same call whose outcome is asked a second time", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 20" });
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }],
      allowed,
    );
    await abortWhen(agent, "t", go, () => workspace.isWritten("log"));
    const first = (await answer(agent, "t")).end.request?.id;
    await abortWhen(agent, "t", new Command({ resume: true }), () => workspace.read("log").length > 6);
    const second = (await answer(agent, "t")).end.request?.id;
    expect(second).not.toBe(first);
    const late = answer(agent, "t", { reply: true, request: first ?? "" });
    await expect(late).rejects.toMatchObject({ code: "request-unknown" });
  });
});

describe("one run on a thread", () => {
  it("holds for a saver of the caller's own, also for two agents on it", async () => {
    const workspace = createWorkspace({ "append.sh": "echo x >> log; sleep 0.3" });
    const { agent, reopen } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash append.sh")] }, { text: "Done." }],
      { checkpointer: new MemorySaver() },
    );
    const { end } = await send(agent, "append");
    const runs = await Promise.allSettled([
      answer(agent, end.thread, { reply: true }),
      answer(await reopen(), end.thread, { reply: true }),
    ]);
    expect(runs.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(workspace.read("log")).toBe("x\n");
  });

  it.each([
    ["a number as thread id", { thread_id: 42 }],
    ["a namespace of the caller's", { thread_id: "t", checkpoint_ns: "x" }],
  ])("holds for %s", async (_name, configurable) => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "Once.", delayMs: 200 }]);
    const runs = await Promise.allSettled([1, 2].map(() => agent.invoke(go, { configurable })));
    const failures = runs.flatMap((run) => (run.status === "rejected" ? [run.reason] : []));
    expect(failures).toMatchObject([{ code: "thread-busy" }]);
  });

  it("keeps an update by hand out while it runs", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "Once.", delayMs: 300 }]);
    const run = agent.invoke(go, at("t"));
    await wait(100);
    await expect(agent.updateState(at("t"), { messages: [] })).rejects.toMatchObject({ code: "thread-busy" });
    await run;
  });
});

describe("limits and breaks", () => {
  it("the step limit counts the calls of one run, not those before a question", async () => {
    const ask = { calls: [{ id: "q", name: "AskUser", arguments: { question: "Which?" } }] };
    const { agent, server } = await createScriptedAgent(createWorkspace(), [ask, { text: "Done." }], {
      maxSteps: 1,
    });
    const { end } = await send(agent, "go");
    expect((await answer(agent, end.thread, { reply: "this" })).end.status).toBe("finished");
    server.assertDone();
  });

  it("a caller cannot take the begin-marks away by another durability", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 20" });
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }],
      allowed,
    );
    const stop = new AbortController();
    const options = { ...at("t"), durability: "exit" as const, signal: stop.signal };
    const run = agent.invoke(go, options).catch(() => undefined);
    while (!workspace.isWritten("log")) await wait(10);
    stop.abort();
    await run;
    expect((await answer(agent, "t")).end.request?.items).toMatchObject([{ kind: "outcome" }]);
  });

  it("stepping with a breakpoint before observe runs a command once", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log" });
    const script = [{ calls: [bash("b1", "bash slow.sh")] }, { text: "Done." }];
    const { agent, server } = await createScriptedAgent(workspace, script, allowed);
    const options = { ...at("t"), interruptBefore: ["observe" as const] };
    await agent.invoke(go, options as never);
    for (let step = 0; step < 4; step += 1) await agent.invoke(null, options as never);
    expect(workspace.read("log")).toBe("begun\n");
    expect((await readThread(agent, "t")).answer).toBe("Done.");
    server.assertDone();
  });

  it("after a breakpoint, a command that was entered and aborted is asked about", async () => {
    const workspace = createWorkspace({ "slow.sh": "echo begun >> log; sleep 20" });
    const { agent } = await createScriptedAgent(
      workspace,
      [{ calls: [bash("b1", "bash slow.sh")] }],
      allowed,
    );
    const options = { ...at("t"), interruptBefore: ["observe" as const] };
    await agent.invoke(go, options as never);
    await agent.invoke(null, options as never);
    await abortWhen(agent, "t", null, () => workspace.isWritten("log"));
    expect((await answer(agent, "t")).end.request?.items).toMatchObject([{ kind: "outcome" }]);
    expect(workspace.read("log")).toBe("begun\n");
  });

  it("an abort before anything was kept says so, and does not repeat the last answer", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [{ text: "First." }]);
    const { end } = await send(agent, "first");
    const stop = new AbortController();
    stop.abort();
    const { end: second } = await send(agent, "second", { thread: end.thread, signal: stop.signal });
    expect(second).toMatchObject({
      status: "stopped",
      stop: { reason: expect.stringContaining("send it again") },
    });
  });

  it("a call that is done does not stay in the state with its whole input", async () => {
    const content = "x".repeat(50_000);
    const big = { id: "w1", name: "Write", arguments: { path: "w1", content } };
    const { agent } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [big] }, { text: "Done." }],
      allowed,
    );
    const { end } = await send(agent, "write");
    const { values } = await agent.getState(at(end.thread));
    expect(JSON.stringify(values.calls).length).toBeLessThan(200);
  });
});
