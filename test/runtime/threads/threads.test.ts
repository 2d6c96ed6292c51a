import { tool } from "@langchain/core/tools";
import { interrupt, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createSkillAgent,
  deleteThread,
  findThread,
  forkThread,
  listThreads,
  readHistory,
  readThread,
  resumeThread,
  type SkillAgent,
  startThread,
  unloadSkill,
} from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const thread = "9b2f6a52-7f0e-4c57-9f0e-2f1f6f1d2c11";

function createOffline(checkpointer: boolean | MemorySaver) {
  const { folder, environment } = createWorkspace();
  return createSkillAgent({ cwd: folder, environment, model: "offline", checkpointer });
}

describe.each([false, true])("an agent with checkpointer: %s", (checkpointer) => {
  it.each<[string, (agent: SkillAgent) => Promise<unknown>]>([
    ["startThread", (agent) => startThread(agent, "hello").next()],
    ["resumeThread", (agent) => resumeThread(agent, thread).next()],
    ["readThread", (agent) => readThread(agent, thread)],
    ["readHistory", (agent) => readHistory(agent, thread)],
    ["listThreads", (agent) => listThreads(agent)],
    ["findThread", (agent) => findThread(agent)],
    ["findThread with a prefix", (agent) => findThread(agent, "9b")],
    ["forkThread", (agent) => forkThread(agent, thread, "1")],
    ["deleteThread", (agent) => deleteThread(agent, thread)],
    ["unloadSkill", (agent) => unloadSkill(agent, thread, "x")],
  ])("%s says that it keeps no threads", async (_name, use) => {
    await expect(use(await createOffline(checkpointer))).rejects.toMatchObject({
      code: "usage",
      message: "This agent keeps no threads: it was made without a checkpointer.",
    });
  });
});

it("D6: an answer to an unknown thread is refused as one, also with a saver of the caller's own", async () => {
  const agent = await createOffline(new MemorySaver());
  for (const options of [{ reply: true }, {}, { reply: true, request: "req-0123456789ab" }]) {
    await expect(answer(agent, "typo", options)).rejects.toMatchObject({
      code: "thread-unknown",
      message: 'No thread "typo".',
    });
  }
  await expect(findThread(agent, "typo")).rejects.toMatchObject({
    code: "thread-unknown",
    message: 'No thread "typo". Threads in a saver of your own are not listed.',
  });
});

describe("deleteThread with a saver of the caller's own", () => {
  it("deletes the thread", async () => {
    const agent = await createOffline(new MemorySaver());
    const { end } = await send(agent, "hello");
    expect((await readThread(agent, end.thread)).messages).not.toEqual([]);
    await deleteThread(agent, end.thread);
    expect((await readThread(agent, end.thread)).messages).toEqual([]);
  });

  it("says so when the saver cannot", async () => {
    const saver = new MemorySaver();
    Object.assign(saver, { deleteThread: undefined });
    const agent = await createOffline(saver);
    const { end } = await send(agent, "hello");
    await expect(deleteThread(agent, end.thread)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("no deleteThread"),
    });
  });
});

it("a run that stopped has no answer, also when an earlier turn had one", async () => {
  const call = { id: "g1", name: "Glob", arguments: { pattern: "*" } };
  const { agent, server } = await createScriptedAgent(
    createWorkspace(),
    [{ text: "Hello." }, { calls: [call] }],
    { maxSteps: 1 },
  );
  const first = await send(agent, "hello");
  expect(first.end).toMatchObject({ status: "finished", answer: "Hello." });
  const { end } = await send(agent, "look", { thread: first.end.thread });
  expect(end).toMatchObject({ status: "stopped", stop: { code: "step-limit" } });
  expect(end).not.toHaveProperty("answer");
  server.assertDone();
});

describe("a question of the caller's own tool", () => {
  async function ask(question: unknown, turns = 1) {
    const own = tool(
      () => {
        const answers = Array.from({ length: turns }, () => interrupt(question));
        return JSON.stringify(answers);
      },
      { name: "confirm", description: "Asks.", schema: z.object({}) },
    );
    const { agent, server } = await createScriptedAgent(
      createWorkspace(),
      [{ calls: [{ id: "c1", name: "confirm", arguments: {} }] }, { text: "Done." }],
      { tools: [own], permissions: { allow: ["confirm"] } },
    );
    const { events, end } = await send(agent, "confirm");
    const readAnswer = () => server.requests[1]?.body.messages?.at(-1)?.content;
    return { agent, server, events, end, readAnswer };
  }

  it.each([
    ["Really?", { value: "Really?" }, "Really?"],
    [{ question: "Which?", from: ["a"] }, { question: "Which?", from: ["a"] }, "Which?"],
    [{ items: [1], message: "Pick." }, { items: [1], message: "Pick." }, "Pick."],
    [{ size: 3 }, { size: 3 }, '{"size":3}'],
    [7, { value: 7 }, "7"],
    [null, { value: null }, "null"],
  ])("%j is a request like any other", async (question, args, description) => {
    const { agent, events, end } = await ask(question);
    const item = {
      kind: "question",
      name: "confirm",
      args,
      description,
      allowed: ["respond"],
      asker: "tool",
    };
    expect(end.request).toMatchObject({
      id: expect.stringMatching(/^req-[0-9a-f]{12}$/),
      items: [item],
      action_requests: [{ name: "confirm", args }],
      reviewConfigs: [{ actionName: "confirm", allowedDecisions: ["respond"] }],
    });
    expect(events).toContainEqual({ type: "review-open", request: end.request });
    expect((await readThread(agent, end.thread)).request).toEqual(end.request);
    expect((await readHistory(agent, end.thread))[0]?.summary).toBe("asks: confirm");
  });

  it.each([
    ["yes", "yes"],
    [false, false],
    [0, 0],
    [{ any: ["thing"] }, { any: ["thing"] }],
    [{ decisions: [{ type: "approve" }] }, { decisions: [{ type: "approve" }] }],
    [{ decisions: [{ type: "respond", value: "x" }] }, "x"],
    [{ type: "respond", value: { a: 1 } }, { a: 1 }],
    [
      { type: "respond", value: 1, more: 2 },
      { type: "respond", value: 1, more: 2 },
    ],
  ])("the reply %j reaches the tool as %j", async (reply, given) => {
    const { agent, server, end, readAnswer } = await ask({ question: "Which?" });
    const after = await answer(agent, end.thread, { reply, request: end.request?.id ?? "" });
    expect(after.end.status).toBe("finished");
    expect(readAnswer()).toBe(JSON.stringify([given]));
    server.assertDone();
  });

  it("is another request each time it is asked, and a late answer to the first is refused", async () => {
    const { agent, server, end, readAnswer } = await ask("Which?", 2);
    const first = end.request?.id ?? "";
    const second = await answer(agent, end.thread, { reply: "a", request: first });
    expect(second.end.status).toBe("waiting");
    await expect(answer(agent, end.thread, { reply: "b", request: first })).rejects.toMatchObject({
      code: "request-unknown",
    });
    await answer(agent, end.thread, { reply: "b", request: second.end.request?.id ?? "" });
    expect(readAnswer()).toBe('["a","b"]');
    server.assertDone();
  });
});
