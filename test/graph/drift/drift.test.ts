import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CheckpointTuple, Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createSkillAgent, readThread, type SkillAgent } from "../../../src/index.ts";
import type { RuntimeEvent } from "../../../src/runtime/threads/events.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import type { ChatRequest } from "../../support/openai-server.ts";
import { complete, readPrompt, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace, skillText, type Workspace } from "../../support/workspace.ts";

const OLD = "Count the words.";
const NEW = "Count the letters.";
const counter = (text: string, header: Record<string, string> = {}) =>
  skillText({ name: "counter", description: "Counts.", ...header }, text);
const path = "skills/counter/SKILL.md";
const done = { text: "Done." };
const looked = { places: ["Rome"] };

function createCounter(files: Record<string, string> = {}): Workspace {
  return createWorkspace({ [path]: counter(OLD), ...files });
}

function listDrifts(events: RuntimeEvent[]) {
  return events.flatMap((event) => (event.type === "skill-drifted" ? [event] : []));
}

async function readState(agent: SkillAgent, thread: string) {
  return (await agent.getState({ configurable: { thread_id: thread } })).values;
}

function shows(request: ChatRequest | undefined, text: string): boolean {
  return readPrompt(request).includes(text);
}

describe("a skill whose files changed is pinned", () => {
  it("goes on with the text that was loaded, and says so once for each change of the disk", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done, done, done, done, done]);
    const { end } = await send(agent, "/counter");
    const say = async (message: string) =>
      listDrifts((await send(agent, message, { thread: end.thread })).events);
    expect(await say("nothing changed")).toEqual([]);
    workspace.write(path, counter(NEW));
    expect(await say("first")).toMatchObject([
      { name: "counter", choice: "pin", files: ["SKILL.md (changed)"], path: join(workspace.folder, path) },
    ]);
    expect(await say("second")).toEqual([]);
    workspace.write(path, counter("Count the lines."));
    expect(await say("third")).toHaveLength(1);
    workspace.write(path, counter(OLD));
    expect(await say("as it was")).toEqual([]);
    expect(server.requests.every((request) => shows(request, OLD))).toBe(true);
    const { loads, active } = await readState(agent, end.thread);
    expect(loads.map(({ type, by }: { type: string; by: string }) => `${type} by ${by}`)).toEqual([
      "loaded by person",
      "pinned by settings",
      "pinned by settings",
    ]);
    expect(active[0].drift).toBeUndefined();
    server.assertDone();
  });

  it.each<[string, (workspace: Workspace) => void, string[]]>([
    [
      "a script",
      ({ write }) => write("skills/counter/scripts/go.sh", "echo two"),
      ["scripts/go.sh (changed)"],
    ],
    ["a new file", ({ write }) => write("skills/counter/notes.md", "x"), ["notes.md (new)"]],
    [
      "a file that is gone",
      ({ folder }) => rmSync(join(folder, "skills/counter/scripts/go.sh")),
      ["scripts/go.sh (gone)"],
    ],
    [
      "its header alone",
      ({ write }) => write(path, counter(OLD, { "allowed-tools": "Bash(*)" })),
      ["SKILL.md (changed)"],
    ],
    ["the SKILL.md, which is gone", ({ folder }) => rmSync(join(folder, path)), ["SKILL.md (gone)"]],
    [
      "the folder, which is gone",
      ({ folder }) => rmSync(join(folder, "skills/counter"), { recursive: true }),
      ["SKILL.md (gone)"],
    ],
    ["what Python makes", ({ write }) => write("skills/counter/scripts/__pycache__/go.pyc", "x"), []],
  ])("names %s", async (_name, change, files) => {
    const workspace = createCounter({ "skills/counter/scripts/go.sh": "echo one" });
    const { agent, server, reopen } = await createScriptedAgent(workspace, [done, done]);
    const { end } = await send(agent, "/counter");
    change(workspace);
    const next = await send(await reopen(), "go on", { thread: end.thread });
    expect(listDrifts(next.events).flatMap((event) => event.files)).toEqual(files);
    expect(next.end.status).toBe("finished");
    expect(shows(server.requests[1], OLD)).toBe(true);
    server.assertDone();
  });

  it("grants what it granted when it was loaded, not what the new header asks for", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [
      done,
      { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch made" } }] },
    ]);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(OLD, { "allowed-tools": "Bash(touch:*)" }));
    const next = await send(agent, "make it", { thread: end.thread });
    expect(next.end.request?.items[0]).toMatchObject({ kind: "call", name: "Bash" });
    expect(workspace.exists("made")).toBe(false);
    server.assertDone();
  });

  it("a file that was only touched is no change", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done]);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(OLD));
    const { events } = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(events)).toEqual([]);
    server.assertDone();
  });

  it("of a folder with very many files, those that the skill names are told", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`skills/counter/data/${index}.txt`, "x"]),
    );
    const workspace = createCounter({ ...many, "skills/counter/scripts/go.sh": "echo one" });
    const { agent, server } = await createScriptedAgent(workspace, [done, done]);
    const { end } = await send(agent, "/counter");
    workspace.write("skills/counter/scripts/go.sh", "echo two");
    workspace.write("skills/counter/data/1.txt", "y");
    const { events } = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(events)[0]?.files).toEqual(["scripts/go.sh (changed)"]);
    expect(JSON.stringify(await readState(agent, end.thread))).not.toContain("data/1.txt");
    server.assertDone();
  });
});

