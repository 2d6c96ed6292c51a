import { hostname, userInfo } from "node:os";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readThread } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { createWorkspace } from "../support/workspace.ts";

const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: id } });
const append = { id: "b1", name: "Bash", arguments: { command: "bash append.sh" } };
const me = `${userInfo().username}@${hostname()}`;
const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";

async function askTwice() {
  const workspace = createWorkspace();
  const script = [{ calls: [write("w1")] }, { calls: [write("w2")] }, { text: "Done." }];
  const scripted = await createScriptedAgent(workspace, script);
  const { end } = await send(scripted.agent, "write");
  return { ...scripted, workspace, thread: end.thread, request: end.request?.id ?? "" };
}

describe("who answered", () => {
  it.each([
    [undefined, me],
    ["anna", "anna"],
    ["  Anna\n of\u0000 sales ", "Anna of sales"],
    ["x".repeat(100), "x".repeat(100)],
  ])("by %j is kept with the answer as %j", async (by, who) => {
    const { agent, thread, request } = await askTwice();
    const { events } = await answer(agent, thread, { reply: true, ...(by === undefined ? {} : { by }) });
    const given = (await readThread(agent, thread)).decisions.filter((record) => record.by === "person");
    expect(given).toMatchObject([{ id: "w1", verdict: "approve", request, who }]);
    expect(events).toContainEqual({ type: "call-decided", ...given[0] });
  });

  it("by what is no name is refused, and nothing changes", async () => {
    const { agent, thread, request, workspace } = await askTwice();
    for (const by of ["", " \n", "x".repeat(101), 7, null]) {
      await expect(answer(agent, thread, { reply: true, by: by as string })).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(/^"by" takes a name of 1 to 100 characters, not /),
      });
    }
    expect((await readThread(agent, thread)).request?.id).toBe(request);
    expect(workspace.exists("w1")).toBe(false);
  });

  it("is kept with what a new message withdraws", async () => {
    const { agent, thread, request } = await askTwice();
    await send(agent, "no", { thread, by: "ben" });
    const { decisions } = await readThread(agent, thread);
    expect(decisions).toContainEqual(expect.objectContaining({ verdict: "reject", request, who: "ben" }));
    const late = answer(agent, thread, { reply: true, request });
    await expect(late).rejects.toThrow(
      `Request "${request}" on thread ${thread} was answered already: reject`,
    );
  });

  it("is kept with the answer to a caller's own tool", async () => {
    const own = tool(() => String(interrupt("Sure?")), {
      name: "confirm",
      description: "Asks.",
      schema: z.object({}),
    });
    const { agent } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [{ id: "c1", name: "confirm", arguments: {} }] }, { text: "Done." }],
      { tools: [own], permissions: { allow: ["confirm"] } },
    );
    const { end } = await send(agent, "confirm");
    const request = end.request?.id ?? "";
    await answer(agent, end.thread, { reply: "yes", request, by: "anna" });
    const { decisions } = await readThread(agent, end.thread);
    expect(decisions.at(-1)).toMatchObject({ kind: "question", name: "confirm", request, who: "anna" });
    const late = answer(agent, end.thread, { reply: "no", request, by: "ben" });
    await expect(late).rejects.toThrow(/was answered already: respond by anna at /);
  });
});

describe("a second answer", () => {
  it("D7: to a request that was answered is told by whom and how, and nothing changes", async () => {
    const { agent, thread, request, workspace } = await askTwice();
    await answer(agent, thread, { reply: true, request, by: "anna" });
    const second = answer(agent, thread, { reply: false, request, by: "ben" });
    const told = `^Request "${request}" on thread ${thread} was answered already: approve by anna at ${time}\\. Open: "req-[0-9a-f]{12}"\\.$`;
    await expect(second).rejects.toMatchObject({
      code: "request-unknown",
      message: expect.stringMatching(new RegExp(told)),
    });
    expect(workspace.exists("w2")).toBe(false);
    const { end } = await answer(agent, thread, { reply: false });
    const third = answer(agent, thread, { reply: true, request: (end.request ?? { id: request }).id });
    await expect(third).rejects.toMatchObject({
      code: "nothing-pending",
      message: expect.stringMatching(/ was answered already: approve by anna at [^ ]+Z\.$/),
    });
  });

  it("D7: to a finished thread names the last one", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(), [
      { calls: [write("w1"), write("w2")] },
      { text: "Done." },
    ]);
    const { thread } = (await send(agent, "write")).end;
    const decisions = [{ type: "approve" }, { type: "reject", message: "no" }];
    await answer(agent, thread, { reply: { decisions }, by: "anna" });
    await expect(answer(agent, thread, { reply: true })).rejects.toMatchObject({
      code: "nothing-pending",
      message: expect.stringMatching(
        new RegExp(
          `^Thread ${thread} is finished and waits for no answer\\. The last one was: approve, reject by anna at ${time}\\.$`,
        ),
      ),
    });
  });

  it.each(["first", "second"])(
    "D7: at the same time is told whose is taken, when it comes through the %s opening of the store",
    async (which) => {
      const workspace = createWorkspace({ "append.sh": "echo x >> log; sleep 0.3" });
      const { agent, server, reopen } = await createScriptedAgent(workspace, [
        { calls: [append] },
        { text: "Done." },
      ]);
      const { end } = await send(agent, "append");
      const request = end.request?.id ?? "";
      const other = which === "first" ? agent : await reopen();
      const both = await Promise.allSettled([
        answer(agent, end.thread, { reply: true, request, by: "anna" }),
        answer(other, end.thread, { reply: true, request, by: "ben" }),
      ]);
      const winner = both[0]?.status === "fulfilled" ? "anna" : "ben";
      const lost = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
      expect(lost.reason).toMatchObject({
        code: "thread-busy",
        message: expect.stringMatching(
          new RegExp(
            `^Thread "${end.thread}" is in use by process ${process.pid} on .*Z; it answers "${request}" for ${winner}\\.$`,
          ),
        ),
      });
      expect(workspace.read("log")).toBe("x\n");
      server.assertDone();
    },
  );
});

