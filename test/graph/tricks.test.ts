import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readThread, type SkillAgentOptions } from "../../src/index.ts";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ScriptedTurn } from "../support/openai-server.ts";
import { GRANT, prepareTricks, runPlainBash, trickFiles, tricks } from "../support/tricks.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });
const turn = tricks.map(({ call }, index) => ({ id: `t${index}`, ...call }));

function createPlace(): Workspace {
  const workspace = createWorkspace(trickFiles);
  prepareTricks(workspace);
  return workspace;
}

/** What a trick would have changed, as it was. */
function expectUntouched(workspace: Workspace): void {
  expect(workspace.exists("P")).toBe(false);
  expect(workspace.read("skills/looker/SKILL.md")).toBe(trickFiles["skills/looker/SKILL.md"]);
  for (const path of ["skills/more/SKILL.md", "skillgraph.json", ".git/hooks/post-index-change"])
    expect(workspace.exists(path)).toBe(false);
  expect(workspace.read(".git/config")).not.toContain("fsmonitor");
}

async function run(script: ScriptedTurn[], options: SkillAgentOptions, workspace = createPlace()) {
  return { workspace, ...(await createScriptedAgent(workspace, script, options)) };
}

describe(`tricks under ${GRANT}`, () => {
  it.each(tricks.filter(({ works }) => works))("$name: plain bash falls for it", async ({ call }) => {
    const workspace = createPlace();
    runPlainBash(String(call.arguments.command), workspace);
    // Bash does not wait for a process that it substitutes.
    await expect.poll(() => workspace.exists("P")).toBe(true);
  });

  it("where questions are refused, each is refused by name, and what is granted beside it runs", async () => {
    // A run ends after some turns in which nothing could run.
    const turns = Array.from({ length: Math.ceil(turn.length / 6) }, (_, index) =>
      turn.slice(6 * index, 6 * index + 6),
    );
    const script = [
      ...turns.map((calls, index) => ({ calls: [...calls, bash(`ok${index}`, "git status")] })),
      { text: "I give up." },
    ];
    const { agent, workspace, server } = await run(script, {
      permissions: { mode: "deny" },
      maxSteps: script.length + 1,
    });
    const { end, events } = await send(agent, "/looker");
    expect(end).toMatchObject({ status: "finished", answer: "I give up." });
    expectUntouched(workspace);
    const started = events.flatMap((event) => (event.type === "tool-start" ? [event.id] : []));
    expect(started).toEqual(turns.map((_, index) => `ok${index}`));
    const { decisions } = await readThread(agent, end.thread);
    for (const [index, { name, names }] of tricks.entries()) {
      const record = decisions.find(({ id }) => id === `t${index}`);
      expect(record, name).toMatchObject({ verdict: "deny" });
      expect(record?.reason, name).toContain(names);
    }
    const allowed = decisions.filter(({ verdict }) => verdict === "allow");
    expect(allowed).toHaveLength(turns.length);
    for (const record of allowed)
      expect(record).toMatchObject({ rule: GRANT, skill: "looker", subject: "git status" });
    server.assertDone();
  });

  it("where a person is asked, each waits, and none has run before the answer or after a no", async () => {
    const { agent, workspace, server } = await run([{ calls: turn }, { text: "Then not." }], {});
    const { end, events } = await send(agent, "/looker");
    const refused = events.flatMap((event) =>
      event.type === "call-decided" && event.verdict === "deny" ? [event.id] : [],
    );
    const asked = end.request?.items.map(({ id }) => id) ?? [];
    expect([...asked, ...refused].sort()).toEqual(turn.map(({ id }) => id).sort());
    expect(events.some(({ type }) => type === "tool-start")).toBe(false);
    expectUntouched(workspace);
    const decisions = asked.map(() => ({ type: "reject", message: "no" }));
    const after = await answer(agent, end.thread, { reply: { decisions } });
    expect(after.end.answer).toBe("Then not.");
    expect(after.events.some(({ type }) => type === "tool-start")).toBe(false);
    expectUntouched(workspace);
    server.assertDone();
  });

  it.each(["ask", "deny"] as const)(
    "a second skill's grant ends when it is unloaded, in the mode %s",
    async (mode) => {
      const { agent, workspace, server } = await run(
        [
          { calls: [{ id: "s1", name: "Skill", arguments: { name: "toucher" } }] },
          {
            calls: [{ id: "u1", name: "UnloadSkill", arguments: { name: "toucher" } }, bash("b0", "touch P")],
          },
          ...(mode === "ask" ? [] : [{ calls: [bash("b1", "touch P")] }, { text: "Then not." }]),
        ],
        { permissions: { mode } },
      );
      const { end } = await send(agent, "/looker");
      expect(workspace.exists("P")).toBe(false);
      if (mode === "ask") expect(end.request?.items).toMatchObject([{ kind: "call", id: "b0" }]);
      server.assertDone();
    },
  );

  it("a grant that is used before its skill is loaded, in one turn, does not count", async () => {
    const { agent, workspace } = await run(
      [
        { calls: [{ id: "s1", name: "Skill", arguments: { name: "toucher" } }, bash("b1", "touch P")] },
        { text: "Then not." },
      ],
      { permissions: { mode: "deny" } },
    );
    await send(agent, "/looker");
    expect(workspace.exists("P")).toBe(false);
  });

  it("the granted command runs no program that the repository's own settings name", async () => {
    const hostile = "[core]\n\tfsmonitor = touch P; false\n\tpager = touch P\n[diff]\n\texternal = touch P\n";
    const control = createPlace();
    appendFileSync(join(control.folder, ".git/config"), hostile);
    runPlainBash("git status", control);
    expect(control.exists("P")).toBe(true);

    const workspace = createPlace();
    appendFileSync(join(workspace.folder, ".git/config"), hostile);
    const { agent } = await run([{ calls: [bash("b1", "git status")] }, { text: "Looked." }], {}, workspace);
    const { events } = await send(agent, "/looker");
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-end", id: "b1", status: "success" }));
    expect(workspace.exists("P")).toBe(false);
  });
});
