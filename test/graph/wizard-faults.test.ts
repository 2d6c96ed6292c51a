import { describe, expect, it } from "vitest";
import { createSkillAgent } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import { complete, readPrompt, stageText, tripFiles } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const header = skillText({ name: "bad", description: "Is bad." }, "INTRO");

async function run(files: Record<string, string>, task = "/bad") {
  const { agent, server } = await createScriptedAgent(createWorkspace(files), []);
  const result = await send(agent, task);
  expect(server.requests).toHaveLength(0);
  return result.end;
}

describe("a wizard that cannot be used is refused by name, and no model is called", () => {
  it("a stage whose header cannot be read", async () => {
    const end = await run({
      "skills/bad/SKILL.md": header,
      "skills/bad/stages/1-a.md": "---\ntitle: Never closed\n\nA",
      "skills/bad/stages/2-b.md": stageText([], "B"),
    });
    expect(end).toMatchObject({ status: "failed", error: { code: "skill-unreadable" } });
    expect(end.error?.message).toMatch(/The wizard "bad" cannot be used\. .*1-a\.md:\d+/);
  });

  it("two stages with one id", async () => {
    const end = await run({
      "skills/bad/SKILL.md": header,
      "skills/bad/stages/1-a.md": stageText([], "A"),
      "skills/bad/stages/2-a.md": stageText([], "B"),
    });
    expect(end.error?.message).toContain('"a"');
  });

  it("an output that is no schema", async () => {
    const end = await run({
      "skills/bad/SKILL.md": header,
      "skills/bad/stages/1-a.md": stageText(["output: { type: strange }"], "A"),
    });
    expect(end.error?.message).toContain("output");
  });

  it("a wizard without stages, when one is asked for", async () => {
    const { agent } = await createScriptedAgent(createWorkspace({ "skills/bad/SKILL.md": header }), []);
    const { end } = await send(agent, "/bad", { wizard: true });
    expect(end.error?.message).toContain('The wizard "bad" cannot be used.');
  });

  it("and a thread that failed so goes on once the stage is mended", async () => {
    const workspace = createWorkspace({
      "skills/bad/SKILL.md": header,
      "skills/bad/stages/1-a.md": stageText(["output: 3"], "A"),
    });
    const { agent, server } = await createScriptedAgent(workspace, [complete("s1")]);
    const { end } = await send(agent, "/bad");
    expect(end.status).toBe("failed");
    workspace.write("skills/bad/stages/1-a.md", stageText([], "A"));
    const after = await answer(agent, end.thread);
    expect(after.end.request?.items[0]?.stage).toBe("a");
    server.assertDone();
  });
});

it("asked for by the model, a faulty wizard is an error that it can read", async () => {
  const { agent, server } = await createScriptedAgent(
    createWorkspace({
      "skills/bad/SKILL.md": header,
      "skills/bad/stages/1-a.md": stageText(["gate: maybe"], "A"),
    }),
    [{ calls: [{ id: "k1", name: "Skill", arguments: { name: "bad" } }] }, { text: "It is faulty." }],
  );
  const { end } = await send(agent, "do it");
  expect(end.answer).toBe("It is faulty.");
  expect(readPrompt(server.requests[1])).toContain('The wizard "bad" cannot be used');
  server.assertDone();
});

it("headings written for another client are stages when a person asks for it, and text when not", async () => {
  const body = "INTRO\n\n## Stage 1: Look\n\nLOOK\n\n## Stage 2: Act\n\nACT";
  const files = { "skills/doc/SKILL.md": skillText({ name: "doc", description: "Writes documents." }, body) };
  const { agent, server } = await createScriptedAgent(createWorkspace(files), [
    { text: "Read it." },
    complete("s1"),
    complete("s2"),
    { text: "Done." },
  ]);
  await send(agent, "/doc");
  expect(readPrompt(server.requests[0])).toContain("ACT");
  const { end } = await send(agent, "/doc", { wizard: true });
  expect(end.request?.items[0]).toMatchObject({ name: "doc/look", total: 2 });
  expect(readPrompt(server.requests[1])).toContain("LOOK");
  expect(readPrompt(server.requests[1])).not.toContain("ACT");
  const second = await answer(agent, end.thread, { reply: true });
  expect(second.end.request?.items[0]).toMatchObject({ name: "doc/act" });
  expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("finished");
  server.assertDone();
});

