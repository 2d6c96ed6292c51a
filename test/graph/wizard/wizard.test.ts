import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { readThread } from "../../../src/index.ts";
import { answer, createScriptedAgent, readItem, send } from "../../support/agent.ts";
import { complete, listTools, readPrompt, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const looked = { places: ["Rome"] };
const planned = { days: 2, route: "by train" };

describe("the way through a wizard", () => {
  it("goes stage by stage, and only the intro and the current stage are in a request", async () => {
    const workspace = createWorkspace(tripFiles);
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1", looked),
      complete("s2", planned),
      complete("s3"),
      { text: "Booked." },
    ]);
    const first = await send(agent, "/trip two people");
    expect(first.end.status).toBe("waiting");
    expect(readItem(first.end)).toMatchObject({
      kind: "stage",
      name: "trip/look",
      stage: "look",
      args: looked,
      allowed: ["approve", "edit", "reject"],
      number: 1,
      total: 3,
      next: { id: "plan", title: "Plan" },
      back: ["look"],
    });
    const second = await answer(agent, first.end.thread, { reply: true });
    expect(readItem(second.end)).toMatchObject({ stage: "plan", args: planned, back: ["look", "plan"] });
    const third = await answer(agent, first.end.thread, { reply: { decisions: [{ type: "approve" }] } });
    expect(third.end).toMatchObject({ status: "finished", answer: "Booked." });

    const prompts = server.requests.map(readPrompt);
    const shown = prompts.map((prompt) =>
      ["LOOK:", "PLAN:", "APPLY:"].filter((word) => prompt.includes(word)),
    );
    expect(shown).toEqual([["LOOK:"], ["PLAN:"], ["APPLY:"], []]);
    expect(prompts.every((prompt) => prompt.includes("INTRO: plan a trip for two people."))).toBe(true);
    expect(prompts[1]).toContain('"places"');
    expect(prompts[2]).toContain("APPLY: book by train for 2 days.");
    expect(listTools(server.requests[2])).toContain("CompleteStage");
    expect(listTools(server.requests[3])).not.toContain("CompleteStage");
    server.assertDone();
  });

  it("a watcher is told when stages begin and end, and the thread says where it is", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", looked),
      complete("s2", planned),
    ]);
    const first = await send(agent, "/trip");
    expect((await readThread(agent, first.end.thread)).stage).toBe("look");
    const second = await answer(agent, first.end.thread, { reply: true });
    const stages = [...first.events, ...second.events].filter(({ type }) => type.startsWith("stage-"));
    expect(stages).toEqual([
      { type: "stage-start", skill: "trip", stage: "look", title: "Look around", number: 1, total: 3 },
      { type: "stage-end", skill: "trip", stage: "look", result: "approved" },
      { type: "stage-start", skill: "trip", stage: "plan", title: "Plan", number: 2, total: 3 },
    ]);
    expect((await readThread(agent, first.end.thread)).stage).toBe("plan");
  });

  it("the schema of the tool is the stage's output", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [complete("s1", looked)]);
    await send(agent, "/trip");
    const tool = server.requests[0]?.body.tools?.find((each) => each.function.name === "CompleteStage");
    expect(tool?.function.parameters).toMatchObject({
      required: ["summary", "output"],
      properties: { output: { required: ["places"] } },
    });
  });

  it("an output that does not fit goes back to the model with the reason, and no person is asked", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", { places: [] }),
      complete("s2", looked),
    ]);
    const { end } = await send(agent, "/trip");
    expect(readItem(end).id).toBe("s2");
    expect(readPrompt(server.requests[1])).toContain("does not fit");
    server.assertDone();
  });

  it("after three completions that do not fit, a person is asked, who may give the output", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1"),
      complete("s2", { places: 1 }),
      complete("s3", { places: [] }),
      complete("s4", planned),
    ]);
    const { end } = await send(agent, "/trip");
    expect(readItem(end)).toMatchObject({ id: "s3", allowed: ["edit", "reject"] });
    expect(readItem(end).failures?.length).toBeGreaterThan(0);
    await expect(answer(agent, end.thread, { reply: true })).rejects.toMatchObject({
      code: "answer-invalid",
    });
    const next = await answer(agent, end.thread, { reply: { places: ["Oslo"] } });
    expect(readItem(next.end).stage).toBe("plan");
    expect(readPrompt(server.requests[3])).toContain("Oslo");
    server.assertDone();
  });

  it("a completion beside other calls is not taken, and the others run", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace({ ...tripFiles, "a.txt": "AAA" }), [
      {
        calls: [
          { id: "r1", name: "Read", arguments: { path: "a.txt" } },
          { id: "s1", name: "CompleteStage", arguments: { summary: "x", output: looked } },
        ],
      },
      complete("s2", looked),
    ]);
    const { end } = await send(agent, "/trip");
    expect(readItem(end).id).toBe("s2");
    const prompt = readPrompt(server.requests[1]);
    expect(prompt).toContain("AAA");
    expect(prompt).toContain("call CompleteStage alone");
    server.assertDone();
  });

  it("without a wizard there is no CompleteStage, and a call of it says so", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [complete("s1"), { text: "Oh." }]);
    const { end } = await send(agent, "hello");
    expect(end.status).toBe("finished");
    expect(listTools(server.requests[0])).not.toContain("CompleteStage");
    expect(readPrompt(server.requests[1])).toContain("No wizard is under way");
    server.assertDone();
  });
});