describe("a person is asked about a skill whose files changed", () => {
  const ask = { drift: "ask" } as const;

  async function openQuestion(text = counter(NEW, { "allowed-tools": "Bash(wc:*)" }), more: object[] = []) {
    const workspace = createCounter({ "skills/counter/scripts/go.sh": "echo one" });
    const scripted = await createScriptedAgent(workspace, [done, done, ...(more as [])], ask);
    const { end } = await send(scripted.agent, "/counter");
    workspace.write(path, text);
    workspace.write("skills/counter/scripts/go.sh", "echo two");
    const asked = await send(scripted.agent, "go on", { thread: end.thread });
    return { ...scripted, workspace, thread: end.thread, asked, request: asked.end.request! };
  }

  it("before the next model call, with the difference and the choices", async () => {
    const { server, asked, request, workspace } = await openQuestion();
    expect(asked.end.status).toBe("waiting");
    expect(server.requests).toHaveLength(1);
    expect(listDrifts(asked.events)).toMatchObject([{ choice: "ask" }]);
    expect(request.items).toMatchObject([
      {
        kind: "drift",
        id: "counter",
        path: join(workspace.folder, path),
        files: ["SKILL.md (changed)", "scripts/go.sh (changed)"],
        choices: ["pin", "refresh", "stop"],
        form: { properties: { choice: { enum: ["pin", "refresh", "stop"] } } },
      },
    ]);
    const { difference = "", description } = request.items[0]!;
    expect(difference).toContain(`-${OLD}\n+allowed-tools: Bash(wc:*)\n+${NEW}`);
    expect(description).toContain("Used as on disk, whatever you choose: scripts/go.sh (changed).");
    expect(description).toContain(difference);
    expect(request.action_requests[0]?.args).toEqual({ choice: "pin" });
  });

  const pins: unknown[] = [true, "pin"];
  const edited = { type: "edit", edited_action: { name: "counter", args: { choice: "refresh" } } };
  const refreshes: unknown[] = ["refresh", { choice: "refresh" }, { decisions: [edited] }];
  const stops: unknown[] = [false, "stop", { goto: "__end__" }];

  it.each(pins)("%j pins: the old text goes on, and it is not asked again", async (reply) => {
    const { agent, server, thread, request, workspace } = await openQuestion(undefined, [done, done]);
    const { end, events } = await answer(agent, thread, { reply, request: request.id });
    expect(end.status).toBe("finished");
    expect(listDrifts(events)).toMatchObject([{ choice: "pin" }]);
    expect((await readThread(agent, thread)).status).toBe("finished");
    expect(shows(server.requests[1], OLD)).toBe(true);
    expect((await readState(agent, thread)).loads.at(-1)).toMatchObject({ type: "pinned", by: "person" });
    const again = await send(agent, "and again", { thread });
    expect([again.end.status, listDrifts(again.events)]).toEqual(["finished", []]);
    workspace.write("skills/counter/scripts/go.sh", "echo three");
    const changed = await send(agent, "once more", { thread });
    expect(changed.end.request?.items[0]?.kind).toBe("drift");
    expect(changed.end.request?.id).not.toBe(request.id);
  });

  it("pin holds when the model asks for the skill again", async () => {
    const again = { calls: [{ id: "k1", name: "Skill", arguments: { name: "counter", arguments: "x" } }] };
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, again, done], ask);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW));
    await send(agent, "go on", { thread: end.thread });
    await answer(agent, end.thread, { reply: "pin" });
    expect([shows(server.requests[2], OLD), shows(server.requests[2], NEW)]).toEqual([true, false]);
    expect(shows(server.requests[2], "Already active: counter")).toBe(true);
    server.assertDone();
  });

  it.each(refreshes)("%j reads the new text with what it is granted today", async (reply) => {
    const count = { calls: [{ id: "b1", name: "Bash", arguments: { command: "wc -l made" } }] };
    const workspace = createCounter({ made: "1\n" });
    const { agent, server } = await createScriptedAgent(workspace, [done, count, done], ask);
    const { end: first } = await send(agent, "/counter");
    workspace.write(path, counter(NEW, { "allowed-tools": "Bash(wc:*)" }));
    const { request } = (await send(agent, "go on", { thread: first.thread })).end;
    const { end, events } = await answer(agent, first.thread, { reply, request: request?.id ?? "" });
    expect(end).toMatchObject({ status: "finished", answer: "Done." });
    expect(listDrifts(events)).toMatchObject([{ choice: "refresh" }]);
    expect(server.requests.map((sent) => [shows(sent, OLD), shows(sent, NEW)])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
    const { loads, active } = await readState(agent, first.thread);
    expect(loads.at(-1)).toMatchObject({ type: "refreshed", by: "person", files: ["SKILL.md (changed)"] });
    expect(active).toHaveLength(1);
    server.assertDone();
  });

  it.each(stops)("%j stops the run, and it is asked again when the thread goes on", async (reply) => {
    const { agent, server, thread, request } = await openQuestion();
    const { end } = await answer(agent, thread, { reply, request: request.id });
    expect(end).toMatchObject({ status: "stopped", stop: { code: "declined" } });
    expect(server.requests).toHaveLength(1);
    const again = await answer(agent, thread);
    expect(again.end.request?.items[0]?.kind).toBe("drift");
    // D7: the answer to the first question is none to the second.
    expect(again.end.request?.id).not.toBe(request.id);
    await expect(answer(agent, thread, { reply: "pin", request: request.id })).rejects.toThrow(
      /Request "req-.*" .* was answered already/,
    );
    const next = await answer(agent, thread, { reply: "pin", request: again.end.request?.id ?? "" });
    expect(next.end).toMatchObject({ status: "finished", answer: "Done." });
    server.assertDone();
  });

  it.each<[unknown, string]>([
    ["maybe", '"maybe" is no answer for the changed skill "counter"; choose pin, refresh, stop.'],
    [{ decision: "dance" }, "is no answer"],
  ])("%j is no answer: it is asked again with the reason", async (reply, reason) => {
    const { agent, server, thread, request } = await openQuestion();
    await expect(answer(agent, thread, { reply, request: request.id })).rejects.toThrow(reason);
    // A server passes on what a client sends.
    await agent.invoke(new Command({ resume: reply }) as never, { configurable: { thread_id: thread } });
    const { request: again } = await readThread(agent, thread);
    expect(again?.errors?.[0]).toContain(reason);
    expect(again?.id).toBe(request.id);
    expect(server.requests).toHaveLength(1);
  });

  it("D12: a new message does not slip past the question, nor get lost", async () => {
    const { agent, server, thread, request } = await openQuestion();
    const { end } = await send(agent, "what time is it?", { thread });
    expect(end.request?.items[0]?.kind).toBe("drift");
    expect(end.request?.id).not.toBe(request.id);
    await answer(agent, thread, { reply: "refresh", request: end.request?.id ?? "" });
    expect(readPrompt(server.requests[1])).toMatch(/go on[\s\S]*what time is it\?/);
    server.assertDone();
  });

  it("D7: of two answers at once one counts", async () => {
    const { agent, server, thread, request, reopen } = await openQuestion();
    const other = await reopen();
    const results = await Promise.allSettled([
      answer(agent, thread, { reply: "pin", request: request.id }),
      answer(other, thread, { reply: "refresh", request: request.id }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    server.assertDone();
  });

  it("files that change between the question and the answer are asked about again", async () => {
    const { agent, server, thread, request, workspace } = await openQuestion();
    workspace.write(path, counter("Delete everything."));
    const { end } = await answer(agent, thread, { reply: "refresh", request: request.id });
    expect(server.requests).toHaveLength(1);
    expect(end.request?.items[0]).toMatchObject({
      kind: "drift",
      notes: ["It changed again after you were asked.", expect.any(String)],
    });
    expect(end.request?.items[0]?.difference).toContain("+Delete everything.");
    expect(end.request?.id).not.toBe(request.id);
    await answer(agent, thread, { reply: "refresh", request: end.request?.id ?? "" });
    expect(shows(server.requests[1], "Delete everything.")).toBe(true);
    server.assertDone();
  });

  it("a text that cannot be read is not offered", async () => {
    const { agent, server, thread, request } = await openQuestion("---\nname: counter\n---\n");
    expect(request.items[0]).toMatchObject({ choices: ["pin", "stop"] });
    expect(request.items[0]?.notes?.[0]).toMatch(/^The new text cannot be taken: .*SKILL\.md:\d+: /);
    await expect(answer(agent, thread, { reply: "refresh", request: request.id })).rejects.toThrow(
      /"refresh" is no answer .* now: The new text cannot be taken/,
    );
    await answer(agent, thread, { reply: "pin", request: request.id });
    expect(shows(server.requests[1], OLD)).toBe(true);
    server.assertDone();
  });

  it("a person who names the skill gets the new text without being asked", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done], ask);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW));
    const next = await send(agent, "/counter", { thread: end.thread });
    expect(next.end.status).toBe("finished");
    expect(listDrifts(next.events)).toMatchObject([{ choice: "refresh" }]);
    expect(shows(server.requests[1], NEW)).toBe(true);
    server.assertDone();
  });

  it("of two changed skills one is asked about after the other, and each answer reaches its own", async () => {
    const other = "skills/other/SKILL.md";
    const text = (body: string) => skillText({ name: "other", description: "Other." }, body);
    const workspace = createCounter({ [other]: text("OTHER OLD") });
    const { agent, server } = await createScriptedAgent(workspace, [done, done, done], ask);
    const { end } = await send(agent, "/counter");
    await send(agent, "/other", { thread: end.thread });
    workspace.write(path, counter(NEW));
    workspace.write(other, text("OTHER NEW"));
    const first = (await send(agent, "go on", { thread: end.thread })).end.request;
    const second = (await answer(agent, end.thread, { reply: "pin", request: first?.id ?? "" })).end.request;
    expect([first?.items[0]?.name, second?.items[0]?.name]).toEqual(["counter", "other"]);
    await answer(agent, end.thread, { reply: "refresh", request: second?.id ?? "" });
    const sent = server.requests[2];
    expect([OLD, NEW, "OTHER OLD", "OTHER NEW"].map((part) => shows(sent, part))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    server.assertDone();
  });

  it("the mode that refuses questions goes on with what was loaded", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done], {
      ...ask,
      permissions: { mode: "deny" },
    });
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW));
    const next = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(next.events)).toMatchObject([{ choice: "pin" }]);
    expect(shows(server.requests[1], OLD)).toBe(true);
    server.assertDone();
  });

  it("a run that failed within a model call is asked before the next one", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, { status: 400 }, done], ask);
    const { end } = await send(agent, "/counter");
    expect((await send(agent, "go on", { thread: end.thread })).end.status).toBe("failed");
    workspace.write(path, counter(NEW));
    const { end: asked } = await answer(agent, end.thread);
    expect(asked.request?.items[0]?.kind).toBe("drift");
    expect(server.requests).toHaveLength(2);
    await answer(agent, end.thread, { reply: "refresh" });
    expect(shows(server.requests[2], NEW)).toBe(true);
    server.assertDone();
  });

  it("a breakpoint before each model call does not lead round in circles", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done]);
    const { end } = await send(agent, "/counter");
    const config = { configurable: { thread_id: end.thread }, interruptBefore: ["act"] };
    await agent.invoke({ messages: [{ role: "user", content: "go on" }] } as never, config as never);
    workspace.write(path, counter(NEW));
    // The first look at the change leads back to the breakpoint, the next one on.
    await agent.invoke(null as never, config as never);
    expect(server.requests).toHaveLength(1);
    expect((await readState(agent, end.thread)).loads.at(-1)).toMatchObject({ type: "pinned" });
    await agent.invoke(null as never, config as never);
    expect((await readThread(agent, end.thread)).status).toBe("finished");
    server.assertDone();
  });

  it("the answer to an open call is taken first, and then it is asked", async () => {
    const workspace = createCounter();
    const write = { calls: [{ id: "w1", name: "Write", arguments: { path: "made", content: "x" } }] };
    const { agent, server } = await createScriptedAgent(workspace, [write, done], ask);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW));
    const next = await answer(agent, end.thread, { reply: true, request: end.request?.id ?? "" });
    expect(workspace.exists("made")).toBe(true);
    expect(next.end.request?.items[0]?.kind).toBe("drift");
    await expect(answer(agent, end.thread, { reply: true, request: end.request?.id ?? "" })).rejects.toThrow(
      "was answered already",
    );
    await answer(agent, end.thread, { reply: "refresh" });
    expect(shows(server.requests[1], NEW)).toBe(true);
    server.assertDone();
  });
});

