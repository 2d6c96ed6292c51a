import { describe, expect, it } from "vitest";
import { readThread, unloadSkill } from "../../../src/index.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import type { ChatRequest } from "../../support/openai-server.ts";
import { listTools, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const files = {
  "skills/writer/SKILL.md": skillText(
    { name: "writer", description: "Writes.", "allowed-tools": "Write", model: "big" },
    "WRITER-BODY",
  ),
  "skills/strict/SKILL.md": skillText(
    { name: "strict", description: "Forbids.", "disallowed-tools": "Bash" },
    "STRICT-BODY",
  ),
  "skills/trip/SKILL.md": skillText({ name: "trip", description: "Plans." }, "INTRO"),
  "skills/trip/stages/1-one.md": stageText(["gate: approve"], "ONE"),
};
const models = { "skillgraph.json": JSON.stringify({ models: { big: "big-model" } }) };
const unload = (id: string, name: string) => ({ id, name: "UnloadSkill", arguments: { name } });
const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: "x" } });

function countIn(request: ChatRequest | undefined, text: string): number {
  return JSON.stringify(request?.body.messages ?? []).split(text).length - 1;
}

describe("UnloadSkill", () => {
  it("is offered only while a skill is active that a model may let go", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { text: "1" },
      { text: "2" },
      { text: "3" },
      { text: "4" },
    ]);
    await send(agent, "hello");
    await send(agent, "/writer");
    await send(agent, "/strict");
    await send(agent, "/trip");
    expect(server.requests.map((request) => listTools(request).includes("UnloadSkill"))).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it("ends the text, the grants and the model, and is recorded", async () => {
    const workspace = createWorkspace({ ...files, ...models });
    const { agent, server } = await createScriptedAgent(workspace, [
      { calls: [write("before"), unload("u1", "writer"), write("after")] },
    ]);
    const { end, events } = await send(agent, "/writer");
    expect([workspace.exists("before"), workspace.exists("after")]).toEqual([true, false]);
    expect(end.request?.items).toMatchObject([{ kind: "call", id: "after" }]);
    expect(events.find(({ type }) => type === "skill-unloaded")).toMatchObject({
      name: "writer",
      by: "model",
    });
    const { skills, loads } = await readThread(agent, end.thread);
    expect(skills).toEqual([]);
    expect(loads).toMatchObject([
      { type: "loaded", name: "writer" },
      { type: "unloaded", name: "writer", by: "model" },
    ]);
    expect(server.requests[0]?.body.model).toBe("big-model");
  });

  it("what it ended is out of the next request, and can be loaded again", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace({ ...files, ...models }), [
      { calls: [unload("u1", "writer")] },
      { calls: [{ id: "s1", name: "Skill", arguments: { name: "writer" } }] },
      { text: "ok" },
    ]);
    await send(agent, "/writer");
    expect(server.requests.map((request) => countIn(request, "WRITER-BODY"))).toEqual([1, 0, 1]);
    expect(server.requests.map(({ body }) => body.model)).toEqual(["big-model", "test-model", "big-model"]);
    server.assertDone();
  });

  it.each([
    ["strict", '"strict" forbids tools: Bash. Only a person can unload it, by typing /unload strict.'],
    ["trip", '"trip" is a wizard under way, at its stage "one".'],
    ["writer", '"writer" limits the tools of this run.'],
    ["other", 'The skill "other" is not loaded. Loaded: '],
  ])("the model may not let %s go", async (name, reason) => {
    const settings =
      name === "writer" ? { "skillgraph.json": JSON.stringify({ skills: { restrict: true } }) } : {};
    const { agent, server } = await createScriptedAgent(createWorkspace({ ...files, ...settings }), [
      { calls: [unload("u1", name)] },
      { text: "ok" },
    ]);
    const { end } = await send(agent, `/${name === "other" ? "writer" : name}`);
    const result = server.requests[1]?.body.messages?.find(({ role }) => role === "tool")?.content;
    expect(result).toContain(reason);
    expect((await readThread(agent, end.thread)).skills).toHaveLength(1);
    server.assertDone();
  });
});

describe("/unload NAME", () => {
  it("ends the skill without a model call, from a new process too, and the next run is without it", async () => {
    const { agent, server, reopen } = await createScriptedAgent(createWorkspace(files), [
      { text: "1" },
      { text: "2" },
    ]);
    const { end } = await send(agent, "/strict");
    const { end: after, events } = await send(await reopen(), "/unload strict", { thread: end.thread });
    expect(after).toMatchObject({
      status: "finished",
      answer: 'The skill "strict" is unloaded: its instructions and permissions have ended.',
    });
    expect(events.filter(({ type }) => type === "skill-unloaded")).toMatchObject([
      { name: "strict", by: "person" },
    ]);
    expect(server.requests).toHaveLength(1);
    await send(agent, "go on", { thread: end.thread });
    expect(countIn(server.requests[1], "STRICT-BODY")).toBe(0);
    expect(listTools(server.requests[1])).toContain("Bash");
    expect((await readThread(agent, end.thread)).loads).toMatchObject([
      { type: "loaded" },
      { type: "unloaded", by: "person" },
    ]);
    server.assertDone();
  });

  it("stops a wizard, says so, and cancels its open gate", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { calls: [{ id: "s1", name: "CompleteStage", arguments: { summary: "done" } }] },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "/trip");
    expect(end.status).toBe("waiting");
    const { end: after, events } = await send(agent, "/unload trip", { thread: end.thread });
    expect(after.status).toBe("finished");
    expect(after.answer).toContain('Its wizard was stopped at the stage "one".');
    expect(events).toContainEqual({ type: "stage-end", skill: "trip", stage: "one", result: "stopped" });
    await send(agent, "go on", { thread: end.thread });
    expect(listTools(server.requests[1])).not.toContain("CompleteStage");
    server.assertDone();
  });

  it.each([
    ["/unload other", 'The skill "other" is not loaded. Loaded: writer.'],
    ["/unload", "Which skill? /unload NAME. Loaded: writer."],
  ])("%j is answered with what is loaded", async (message, text) => {
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [{ text: "1" }]);
    const { end } = await send(agent, "/writer");
    const { end: after } = await send(agent, message, { thread: end.thread });
    expect(after).toMatchObject({ status: "finished", answer: text });
    server.assertDone();
  });

  it("belongs to a skill that has this name", async () => {
    const own = { "skills/unload/SKILL.md": skillText({ name: "unload", description: "Own." }, "OWN-BODY") };
    const { agent, server } = await createScriptedAgent(createWorkspace(own), [{ text: "ok" }]);
    await send(agent, "/unload ship");
    expect(countIn(server.requests[0], "OWN-BODY")).toBe(1);
  });

  it("unloadSkill() leaves the same record", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(files), [{ text: "1" }]);
    const { end } = await send(agent, "/writer");
    expect(await unloadSkill(agent, end.thread, "writer")).toBe(true);
    expect((await readThread(agent, end.thread)).loads.at(-1)).toMatchObject({
      type: "unloaded",
      name: "writer",
      by: "person",
    });
  });
});