describe("what a person may answer at a gate", () => {
  async function toGate(more: Parameters<typeof createScriptedAgent>[1] = []) {
    const workspace = createWorkspace(tripFiles);
    const scripted = await createScriptedAgent(workspace, [complete("s1", looked), ...more]);
    const { end } = await send(scripted.agent, "/trip");
    return { ...scripted, workspace, thread: end.thread, end };
  }

  it("an edited output is what later stages see", async () => {
    const { agent, server, thread } = await toGate([complete("s2", planned)]);
    const edited = {
      decisions: [{ type: "edit", edited_action: { name: "trip/look", args: { places: ["Oslo"] } } }],
    };
    const { end } = await answer(agent, thread, { reply: edited });
    expect(readItem(end).stage).toBe("plan");
    expect(readPrompt(server.requests[1])).toContain("Oslo");
    expect(readPrompt(server.requests[1])).toContain("changed its output");
    server.assertDone();
  });

  it("an edit that does not fit is asked again with the reason, and no model is called", async () => {
    const { agent, server, thread, end } = await toGate();
    const config = { configurable: { thread_id: thread } };
    await agent.invoke(new Command({ resume: { places: [] } }), config);
    const after = await readThread(agent, thread);
    expect(after.status).toBe("waiting");
    expect(after.request?.id).toBe(end.request?.id);
    expect(after.request?.errors?.join()).toContain("places");
    expect(server.requests).toHaveLength(1);
  });

  it("a rejection sends the stage back with the feedback in context", async () => {
    const { agent, server, thread } = await toGate([complete("s2", looked)]);
    const { end, events } = await answer(agent, thread, {
      reply: { type: "reject", message: "more to the north" },
    });
    expect(readItem(end)).toMatchObject({ stage: "look", id: "s2" });
    const prompt = readPrompt(server.requests[1]);
    expect(prompt).toContain("more to the north");
    expect(prompt).toContain("LOOK:");
    expect(prompt).not.toContain("PLAN:");
    expect(events).toContainEqual({ type: "stage-end", skill: "trip", stage: "look", result: "rejected" });
    server.assertDone();
  });

  it("going back reopens a stage: later outputs are gone and their gates close again", async () => {
    const { agent, server, thread } = await toGate([
      complete("s2", planned),
      complete("s3", { places: ["Bern"] }),
      complete("s4", { days: 5, route: "on foot" }),
      complete("s5"),
      { text: "Booked." },
    ]);
    await answer(agent, thread, { reply: true });
    const back = await answer(agent, thread, { reply: { goto: "look" } });
    expect(readItem(back.end)).toMatchObject({ stage: "look", args: { places: ["Bern"] } });
    expect(readPrompt(server.requests[2])).toContain("LOOK:");
    expect(readPrompt(server.requests[2])).not.toContain("by train");
    const plan = await answer(agent, thread, { reply: "approve" });
    expect(readItem(plan.end).stage).toBe("plan");
    const done = await answer(agent, thread, { reply: true });
    expect(done.end.status).toBe("finished");
    expect(readPrompt(server.requests[4])).toContain("APPLY: book on foot for 5 days.");
    server.assertDone();
  });

  it("a stage that was not reached cannot be gone to, by name", async () => {
    const { agent, thread } = await toGate();
    const reply = answer(agent, thread, { reply: { goto: "apply" } });
    await expect(reply).rejects.toThrow(/"apply".*look/s);
    expect((await readThread(agent, thread)).status).toBe("waiting");
  });

  it("a wizard that is stopped ends with a word, and the next message is a plain one", async () => {
    const { agent, server, thread } = await toGate([{ text: "Hello." }]);
    const { end } = await answer(agent, thread, { reply: { goto: "__end__" } });
    expect(end).toMatchObject({ status: "finished", stop: { code: "declined" } });
    expect(end.answer).toContain('stopped by the person at the stage "look"');
    const after = await send(agent, "hi", { thread });
    expect(after.end.answer).toBe("Hello.");
    expect(readPrompt(server.requests[1])).not.toContain("LOOK:");
    expect(listTools(server.requests[1])).not.toContain("CompleteStage");
    server.assertDone();
  });

  it("going back is also an answer to a call that asks, which is not carried out then", async () => {
    const { agent, server, workspace, thread } = await toGate([
      { calls: [{ id: "w1", name: "Write", arguments: { path: "out", content: "x" } }] },
      complete("s3", looked),
    ]);
    const asked = await answer(agent, thread, { reply: true });
    expect(readItem(asked.end).kind).toBe("call");
    const { end } = await answer(agent, thread, { reply: { goto: "look" } });
    expect(readItem(end)).toMatchObject({ stage: "look", id: "s3" });
    expect(workspace.exists("out")).toBe(false);
    server.assertDone();
  });

  it("D12: a new message withdraws the question, and the stage is to be completed again", async () => {
    const { agent, server, thread } = await toGate([{ text: "It is noon." }, complete("s2", looked)]);
    const { end, events } = await send(agent, "actually, what time is it?", { thread });
    expect(end).toMatchObject({ status: "finished", answer: "It is noon." });
    const text = 'The question at stage "look" was withdrawn by the new message.';
    expect(events).toContainEqual({ type: "notice", text });
    const prompt = readPrompt(server.requests[1]);
    expect(prompt).toContain("Cancelled: the person wrote a new message");
    expect(prompt).toContain("LOOK:");
    const again = await send(agent, "go on", { thread });
    expect(readItem(again.end)).toMatchObject({ stage: "look", id: "s2" });
    server.assertDone();
  });

  it("no mode opens a gate", async () => {
    for (const mode of ["allow", "deny", "ask"] as const) {
      const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [complete("s1", looked)], {
        permissions: { mode },
      });
      const { end } = await send(agent, "/trip");
      expect(end.status).toBe("waiting");
      expect(readItem(end).stage).toBe("look");
    }
  });
});

