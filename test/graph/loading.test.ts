import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readThread } from "../../src/index.ts";
import { createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest } from "../support/openai-server.ts";
import { listTools } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const BODY = "Count the words of a text with care.";
const files = {
  "skills/counter/SKILL.md": skillText({ name: "counter", description: "Counts words." }, BODY),
  "skills/pdf-report/SKILL.md": skillText({ name: "pdf-report", description: "Reports." }, "REPORT-BODY"),
  "skills/secret-one/SKILL.md": skillText(
    { name: "secret-one", description: "Hidden.", "disable-model-invocation": "true" },
    "SECRET-BODY",
  ),
};
const inPrompt = { "skillgraph.json": JSON.stringify({ skills: { catalog: "system-prompt" } }) };

function countIn(request: ChatRequest | undefined, text: string): number {
  return JSON.stringify(request?.body.messages ?? []).split(text).length - 1;
}

/** What the model was told of a call. */
function resultOf(request: ChatRequest | undefined, id: string): string {
  const message = request?.body.messages?.find((each) => each.role === "tool" && each.tool_call_id === id);
  return String(message?.content ?? "");
}

const callOf = (id: string, name: string, args: Record<string, unknown>) => ({ id, name, arguments: args });

describe("every way to load a skill", () => {
  const path = (workspace: { folder: string }) => join(workspace.folder, "skills/counter/SKILL.md");

  it.each([
    ["/counter a b", "name", "a b"],
    ["$counter a b", "name", "a b"],
    ["please use $counter here", "mention", ""],
  ])("%j leads to one state, one record and one body", async (message, way, args) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [{ text: "ok" }]);
    const { end, events } = await send(agent, message);
    const { skills, loads } = await readThread(agent, end.thread);
    expect(skills).toMatchObject([{ name: "counter", arguments: args }]);
    expect(loads).toMatchObject([{ type: "loaded", name: "counter", by: "person", way }]);
    expect(loads[0]?.tokens).toBeGreaterThan(5);
    expect(events.filter(({ type }) => type === "skill-loaded")).toHaveLength(1);
    expect(countIn(server.requests[0], BODY)).toBe(1);
    expect(countIn(server.requests[0], message)).toBeGreaterThan(0);
    server.assertDone();
  });

  it.each([
    ["Skill", { name: "counter", arguments: "a b" }, "tool", "a b"],
    ["load_skill", { skill_name: "counter" }, "tool", ""],
    ["use_skill", { skill: "counter" }, "tool", ""],
    ["activate_skill_counter", { arguments: "a b" }, "activate", "a b"],
    ["activate_skill_counter", { input: "a b" }, "activate", "a b"],
    ["load_skill_counter", {}, "activate", ""],
  ])("a call of %s %j is the way %s", async (name, input, way, args) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { calls: [callOf("c1", name, input)] },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "count");
    const { skills, loads } = await readThread(agent, end.thread);
    expect(skills).toMatchObject([{ name: "counter", arguments: args }]);
    expect(loads).toMatchObject([{ type: "loaded", name: "counter", by: "model", way }]);
    expect(countIn(server.requests[1], BODY)).toBe(1);
    expect(resultOf(server.requests[1], "c1")).toBe("Launching skill: counter");
    server.assertDone();
  });

  it("a Read of a SKILL.md that the system prompt names is a load; a repeat says so; with a limit it is a Read", async () => {
    const workspace = createWorkspace({ ...files, ...inPrompt });
    const { agent, server } = await createScriptedAgent(workspace, [
      {
        calls: [callOf("c1", "Read", { path: path(workspace) }), callOf("c2", "Glob", { pattern: "*.json" })],
      },
      { calls: [callOf("c3", "Read", { path: "skills/counter/SKILL.md" })] },
      { calls: [callOf("c4", "Read", { path: path(workspace), limit: 2 })] },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "count");
    const roles = server.requests[1]?.body.messages?.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "tool", "user"]);
    expect(resultOf(server.requests[1], "c1")).toMatch(/^Launching skill: counter\. .*offset or a limit/);
    expect(server.requests.slice(1).map((request) => countIn(request, BODY))).toEqual([1, 1, 1]);
    expect(resultOf(server.requests[2], "c3")).toContain("Already active: counter");
    expect(resultOf(server.requests[3], "c4")).toContain("name: counter");
    expect((await readThread(agent, end.thread)).loads).toMatchObject([{ way: "read", by: "model" }]);
    server.assertDone();
  });

  it("with the catalog in the tool, a Read of a SKILL.md is a Read", async () => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [callOf("c1", "Read", { path: path(workspace) })] },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "show it");
    expect(resultOf(server.requests[1], "c1")).toContain(BODY);
    expect((await readThread(agent, end.thread)).loads).toEqual([]);
  });

  it("a Read of a SKILL.md that is not offered, or that a rule denies, loads nothing", async () => {
    const workspace = createWorkspace({
      ...files,
      "skillgraph.json": JSON.stringify({
        skills: { catalog: "system-prompt" },
        permissions: { deny: ["Read(skills/counter/**)"] },
      }),
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      {
        calls: [
          callOf("c1", "Read", { path: "skills/secret-one/SKILL.md" }),
          callOf("c2", "Read", { path: path(workspace) }),
        ],
      },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "count");
    expect(resultOf(server.requests[1], "c1")).toContain("SECRET-BODY");
    expect(resultOf(server.requests[1], "c2")).toMatch(/^Not allowed: rule "Read\(skills\/counter\/\*\*\)"/);
    expect((await readThread(agent, end.thread)).loads).toEqual([]);
  });

  it("several mentions load in order, and the message stays as it is", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [{ text: "ok" }]);
    const message = "take $pdf-report and $counter, not `$secret-one`";
    const { end } = await send(agent, message);
    const { skills, messages } = await readThread(agent, end.thread);
    expect(skills.map(({ name }) => name)).toEqual(["pdf-report", "counter"]);
    expect(messages[0]?.text).toBe(message);
    server.assertDone();
  });

  it("B2: a mention of a skill in force neither loads it again nor takes its arguments", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { text: "1" },
      { text: "2" },
    ]);
    const { end } = await send(agent, "/counter a b");
    const bytes = server.requests[0]?.bytes ?? 0;
    await send(agent, "as $counter says", { thread: end.thread });
    const { skills, loads } = await readThread(agent, end.thread);
    expect(skills).toMatchObject([{ arguments: "a b" }]);
    expect(loads).toHaveLength(1);
    expect(countIn(server.requests[1], BODY)).toBe(1);
    expect((server.requests[1]?.bytes ?? 0) - bytes).toBeLessThan(300);
  });

  it("the names that were asked for last stand in front, once each", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(files), [{ text: "1" }, { text: "2" }]);
    const { end } = await send(agent, "$counter and $pdf-report");
    await send(agent, "/counter again", { thread: end.thread });
    const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
    expect(values.recent).toEqual(["counter", "pdf-report"]);
  });
});