describe("a skill whose files changed is refreshed", () => {
  const refresh = { drift: "refresh" } as const;

  it("with its model, its denials and its place", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [done, { calls: [{ id: "w1", name: "Write", arguments: { path: "x", content: "" } }] }, done],
      refresh,
    );
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW, { "disallowed-tools": "Write" }));
    const next = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(next.events)).toMatchObject([{ choice: "refresh" }]);
    expect(next.events.some(({ type }) => type === "tool-denied")).toBe(true);
    const roles = server.requests[1]?.body.messages?.map(({ role, content }) => [
      role,
      String(content).includes(NEW),
    ]);
    expect(roles?.slice(0, 3)).toEqual([
      ["system", false],
      ["user", false],
      ["user", true],
    ]);
    expect((await readState(agent, end.thread)).loads.at(-1)).toMatchObject({
      type: "refreshed",
      by: "settings",
    });
    server.assertDone();
  });

  it("only after a person's word where its folder is not trusted, and it grants nothing then", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [done, { calls: [{ id: "b1", name: "Bash", arguments: { command: "touch made" } }] }],
      { ...refresh, trust: false },
    );
    const { end } = await send(agent, "/counter");
    expect(end.request?.items[0]?.kind).toBe("skill");
    await answer(agent, end.thread, { reply: true });
    workspace.write(path, counter(NEW, { "allowed-tools": "Bash(touch:*)" }));
    const asked = await send(agent, "go on", { thread: end.thread });
    expect(asked.end.request?.items[0]).toMatchObject({ kind: "drift", choices: ["pin", "refresh", "stop"] });
    expect(asked.end.request?.items[0]?.notes?.[0]).toMatch(/^It needs your word because .*not trusted/);
    const next = await answer(agent, end.thread, { reply: "refresh" });
    expect(shows(server.requests[1], NEW)).toBe(true);
    expect(next.end.request?.items[0]).toMatchObject({ kind: "call", name: "Bash" });
    server.assertDone();
  });

  it("an ordinary skill that is gone stays as it was loaded", async () => {
    const workspace = createCounter();
    const { agent, server } = await createScriptedAgent(workspace, [done, done], refresh);
    const { end } = await send(agent, "/counter");
    rmSync(join(workspace.folder, "skills/counter"), { recursive: true });
    const next = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(next.events)).toMatchObject([{ choice: "pin", files: ["SKILL.md (gone)"] }]);
    expect(shows(server.requests[1], OLD)).toBe(true);
    server.assertDone();
  });
});