describe("the context of a run", () => {
  it("pins a wizard, which begins with the first message whatever that says", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(tripFiles), [
      complete("s1", { places: ["Rome"] }),
    ]);
    const { end } = await send(agent, "to the sea", { context: { wizard: "trip" } });
    expect(end.request?.items[0]?.stage).toBe("look");
    expect(readPrompt(server.requests[0])).toContain("INTRO: plan a trip for to the sea.");
    server.assertDone();
  });

  it("a pinned wizard that was stopped stays stopped, whatever is said next", async () => {
    const { agent, server } = await createScriptedAgent(
      createWorkspace(tripFiles),
      [complete("s1", { places: ["Rome"] }), { text: "You are welcome." }],
      { wizard: "trip" },
    );
    const { end } = await send(agent, "to the sea");
    await answer(agent, end.thread, { reply: { goto: "__end__" } });
    expect((await send(agent, "thanks", { thread: end.thread })).end.answer).toBe("You are welcome.");
    server.assertDone();
  });

  it("an agent may be made for one wizard", async () => {
    const { agent } = await createScriptedAgent(
      createWorkspace(tripFiles),
      [complete("s1", { places: ["Rome"] })],
      { wizard: "trip" },
    );
    const { end } = await send(agent, "to the sea");
    expect(end.request?.items[0]?.stage).toBe("look");
  });

  it("a pinned wizard that is not there is an error with the names that are", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(tripFiles), []);
    const { end } = await send(agent, "go", { context: { wizard: "tripp" } });
    expect(end).toMatchObject({ status: "failed", error: { code: "skill-unknown" } });
    expect(end.error?.message).toContain('No skill named "tripp". Nearest: trip');
  });

  it.each([
    [{ wizard: 3 }, '"wizard" is 3'],
    [{ skills: "trip" }, '"skills" is "trip"'],
    [{ permissions: { allow: ["Bash"] } }, 'holds "permissions". Known: model, skills, wizard'],
    [{ skills: ["nothing"] }, 'No skill named "nothing"'],
  ])("%j does not fit, and says why", async (context, message) => {
    const { agent } = await createScriptedAgent(createWorkspace(tripFiles), []);
    const { end } = await send(agent, "go", { context: context as never });
    expect(end.error?.message).toContain(message);
  });

  it("what a form in Studio leaves empty is as good as not set", async () => {
    const { agent } = await createScriptedAgent(createWorkspace(tripFiles), [{ text: "Hello." }]);
    const { end } = await send(agent, "hi", { context: { wizard: "", model: " ", skills: [] } });
    expect(end.answer).toBe("Hello.");
  });

  it("the model is offered the named skills only", async () => {
    const files = {
      ...tripFiles,
      "skills/other/SKILL.md": skillText({ name: "other", description: "Does OTHER things." }, "O"),
    };
    const { agent, server } = await createScriptedAgent(createWorkspace(files), [
      { calls: [{ id: "k1", name: "Skill", arguments: { name: "other" } }] },
      { text: "No." },
    ]);
    await send(agent, "go", { context: { skills: ["trip"] } });
    const tools = JSON.stringify(server.requests[0]?.body.tools);
    expect(tools).toContain("Plans a trip in stages");
    expect(tools).not.toContain("OTHER");
    expect(readPrompt(server.requests[1])).toContain("is not offered in this run");
    server.assertDone();
  });

  it("a model named there serves this run", async () => {
    const { agent, server } = await createScriptedAgent(createWorkspace(), [{ text: "Hello." }]);
    await send(agent, "hi", { context: { model: "other-model" } });
    expect(server.requests[0]?.body.model).toBe("other-model");
  });

  it("an option `wizard` that is no name is refused", async () => {
    const wrong = createSkillAgent({ wizard: 3 } as never);
    await expect(wrong).rejects.toMatchObject({ code: "usage" });
  });
});