describe("B5: a skill's name as a tool, or an invented one", () => {
  it.each([
    ["pdf-report", {}, '"pdf-report" is a skill, not a tool. Load it with Skill {"name": "pdf-report"}.'],
    ["pdf_report", {}, '"pdf-report" is a skill, not a tool.'],
    ["pdf-reprot", {}, 'No tool named "pdf-reprot". The skill "pdf-report" is loaded with Skill'],
    ["load_skill", { name: "pdf-reprot" }, 'No skill named "pdf-reprot". Nearest: pdf-report.'],
    ["activate_skill_pdf_reprot", {}, "Nearest: pdf-report."],
    ["secret-onee", {}, 'No tool named "secret-onee". Tools:'],
  ])("B5: %s %j is answered with the way to load it", async (name, input, told) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { calls: [callOf("c1", name, input)] },
      { text: "ok" },
    ]);
    await send(agent, "report");
    expect(resultOf(server.requests[1], "c1")).toContain(told);
    server.assertDone();
  });

  it("B5: five such turns end the run with the reason", async () => {
    const names = ["pdf-report", "load_skill", "pdf-reprot", "activate_skill_x", "pdf-report"];
    const script = names.map((name, index) => ({
      calls: [callOf(`c${index}`, name, { name: "pdf-reprot" })],
    }));
    const { agent, server } = await createScriptedAgent(createWorkspace(files), script);
    const { end } = await send(agent, "report");
    expect(end).toMatchObject({ status: "stopped", stop: { code: "faulty-calls" } });
    server.assertDone();
  });
});

describe("B3: a skill in force", () => {
  it("B3: is in every request after 60 turns, trimming and a new process", async () => {
    const turns = 60;
    const script = Array.from({ length: turns + 2 }, () => ({ text: "ok" }));
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(files), script);
    const { end } = await send(agent, "/counter first words");
    for (let turn = 0; turn < turns; turn += 1) {
      await send(agent, `${"x".repeat(12_000)} ${turn}`, { thread: end.thread });
    }
    await send(await reopen(), "and now?", { thread: end.thread });
    expect(countIn(server.requests.at(-1), "/counter first words")).toBe(0);
    expect(server.requests.every((request) => countIn(request, BODY) === 1)).toBe(true);
    server.assertDone();
  });
});

describe("skills with `paths`", () => {
  const bound = {
    "skills/styles/SKILL.md": skillText(
      { name: "styles", description: "Styles.", paths: '"*.css, web/**"' },
      "CSS",
    ),
    "web/page.html": "<p>",
    "main.css": "p {}",
  };
  const isOffered = (request: ChatRequest | undefined) =>
    JSON.stringify(request?.body.tools ?? []).includes("styles");

  it.each([
    ["look at main.css, please", true],
    ["what is in `web/page.html`?", true],
    ["see @web/new.ts", true],
    ["what is css?", false],
    ["see /etc/main.css", false],
    ["see ../main.css", false],
  ])("a message %j makes it known: %s", async (message, known) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(bound), [{ text: "ok" }]);
    await send(agent, message);
    expect(isOffered(server.requests[0])).toBe(known);
  });

  it("a file that a call names makes it known from then on, and a name is never held back", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(bound), [
      { calls: [callOf("r1", "Read", { path: "./main.css" })] },
      { text: "1" },
      { text: "2" },
    ]);
    const { end } = await send(agent, "hello");
    await send(agent, "hello again", { thread: end.thread });
    expect(server.requests.map(isOffered)).toEqual([false, true, true]);
    const other = await createScriptedAgent(createWorkspace(bound), [{ text: "ok" }]);
    await send(other.agent, "/styles");
    expect(countIn(other.server.requests[0], "CSS")).toBe(1);
    expect(listTools(other.server.requests[0])).toContain("UnloadSkill");
  });
});