describe("a wizard whose files changed", () => {
  const plan = "skills/trip/stages/02-plan.md";

  async function startTrip(script: object[], options: { drift?: "pin" | "ask" | "refresh" } = {}) {
    const workspace = createWorkspace(tripFiles);
    const scripted = await createScriptedAgent(
      workspace,
      [complete("s1", looked), ...(script as [])],
      options,
    );
    const { end } = await send(scripted.agent, "/trip");
    return { ...scripted, workspace, thread: end.thread, gate: end.request! };
  }

  it("is refreshed at its stage: the results stay, and the new text is shown", async () => {
    const { agent, server, workspace, thread, gate } = await startTrip([done], { drift: "refresh" });
    workspace.write(plan, stageText(["title: Plan it", "gate: none"], "NEW PLAN for {look.places}."));
    const { events } = await answer(agent, thread, { reply: true, request: gate.id });
    expect(listDrifts(events)).toMatchObject([{ choice: "refresh", files: ["stages/02-plan.md (changed)"] }]);
    expect(shows(server.requests[1], "NEW PLAN for")).toBe(true);
    expect(shows(server.requests[1], "Rome")).toBe(true);
    expect(shows(server.requests[1], "PLAN: make a route.")).toBe(false);
    server.assertDone();
  });

  it("loses the results of stages that are gone", async () => {
    const { agent, server, workspace, thread, gate } = await startTrip([done], { drift: "refresh" });
    rmSync(join(workspace.folder, "skills/trip/stages/01-look.md"));
    await answer(agent, thread, { reply: true, request: gate.id });
    const { active } = await readState(agent, thread);
    expect(active[0].wizard).toMatchObject({ stage: "plan", results: [] });
    expect(shows(server.requests[1], "Rome")).toBe(false);
    server.assertDone();
  });

  it("that would lose its place says so before it is read anew, and can be pinned", async () => {
    const { agent, server, workspace, thread, gate } = await startTrip([done], { drift: "ask" });
    rmSync(join(workspace.folder, plan));
    const { end } = await answer(agent, thread, { reply: true, request: gate.id });
    expect(end.request?.items[0]).toMatchObject({ kind: "drift", choices: ["pin", "refresh", "stop"] });
    expect(end.request?.items[0]?.notes?.[0]).toBe(
      'With the new text you are asked where it goes on: its stage "plan" is gone.',
    );
    const next = await answer(agent, thread, { reply: true });
    expect(next.end.status).toBe("finished");
    expect(shows(server.requests[1], "PLAN: make a route.")).toBe(true);
    server.assertDone();
  });

  it("that cannot be read is not read anew", async () => {
    const { agent, workspace, thread, gate } = await startTrip([], { drift: "refresh" });
    workspace.write(plan, stageText(["gate: perhaps"], "X"));
    const { end } = await answer(agent, thread, { reply: true, request: gate.id });
    expect(end.request?.items[0]?.notes?.[0]).toMatch(/^The new text cannot be taken: .*02-plan\.md/);
  });

  it("shows the difference of its stages", async () => {
    const { agent, workspace, thread, gate } = await startTrip([], { drift: "ask" });
    workspace.write(plan, stageText(["title: Plan", "gate: none"], "PLAN: make a short route."));
    const { end } = await answer(agent, thread, { reply: true, request: gate.id });
    const difference = end.request?.items[0]?.difference ?? "";
    expect(difference).toContain("-PLAN: make a route.\n+PLAN: make a short route.");
    expect(difference).toContain("-gate: approve\n+gate: none");
  });

  it("edited under way with nothing chosen goes on as it was loaded", async () => {
    const { agent, server, workspace, thread, gate } = await startTrip([done]);
    workspace.write(plan, stageText([], "OTHER"));
    const { events } = await answer(agent, thread, { reply: true, request: gate.id });
    expect(listDrifts(events)).toMatchObject([{ choice: "pin" }]);
    expect(shows(server.requests[1], "PLAN: make a route.")).toBe(true);
    server.assertDone();
  });

  describe("B9: that is deleted under way", () => {
    const remove = ({ folder }: Workspace) => rmSync(join(folder, "skills/trip"), { recursive: true });

    it.each([undefined, "ask", "refresh"] as const)(
      "pauses when %s is chosen, and goes on with the stored text",
      async (drift) => {
        const { agent, server, workspace, thread, gate } = await startTrip([done], drift ? { drift } : {});
        remove(workspace);
        const { end, events } = await answer(agent, thread, { reply: true, request: gate.id });
        expect(listDrifts(events)).toMatchObject([{ choice: "ask", files: ["SKILL.md (gone)"] }]);
        expect(end.request?.items[0]).toMatchObject({ choices: ["pin", "stop"] });
        const next = await answer(agent, thread, { reply: "pin" });
        expect(next.end.status).toBe("finished");
        expect(shows(server.requests[1], "PLAN: make a route.")).toBe(true);
        server.assertDone();
      },
    );

    it("goes on when pin was chosen, and says so", async () => {
      const { agent, server, workspace, thread, gate } = await startTrip([done], { drift: "pin" });
      remove(workspace);
      const { end, events } = await answer(agent, thread, { reply: true, request: gate.id });
      expect(listDrifts(events)).toMatchObject([{ choice: "pin", files: ["SKILL.md (gone)"] }]);
      expect(end.status).toBe("finished");
      server.assertDone();
    });
  });
});

