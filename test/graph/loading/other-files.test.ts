import { describe, expect, it } from "vitest";
import { activeSkill } from "../../../src/graph/skill-state.ts";
import { createScriptedAgent, send } from "../../support/agent.ts";
import { readPrompt } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

describe("files beside a skill's SKILL.md", () => {
  it("are named to the model, and kept with the skill", async () => {
    const workspace = createWorkspace({
      "skills/forms/SKILL.md": skillText({ name: "forms", description: "Fills forms." }, "Fill it."),
      "skills/forms/FORMS.md": "x",
      "skills/forms/examples/a.md": "x",
    });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "Done." }]);
    const { end } = await send(agent, "/forms");
    expect(readPrompt(server.requests[0])).toMatch(/Other files, [^\n]*\n- FORMS\.md\n- examples\/a\.md\n/);
    const { values } = await agent.getState({ configurable: { thread_id: end.thread } });
    expect(values.active[0].resources).toEqual({
      scripts: [],
      references: [],
      assets: [],
      otherFiles: ["FORMS.md", "examples/a.md"],
    });
    const { otherFiles: _others, ...before } = values.active[0].resources;
    // As a thread holds it that was stored before these files were listed.
    expect(activeSkill.safeParse({ ...values.active[0], resources: before }).success).toBe(true);
  });
});
