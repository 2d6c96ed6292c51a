import { describe, expect, it } from "vitest";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { complete, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const write = (id: string) => ({ id, name: "Write", arguments: { path: id, content: "x" } });
const load = (id: string) => ({ id, name: "Skill", arguments: { name: "r" } });

/** The person lets everything be written, so that only the stage can refuse it. */
const files = {
  "skillgraph.json": JSON.stringify({ permissions: { allow: ["Write"] } }),
  "skills/r/SKILL.md": skillText({ name: "r", description: "Reads." }, "INTRO"),
  "skills/r/stages/1-look.md": stageText(["allowed-tools: Read", "restrict: true"], "LOOK"),
  "skills/r/stages/2-do.md": stageText(["gate: none"], "DO"),
};

describe("C9: a wizard whose first stage has `restrict: true`", () => {
  it.each([
    ["before", [write("P"), load("k1")]],
    ["after", [load("k1"), write("P")]],
  ])("limits a call of the turn that loads it, %s the load", async (_place, calls) => {
    const workspace = createWorkspace(files);
    const { agent, server } = await createScriptedAgent(workspace, [{ calls }, complete("s1")]);
    const { end } = await send(agent, "read it");
    expect(end.request?.items[0]).toMatchObject({ kind: "stage", stage: "look" });
    expect(workspace.exists("P")).toBe(false);
    server.assertDone();
  });

  it("does not limit its later stages by its first one when it is asked for again", async () => {
    const workspace = createWorkspace({
      ...files,
      "skills/r/stages/1-look.md": stageText(["allowed-tools: Read", "restrict: true", "gate: none"], "LOOK"),
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1"),
      { calls: [load("k1"), write("P")] },
      complete("s2"),
      { text: "Done." },
    ]);
    expect((await send(agent, "/r")).end.answer).toBe("Done.");
    expect(workspace.exists("P")).toBe(true);
    server.assertDone();
  });
});
