import { rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { readThread, type SkillAgent } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import type { ScriptedTurn } from "../../support/openai-server.ts";
import { complete, readPrompt, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace } from "../../support/workspace.ts";

const done = { text: "Done." };
const folder = "skills/trip/stages";

/** A trip whose stage `plan` was to be next, and became `tour`, while the answer to its first gate came. */
async function renameStage(script: ScriptedTurn[]) {
  const workspace = createWorkspace(tripFiles);
  const turns = [complete("s1", { places: ["Rome"] }), ...script];
  const scripted = await createScriptedAgent(workspace, turns, { drift: "refresh" });
  const { end } = await send(scripted.agent, "/trip");
  rmSync(join(workspace.folder, folder, "02-plan.md"));
  workspace.write(`${folder}/02-tour.md`, stageText(["title: Tour"], "TOUR: through {look.places}."));
  const asked = await answer(scripted.agent, end.thread, { reply: true });
  return { ...scripted, workspace, thread: end.thread, request: asked.end.request! };
}

async function readWizard(agent: SkillAgent, thread: string) {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  return values.active[0]?.wizard;
}

describe("a wizard whose stage was taken away or renamed", () => {
  it("asks before anything else, and calls no model", async () => {
    const { agent, server, thread, request } = await renameStage([]);
    expect(request.items).toMatchObject([
      { kind: "upgrade", name: "trip", stage: "plan", back: ["look", "tour"], choices: ["map", "stop"] },
    ]);
    expect(request.items[0]?.notes?.[0]).toBe('Its stage "plan" is gone.');
    expect((await readThread(agent, thread)).status).toBe("waiting");
    expect(server.requests).toHaveLength(1);
  });

  it("goes on at the stage that the person names, with what they approved", async () => {
    const { agent, server, thread } = await renameStage([complete("s2")]);
    const { end } = await answer(agent, thread, { reply: { choice: "map", stage: "tour" } });
    expect(end.request?.items[0]).toMatchObject({ kind: "stage", stage: "tour" });
    expect(readPrompt(server.requests[1])).toContain("TOUR: through");
    expect(readPrompt(server.requests[1])).toContain("Rome");
    const { decisions } = await readThread(agent, thread);
    expect(decisions.filter(({ kind }) => kind === "upgrade")).toMatchObject([
      { by: "person", verdict: "respond", reason: 'the person chose "map tour"' },
    ]);
    server.assertDone();
  });

  it("goes back to an earlier stage, whose gate closes again", async () => {
    const { agent, server, thread } = await renameStage([done]);
    await answer(agent, thread, { reply: { goto: "look" } });
    const wizard = await readWizard(agent, thread);
    expect(wizard).toMatchObject({
      stage: "look",
      status: "working",
      results: [{ id: "look", stale: true }],
    });
    expect(wizard.displaced).toBeUndefined();
    server.assertDone();
  });

  it.each([{ goto: "apply" }, { choice: "restart" }, "plan", true])("is not moved by %j", async (reply) => {
    const { agent, server, thread, request } = await renameStage([]);
    await expect(answer(agent, thread, { reply })).rejects.toThrow("does not say where the wizard");
    // A server passes on what a client sends.
    await agent.invoke(new Command({ resume: reply }) as never, { configurable: { thread_id: thread } });
    const { request: again } = await readThread(agent, thread);
    expect(again).toMatchObject({
      id: request.id,
      errors: [expect.stringContaining("choose map with a stage")],
    });
    expect(server.requests).toHaveLength(1);
  });

  it("stops where the person says so, and asks again when the thread goes on", async () => {
    const { agent, server, thread, request } = await renameStage([]);
    const { end } = await answer(agent, thread, { reply: "stop" });
    expect(end).toMatchObject({ status: "stopped", stop: { code: "declined" } });
    const again = await answer(agent, thread);
    expect(again.end.request?.items[0]?.kind).toBe("upgrade");
    expect(again.end.request?.id).not.toBe(request.id);
    expect(server.requests).toHaveLength(1);
  });

  it("D12: a new message does not slip past the question, nor get lost", async () => {
    const { agent, server, thread } = await renameStage([done]);
    const { end } = await send(agent, "what time is it?", { thread });
    expect(end.request?.items[0]?.kind).toBe("upgrade");
    await answer(agent, thread, { reply: { goto: "tour" } });
    expect(readPrompt(server.requests[1])).toContain("what time is it?");
    server.assertDone();
  });

  it.each(["/unload trip", "/trip"])("%s ends the question", async (message) => {
    const { agent, thread } = await renameStage(message === "/trip" ? [done] : []);
    const { end } = await send(agent, message, { thread });
    expect(end.status).toBe("finished");
    expect((await readWizard(agent, thread))?.displaced).toBeUndefined();
  });

  it("asks the same in a new process", async () => {
    const { thread, request, reopen, server } = await renameStage([done]);
    const later = await reopen();
    expect((await readThread(later, thread)).request).toEqual(request);
    await answer(later, thread, { reply: { goto: "tour" }, request: request.id });
    server.assertDone();
  });
});

describe("B9: a wizard whose stages changed under way", () => {
  it.each<[string, (write: (path: string, text: string) => void, at: string) => void, object]>([
    [
      "a stage that is new before the current one",
      (write) => write(`${folder}/02-check.md`, stageText(["title: Check"], "CHECK")),
      { stage: "plan", back: ["look", "check"], choices: ["map", "stop"] },
    ],
    [
      "an earlier stage that asks for another output",
      (write) =>
        write(`${folder}/01-look.md`, stageText(["output: { type: object, required: [cities] }"], "LOOK")),
      { stage: "plan", back: ["look"], choices: ["map", "stop"] },
    ],
    [
      "stages in another order",
      (write, at) => {
        rmSync(join(at, folder, "03-apply.md"));
        write(`${folder}/00-apply.md`, stageText(["title: Apply"], "APPLY"));
      },
      { stage: "plan", back: ["apply"], choices: ["map", "stop"] },
    ],
  ])("%s: nothing is passed over", async (_name, change, item) => {
    const workspace = createWorkspace(tripFiles);
    const turns = [complete("s1", { places: ["Rome"] })];
    const { agent, server } = await createScriptedAgent(workspace, turns, { drift: "refresh" });
    const { end } = await send(agent, "/trip");
    change(workspace.write, workspace.folder);
    const asked = await answer(agent, end.thread, { reply: true });
    expect(asked.end.request?.items).toMatchObject([{ kind: "upgrade", ...item }]);
    server.assertDone();
  });
});