describe("an answer to the graph itself", () => {
  const invoke = (
    agent: Awaited<ReturnType<typeof askTwice>>["agent"],
    thread: string,
    resume: unknown,
    more = {},
  ) => agent.invoke(new Command({ resume }), { configurable: { thread_id: thread, ...more } });

  it("D6: to an unknown thread is refused, and no thread is made", async () => {
    const { agent } = await askTwice();
    await expect(invoke(agent, "typo", true)).rejects.toMatchObject({
      code: "thread-unknown",
      message: 'No thread "typo", so there is nothing to answer.',
    });
    await expect(readThread(agent, "typo")).rejects.toMatchObject({ code: "thread-unknown" });
    await expect(agent.invoke(new Command({ resume: true }))).rejects.toMatchObject({
      code: "usage",
      message: "An answer needs its thread: name it as configurable.thread_id.",
    });
  });

  it("D6: to a finished thread is refused, whatever it is", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [{ text: "Done." }]);
    const { thread } = (await send(agent, "hello")).end;
    const before = await readThread(agent, thread);
    const byId = { ["0".repeat(32)]: true };
    for (const resume of [true, false, "", 0, { decisions: [] }, { goto: "__end__" }, byId]) {
      await expect(invoke(agent, thread, resume), JSON.stringify(resume)).rejects.toMatchObject({
        code: "nothing-pending",
        message: `Nothing waits on thread "${thread}", so an answer cannot be taken.`,
      });
    }
    expect(await readThread(agent, thread)).toEqual(before);
    server.assertDone();
  });

  it("D6: under the id of a question that is not open is refused with the open one, which stays answerable", async () => {
    const { agent, thread, workspace } = await askTwice();
    const [open] = (await agent.getState({ configurable: { thread_id: thread } })).tasks.flatMap(
      ({ interrupts }) => interrupts,
    );
    const stale = "0123456789abcdef0123456789abcdef";
    for (const resume of [{ [stale]: true }, { [stale]: true, [open?.id ?? ""]: true }]) {
      await expect(invoke(agent, thread, resume)).rejects.toMatchObject({
        code: "request-unknown",
        message: `Question "${stale}" is not open on thread "${thread}". Open: "${open?.id}".`,
      });
    }
    expect(workspace.exists("w1")).toBe(false);
    await invoke(agent, thread, { [open?.id ?? ""]: true });
    expect(workspace.exists("w1")).toBe(true);
    await expect(invoke(agent, thread, { [open?.id ?? ""]: true })).rejects.toMatchObject({
      code: "request-unknown",
    });
    expect(workspace.exists("w2")).toBe(false);
  });

  it("D6: that names its request is for that one only", async () => {
    const { agent, thread, request, workspace } = await askTwice();
    await expect(
      invoke(agent, thread, { request: "req-0123456789ab", type: "approve" }),
    ).rejects.toMatchObject({
      code: "request-unknown",
    });
    await invoke(agent, thread, { request, type: "approve" });
    expect(workspace.exists("w1")).toBe(true);
    await expect(invoke(agent, thread, { request, type: "approve" })).rejects.toThrow(
      `Request "${request}" on thread "${thread}" was answered already: approve by ${me} at `,
    );
    expect(workspace.exists("w2")).toBe(false);
  });

  it("D7: twice to the same checkpoint is told by whom it was answered", async () => {
    const { agent, thread, workspace } = await askTwice();
    const { config } = await agent.getState({ configurable: { thread_id: thread } });
    const more = { checkpoint_id: config.configurable?.checkpoint_id };
    await invoke(agent, thread, true, more);
    await expect(invoke(agent, thread, false, more)).rejects.toMatchObject({
      code: "nothing-pending",
      message: expect.stringMatching(
        new RegExp(`^The question at checkpoint \\S+ was answered already: approve by ${me} at ${time}\\. `),
      ),
    });
    expect([workspace.exists("w1"), workspace.exists("w2")]).toEqual([true, false]);
  });

  it("D7: twice at once acts once, and the other one is told who runs", async () => {
    const workspace = createWorkspace({ "append.sh": "echo x >> log; sleep 0.3" });
    const { agent, server, reopen } = await createScriptedAgent(workspace, [
      { calls: [append] },
      { text: "Done." },
    ]);
    const { thread, request } = (await send(agent, "append")).end;
    const other = await reopen();
    const both = await Promise.allSettled([invoke(agent, thread, true), invoke(other, thread, true)]);
    const lost = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(lost.reason).toMatchObject({
      code: "thread-busy",
      message: expect.stringContaining(`; it answers "${request?.id}" for ${me}.`),
    });
    expect(workspace.read("log")).toBe("x\n");
    server.assertDone();
  });

  it("D12: goes to no question that a new message withdrew", async () => {
    const { agent, thread, workspace } = await askTwice();
    const config = { configurable: { thread_id: thread } };
    const [old] = (await agent.getState(config)).tasks.flatMap(({ interrupts }) => interrupts);
    await agent.invoke({ messages: [new HumanMessage("something else")] }, config);
    const [open] = (await agent.getState(config)).tasks.flatMap(({ interrupts }) => interrupts);
    expect(open?.id).not.toBe(old?.id);
    await expect(invoke(agent, thread, { [old?.id ?? ""]: true })).rejects.toMatchObject({
      code: "request-unknown",
    });
    expect([workspace.exists("w1"), workspace.exists("w2")]).toEqual([false, false]);
  });
});
