import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import type { ChatRequest, ScriptedTurn } from "../../support/openai-server.ts";
import { complete, listTools, stageText, tripFiles } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const write = { calls: [{ id: "P", name: "Write", arguments: { path: "P", content: "x" } }] };
const bash = { calls: [{ id: "P", name: "Bash", arguments: { command: "touch P" } }] };
const header = (more: Record<string, string>) =>
  skillText({ name: "trip", description: "Plans a trip in stages.", ...more }, "INTRO: plan a trip.");

function resultOf(request: ChatRequest | undefined): string {
  return String(request?.body.messages?.find(({ tool_call_id: id }) => id === "P")?.content ?? "");
}

/** A wizard whose header was `before` and is `after`, and whose next stage became `tour`; what a model then tries. */
async function goOnAfterUpgrade(
  before: Record<string, string>,
  after: Record<string, string>,
  turn: ScriptedTurn,
  stage: string[] = [],
) {
  const workspace = createWorkspace({
    ...tripFiles,
    "skillgraph.json": JSON.stringify({ permissions: { allow: ["Write"] } }),
    "skills/trip/SKILL.md": header(before),
  });
  const script = [complete("s1", { places: ["Rome"] }), turn, { text: "Tried." }];
  const { agent, server, reopen } = await createScriptedAgent(workspace, script, { drift: "refresh" });
  const { end } = await send(agent, "/trip");
  rmSync(join(workspace.folder, "skills/trip/stages/02-plan.md"));
  workspace.write("skills/trip/stages/02-tour.md", stageText(["title: Tour", ...stage], "TOUR"));
  workspace.write("skills/trip/SKILL.md", header(after));
  const asked = await answer(agent, end.thread, { reply: true });
  expect(asked.end.request?.items[0]).toMatchObject({ kind: "upgrade" });
  const next = await answer(await reopen(), end.thread, { reply: { choice: "map", stage: "tour" } });
  return { ...next, server, workspace };
}

describe("C9: after the question of an upgrade, answered in a new process,", () => {
  it("what the skill forbids stays forbidden", async () => {
    const forbids = { "disallowed-tools": "Write" };
    const { server, workspace } = await goOnAfterUpgrade(forbids, forbids, write);
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(resultOf(server.requests[2])).toMatch(/^Not allowed: /);
    expect(workspace.exists("P")).toBe(false);
  });

  it("what the new text forbids is forbidden at once", async () => {
    const { server, workspace } = await goOnAfterUpgrade({}, { "disallowed-tools": "Write" }, write);
    expect(listTools(server.requests[1])).not.toContain("Write");
    expect(resultOf(server.requests[2])).toMatch(/^Not allowed: /);
    expect(workspace.exists("P")).toBe(false);
  });

  it("what the new text does not forbid any more is the rules' to decide", async () => {
    const { workspace } = await goOnAfterUpgrade({ "disallowed-tools": "Write" }, {}, write);
    expect(workspace.exists("P")).toBe(true);
  });

  it("what the skill grants is granted still", async () => {
    const grants = { "allowed-tools": "Bash(touch:*)" };
    const { end, workspace } = await goOnAfterUpgrade(grants, grants, bash);
    expect(end.status).toBe("finished");
    expect(workspace.exists("P")).toBe(true);
  });

  it("what the new text does not grant any more asks", async () => {
    const { end, server, workspace } = await goOnAfterUpgrade({ "allowed-tools": "Bash(touch:*)" }, {}, bash);
    expect(end).toMatchObject({ status: "waiting", request: { items: [{ kind: "call", name: "Bash" }] } });
    expect(server.requests).toHaveLength(2);
    expect(workspace.exists("P")).toBe(false);
  });

  it("the limit of the stage that it goes on at counts", async () => {
    const stage = ["allowed-tools: Read", "restrict: true"];
    const { server, workspace } = await goOnAfterUpgrade({}, {}, write, stage);
    expect(resultOf(server.requests[2])).toMatch(/^Not allowed: /);
    expect(workspace.exists("P")).toBe(false);
  });
});