describe("what was chosen for one run", () => {
  it("counts for that run: pinned by default it is asked about when somebody wants to be asked", async () => {
    const workspace = createCounter();
    const { agent, server, reopen } = await createScriptedAgent(workspace, [done, done, done]);
    const { end } = await send(agent, "/counter");
    workspace.write(path, counter(NEW));
    expect(listDrifts((await send(agent, "one", { thread: end.thread })).events)).toMatchObject([
      { choice: "pin" },
    ]);
    const asking = await reopen({ drift: "ask" });
    expect((await send(asking, "two", { thread: end.thread })).end.request?.items[0]?.kind).toBe("drift");
    // The answer may come from a process that knows nothing of the flag.
    await answer(agent, end.thread, { reply: "refresh" });
    expect(shows(server.requests[2], NEW)).toBe(true);
    server.assertDone();
  });

  it("is not a client's to set", async () => {
    const workspace = createCounter();
    const { agent } = await createScriptedAgent(workspace, []);
    const context = { drift: "refresh" } as never;
    const { end } = await send(agent, "/counter", { context });
    expect(end.error?.message).toContain('The context holds "drift"');
    await expect(createSkillAgent({ cwd: workspace.folder, drift: "dance" as never })).rejects.toThrow(
      "drift",
    );
  });
});