describe("a form at a gate", () => {
  const files = (form: string[]) => ({
    "skills/ask/SKILL.md": skillText({ name: "ask", description: "Asks." }, "INTRO"),
    "skills/ask/stages/1-facts.md": stageText(["title: Facts", "gate: form", ...form], "FACTS"),
    "skills/ask/stages/2-use.md": stageText(["title: Use", "gate: none"], "USE {facts.size}"),
  });
  const output = [
    "output:",
    "  type: object",
    "  required: [size, color]",
    "  properties:",
    "    size: { type: integer }",
    "    color: { type: string, enum: [red, blue] }",
  ];

  it("shows what the model found as defaults, and takes the values of a chat form", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files(output)), [
      complete("s1", { size: 3 }),
      complete("s2"),
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/ask");
    expect(readItem(end)).toMatchObject({
      gate: "form",
      args: { size: 3 },
      allowed: ["edit", "respond", "reject"],
    });
    const done = await answer(agent, end.thread, { reply: { size: "7", color: "blue" } });
    expect(done.end.status).toBe("finished");
    expect(readPrompt(server.requests[1])).toContain("USE 7");
    server.assertDone();
  });

  it("approving takes what is shown, once nothing is missing", async () => {
    const withDefault = output.map((line) => line.replace("blue] }", "blue], default: red }"));
    const more = files(withDefault);
    more["skills/ask/stages/2-use.md"] = stageText(["gate: none"], "USE {facts.size} {facts.color}");
    const { agent, server } = await createScriptedAgent(createWorkspace(more), [
      complete("s1", { size: 3 }),
      complete("s2"),
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/ask");
    expect(readItem(end)).toMatchObject({
      args: { size: 3, color: "red" },
      allowed: expect.arrayContaining(["approve"]),
    });
    await answer(agent, end.thread, { reply: true });
    expect(readPrompt(server.requests[1])).toContain("USE 3 red");
    server.assertDone();
  });

  it("a value that does not fit is refused by name", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(files(output)), [complete("s1")]);
    const { end } = await send(agent, "/ask");
    await agent.invoke(new Command({ resume: { size: "big", color: "green" } }), {
      configurable: { thread_id: end.thread },
    });
    const { request } = await readThread(agent, end.thread);
    expect(request?.errors?.join()).toContain("size");
  });

  it("a form of its own is kept beside the output", async () => {
    const form = ["form:", "  type: object", "  required: [ok]", "  properties: { ok: { type: boolean } }"];
    const { agent, server } = await createScriptedAgent(createWorkspace(files(form)), [
      complete("s1", { size: 4 }),
      complete("s2"),
      { text: "Done." },
    ]);
    const { end } = await send(agent, "/ask");
    expect(readItem(end).allowed).not.toContain("approve");
    const done = await answer(agent, end.thread, {
      reply: { decisions: [{ type: "respond", value: { ok: true } }] },
    });
    expect(done.end.status).toBe("finished");
    expect(readPrompt(server.requests[1])).toContain('"ok"');
    expect(readPrompt(server.requests[1])).toContain("USE 4");
    server.assertDone();
  });
});

