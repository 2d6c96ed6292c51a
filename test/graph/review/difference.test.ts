import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { renderRequest } from "../../../src/cli/render-request.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace } from "../../support/workspace.ts";

const edit = { id: "e1", name: "Edit", arguments: { path: "a.md", old_string: "two", new_string: "2" } };

describe("a change of a file that asks", () => {
  it("shows what would change, also in words and on a terminal", async () => {
    const workspace = createWorkspace({ "a.md": "one\ntwo\n" });
    const { agent } = await createScriptedAgent(workspace, [{ calls: [edit] }, { text: "Done." }]);
    const { end } = await send(agent, "go");
    const item = end.request?.items[0];
    expect(item?.difference).toContain("-two\n+2");
    expect(item?.description).toContain("-two\n+2");
    const shown = renderRequest(end.request!, picocolors.createColors(false));
    expect(shown).toContain("  Changes:\n    --- a.md\n    +++ a.md (changed)\n");
    expect(shown).toContain("\n    -two\n    +2\n");
    const done = await answer(agent, end.thread, { reply: true });
    expect(done.end.status).toBe("finished");
    expect(workspace.read("a.md")).toBe("one\n2\n");
  });

  it("of a long file is shortened in words", async () => {
    const lines = Array.from({ length: 150 }, (_, index) => `line ${index}`).join("\n");
    const call = { id: "w1", name: "Write", arguments: { path: "a.md", content: lines } };
    const { agent } = await createScriptedAgent(createWorkspace({ "a.md": "x\n" }), [{ calls: [call] }]);
    const item = (await send(agent, "go")).end.request?.items[0];
    expect(item?.difference).toContain("+line 149");
    expect(item?.description).not.toContain("+line 149");
    expect(item?.description).toMatch(/… \d+ more lines$/);
  });

  it("of a call that a person changed is the one of their change", async () => {
    const workspace = createWorkspace({ "a.md": "one\ntwo\n", "skillgraph.json": '{"maxSteps": 5}\n' });
    const { agent } = await createScriptedAgent(workspace, [{ calls: [edit] }, { text: "Done." }]);
    const { end } = await send(agent, "go");
    const args = { path: "skillgraph.json", old_string: "5", new_string: "6" };
    const again = await answer(agent, end.thread, { reply: { type: "edit", args } });
    expect(again.end.request?.items[0]?.difference).toContain('+{"maxSteps": 6}');
    await answer(agent, end.thread, { reply: false });
  });
});
