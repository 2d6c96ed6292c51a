import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { complete, readPrompt, stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const output = "output: { type: object, required: [tag], properties: { tag: { type: string } } }";
const fits = { tag: "v1" };

function createCheckedWorkspace(...header: string[]) {
  return createWorkspace({
    "skills/c/SKILL.md": skillText({ name: "c", description: "Checks." }, "INTRO"),
    "skills/c/stages/1-make.md": stageText(["check: bash check.sh", output, ...header], "MAKE"),
    "check.sh": 'echo run >> log; echo "no release notes yet"; exit 3',
  });
}

describe("the check of a stage with an output", () => {
  it("runs once the output fits, and the model is told why it failed", async () => {
    const workspace = createCheckedWorkspace("allowed-tools: Bash(bash check.sh)");
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1", {}),
      () => {
        expect(workspace.exists("log")).toBe(false);
        return complete("s2", fits);
      },
      (request) => {
        expect(workspace.read("log")).toBe("run\n");
        expect(readPrompt(request)).toContain("no release notes yet");
        return complete("s3", fits);
      },
    ]);
    const { end } = await send(agent, "/c");
    // Three is how many may fail where the header does not say, whatever they failed of.
    const [item] = end.request?.items ?? [];
    expect(item).toMatchObject({
      stage: "make",
      failures: [
        expect.stringContaining("tag"),
        expect.stringContaining("exit"),
        expect.stringContaining("no release notes yet"),
      ],
    });
    expect(item?.allowed).not.toContain("approve");
    await expect(answer(agent, end.thread, { reply: true })).rejects.toThrow(
      '"approve" is no decision for c/make; choose edit, reject.',
    );
    expect(workspace.read("log")).toBe("run\nrun\n");
    server.assertDone();
  });

  it("max-attempts says how many may fail; a person can give the output then", async () => {
    const workspace = createCheckedWorkspace("allowed-tools: Bash(bash check.sh)", "max-attempts: 1");
    const { agent, server } = await createScriptedAgent(workspace, [complete("s1", fits), { text: "Done." }]);
    const { end } = await send(agent, "/c");
    expect(end.request?.items[0]).toMatchObject({
      failures: [expect.stringContaining("no release notes yet")],
    });
    const reply = { decisions: [{ type: "edit", edited_action: { name: "c/make", args: { tag: "v2" } } }] };
    expect((await answer(agent, end.thread, { reply })).end).toMatchObject({
      status: "finished",
      answer: "Done.",
    });
    server.assertDone();
  });

  it("nobody is asked about it for an output that does not fit", async () => {
    const workspace = createCheckedWorkspace();
    const { agent, server } = await createScriptedAgent(workspace, [
      complete("s1", {}),
      complete("s2", fits),
    ]);
    const { end } = await send(agent, "/c");
    expect(end.request?.items[0]).toMatchObject({ kind: "call", id: "s2" });
    expect(readPrompt(server.requests[1])).toContain("does not fit");
    server.assertDone();
  });
});