describe("replies of clients at a gate", () => {
  it.each([
    [{ decision: "reject", feedback: "more" }, "rejected"],
    [{ action: "approve" }, "approved"],
    [[{ type: "accept", args: null }], "approved"],
    [[{ type: "response", args: "more" }], "rejected"],
    [[{ type: "ignore", args: null }], "rejected"],
    ['{"decisions":[{"type":"approve"}]}', "approved"],
    ["approve", "approved"],
    ["more to the north", "rejected"],
    [false, "rejected"],
    [{ resume: "yes" }, "approved"],
    [{ decisions: [{ type: "edit", editedAction: { args: { places: ["Oslo"] } } }] }, "edited"],
  ])("%j means %s", async (reply, result) => {
    const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", looked),
      complete("s2", result === "rejected" ? looked : planned),
    ]);
    const { end } = await send(agent, "/trip");
    const { events } = await answer(agent, end.thread, { reply });
    expect(events).toContainEqual({ type: "stage-end", skill: "trip", stage: "look", result });
  });

  it.each([
    { approved: true },
    { reject: "no" },
    { decision: "maybe" },
    7,
    [],
    {},
    { feedback: "no, wrong" },
    { ok: false },
    { status: "rejected" },
    { message: "No!" },
    { decisions: [{}] },
    { c1: { type: "approve" } },
  ])("%j is no answer: it is asked again with the reason, and no model is called", async (reply) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [complete("s1", looked)]);
    const { end } = await send(agent, "/trip");
    await agent.invoke(new Command({ resume: reply }), { configurable: { thread_id: end.thread } });
    const { status, request } = await readThread(agent, end.thread);
    expect(status).toBe("waiting");
    expect(request?.errors?.length).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(1);
  });

  it('"Mark as resolved" of a chat client ends the wizard in order', async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", looked),
      { text: "Hello." },
    ]);
    const { end } = await send(agent, "/trip");
    await agent.invoke(new Command({ goto: "__end__" }) as never, {
      configurable: { thread_id: end.thread },
    });
    expect((await readThread(agent, end.thread)).status).toBe("finished");
    expect((await send(agent, "hi", { thread: end.thread })).end.answer).toBe("Hello.");
    server.assertDone();
  });

  it('"Mark as resolved" at a call ends the run, and the call is not carried out', async () => {
    const workspace = createWorkspace();
    const write = { id: "w1", name: "Write", arguments: { path: "out", content: "x" } };
    const { agent, server } = await createScriptedAgent(workspace, [{ calls: [write] }, { text: "Hello." }]);
    const { end } = await send(agent, "write");
    await agent.invoke(new Command({ goto: "__end__" }) as never, {
      configurable: { thread_id: end.thread },
    });
    expect(await readThread(agent, end.thread)).toMatchObject({
      status: "finished",
      stop: { code: "declined" },
    });
    expect(workspace.exists("out")).toBe(false);
    expect((await send(agent, "hi", { thread: end.thread })).end.answer).toBe("Hello.");
    server.assertDone();
  });
});