describe("a thread from before files were kept in mind", () => {
  const NEW_FACTS = ["drifts", "loads", "recent", "unlocked"];

  /** The newest checkpoint as an earlier version wrote it. */
  async function makeOld(saver: MemorySaver, thread: string): Promise<void> {
    const config = { configurable: { thread_id: thread } };
    const { checkpoint, metadata } = (await saver.getTuple(config)) as CheckpointTuple;
    const values = checkpoint.channel_values as Record<string, unknown>;
    for (const name of NEW_FACTS) {
      delete values[name];
      delete checkpoint.channel_versions[name];
    }
    const [skill] = values.active as Record<string, unknown>[];
    delete skill?.files;
    const place = { configurable: { ...config.configurable, checkpoint_ns: "" } };
    await saver.put(place, checkpoint, metadata!);
  }

  it.each([
    ["unchanged", OLD, []],
    ["changed", NEW, [["SKILL.md (changed)"]]],
  ])("goes on when its text is %s, and learns of its files", async (_name, text, told) => {
    const workspace = createCounter();
    const saver = new MemorySaver();
    const { agent, server } = await createScriptedAgent(workspace, [done, done, done], {
      checkpointer: saver,
    });
    const { end } = await send(agent, "/counter");
    await makeOld(saver, end.thread);
    expect((await readState(agent, end.thread)).active[0].files).toBeUndefined();
    workspace.write(path, counter(text));
    const next = await send(agent, "go on", { thread: end.thread });
    expect(listDrifts(next.events).map(({ files }) => files)).toEqual(told);
    workspace.write("skills/counter/notes.md", "x");
    const { events } = await send(agent, "again", { thread: end.thread });
    expect(listDrifts(events)).toHaveLength(1);
    server.assertDone();
  });
});