it("a turn that ends in the middle of a stage says which one", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
    { text: "Where do you want to go?" },
  ]);
  const { end } = await send(agent, "/trip");
  expect(end).toMatchObject({ status: "finished", stage: "look", answer: "Where do you want to go?" });
});

it.each([{ feedback: "no, wrong" }, { ok: false }, { cancel: true }, {}, { c1: { type: "reject" } }])(
  "a gate that hands over a summary only is not opened by %j",
  async (reply) => {
    const files = {
      "skills/s/SKILL.md": skillText({ name: "s", description: "Sums up." }, "INTRO"),
      "skills/s/stages/1-a.md": stageText([], "A"),
      "skills/s/stages/2-b.md": stageText([], "B"),
    };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [complete("s1")]);
    const { end } = await send(agent, "/s");
    await expect(answer(agent, end.thread, { reply })).rejects.toMatchObject({ code: "answer-invalid" });
    await agent.invoke(new Command({ resume: reply }) as never, { configurable: { thread_id: end.thread } });
    expect((await readThread(agent, end.thread)).stage).toBe("a");
    expect(server.requests).toHaveLength(1);
  },
);

it("an edit names what changes, and the other fields stay", async () => {
  const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", looked),
    complete("s2", planned),
    complete("s3"),
    { text: "Booked." },
  ]);
  const { end } = await send(agent, "/trip");
  await answer(agent, end.thread, { reply: true });
  await answer(agent, end.thread, { reply: { days: "9" } });
  expect(readPrompt(server.requests[2])).toContain("APPLY: book by train for 9 days.");
  server.assertDone();
});

it("a wizard is not left by another spelling of its name", async () => {
  const body = "INTRO\n\n## Stage 1: Look\n\nLOOK\n\n## Stage 2: Act\n\nACT";
  const name = "r\u00e9sum\u00e9";
  const files = { [`skills/${name}/SKILL.md`]: skillText({ name, description: "Writes one." }, body) };
  const { agent, server } = await createScriptedAgent(createWorkspace(files), [
    { calls: [{ id: "k1", name: "Skill", arguments: { name: name.normalize("NFD") } }] },
    complete("s1"),
  ]);
  const { end } = await send(agent, `/${name}`, { wizard: true });
  expect(readItem(end)).toMatchObject({ stage: "look" });
  expect(readPrompt(server.requests[1])).not.toContain("ACT");
  server.assertDone();
});

it("a person who names a wizard that is under way again keeps its stages", async () => {
  const body = "INTRO\n\n## Stage 1: Look\n\nLOOK\n\n## Stage 2: Act\n\nACT";
  const files = { "skills/doc/SKILL.md": skillText({ name: "doc", description: "Writes." }, body) };
  const { agent, server } = await createScriptedAgent(createWorkspace(files), [
    { text: "Hm." },
    { text: "Hm." },
  ]);
  const { end } = await send(agent, "/doc", { wizard: true });
  await send(agent, "/doc more", { thread: end.thread });
  expect(readPrompt(server.requests[1])).not.toContain("ACT");
  expect((await readThread(agent, end.thread)).stage).toBe("look");
});

it("a message with the result of the gate's own call leaves the stage to be completed again", async () => {
  const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [
    complete("s1", looked),
    { text: "Hm." },
    complete("s2", looked),
  ]);
  const { end } = await send(agent, "/trip");
  const config = { configurable: { thread_id: end.thread } };
  await agent.invoke(
    { messages: [{ role: "tool", tool_call_id: "s1", content: "approved" }] } as never,
    config,
  );
  expect((await readThread(agent, end.thread)).stage).toBe("look");
  const again = await send(agent, "go on", { thread: end.thread });
  expect(readItem(again.end)).toMatchObject({ stage: "look", id: "s2" });
});
