import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, createScriptedAgent, send } from "../support/agent.ts";
import type { ChatRequest, ScriptedTurn } from "../support/openai-server.ts";
import { createWorkspace, skillText, type Workspace } from "../support/workspace.ts";

const BODY = "Read references/a.md, then run scripts/go.sh.";
const skill = skillText({ name: "s", description: "Does it." }, BODY);

const call = (id: string, name: string, args: Record<string, unknown>) => ({ id, name, arguments: args });

function resultOf(request: ChatRequest | undefined, id: string): string {
  const message = request?.body.messages?.find((each) => each.role === "tool" && each.tool_call_id === id);
  return String(message?.content ?? "");
}

/** A skill in the home folder, reached by a link: the run itself is elsewhere. */
function createLinkedSkill(): { workspace: Workspace; folder: string } {
  const workspace = createWorkspace({ "notes.md": "of the workspace" });
  const folder = join(workspace.home, "store/s");
  for (const part of ["references", "scripts"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), skill);
  writeFileSync(join(folder, "references/a.md"), "needle of the skill");
  writeFileSync(join(folder, "notes.md"), "of the skill");
  writeFileSync(join(folder, "scripts/go.sh"), "echo went");
  writeFileSync(join(workspace.home, "outside.md"), "OUTSIDE");
  symlinkSync(join(workspace.home, "outside.md"), join(folder, "references/out.md"));
  symlinkSync(join(workspace.folder, "notes.md"), join(folder, "scripts/back.md"));
  mkdirSync(join(workspace.home, ".claude/skills"), { recursive: true });
  symlinkSync(folder, join(workspace.home, ".claude/skills/s"));
  return { workspace, folder };
}

describe("B10: files of a skill", () => {
  it("B10: a relative path that the workspace does not have leads into the skill's folder, and says so", async () => {
    const { workspace, folder } = createLinkedSkill();
    const { agent, server } = await createScriptedAgent(workspace, [
      {
        calls: [
          call("r1", "Read", { path: "references/a.md" }),
          call("r2", "Read", { path: "./references/../references/a.md" }),
          call("r3", "Read", { path: "notes.md" }),
          call("g1", "Glob", { pattern: "references/*.md" }),
          call("g2", "Glob", { pattern: "*.md", path: "references" }),
          call("s1", "Grep", { pattern: "needle", path: "references" }),
        ],
      },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "/s");
    expect(end.status).toBe("finished");
    const [, after] = server.requests;
    const told = `needle of the skill\n[This is ${folder}/references/a.md, of a skill.]`;
    expect(["r1", "r2"].map((id) => resultOf(after, id))).toEqual([told, told]);
    expect(resultOf(after, "r3")).toBe("of the workspace");
    expect(resultOf(after, "g1")).toBe(`${folder}/references/a.md`);
    expect(resultOf(after, "g2")).toBe(`${folder}/references/a.md`);
    expect(resultOf(after, "s1")).toBe(`${folder}/references/a.md\n  1: needle of the skill`);
    server.assertDone();
  });

  it.each([
    "references/out.md",
    "scripts/back.md",
    "../../outside.md",
    "references/../../../outside.md",
    "scripts/../../s/none.md",
  ])("B10: %s climbs out of no folder", async (path) => {
    const { workspace } = createLinkedSkill();
    const script = [
      {
        calls: [call("r1", "Read", { path }), call("s1", "Grep", { pattern: "OUTSIDE", path: "references" })],
      },
      { text: "ok" },
    ];
    const { agent, server } = await createScriptedAgent(workspace, script);
    const { end } = await send(agent, "/s");
    expect(end.status).toBe("finished");
    expect(JSON.stringify(server.requests[1]?.body.messages)).not.toContain("OUTSIDE\\n");
    expect(resultOf(server.requests[1], "r1")).toMatch(/No file|outside the workspace/);
    expect(resultOf(server.requests[1], "s1")).toContain("No line matches");
  });

  it("B10: nothing is written there, and after the skill ended nothing is found there", async () => {
    const { workspace } = createLinkedSkill();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [
        { calls: [call("w1", "Write", { path: "references/new.md", content: "x" })] },
        { text: "1" },
        { calls: [call("r1", "Read", { path: "references/a.md" })] },
        { text: "2" },
      ],
      { permissions: { allow: ["Write"] } },
    );
    const { end } = await send(agent, "/s");
    expect(workspace.exists("references/new.md")).toBe(true);
    await send(agent, "/unload s", { thread: end.thread });
    await send(agent, "read it", { thread: end.thread });
    expect(resultOf(server.requests[3], "r1")).toMatch(/^No file references\/a\.md/);
  });

  it("B10: a rule for the real path counts", async () => {
    const { workspace, folder } = createLinkedSkill();
    const script: ScriptedTurn[] = [
      { calls: [call("r1", "Read", { path: "references/a.md" })] },
      { text: "ok" },
    ];
    const { agent, server } = await createScriptedAgent(workspace, script, {
      permissions: { deny: [`Read(${folder}/references/**)`] },
    });
    await send(agent, "/s");
    expect(resultOf(server.requests[1], "r1")).toContain("Not allowed");
  });

  it("B10: of two skills the one loaded last is looked at first, also by commands", async () => {
    const workspace = createWorkspace({
      "skills/one/SKILL.md": skillText({ name: "one", description: "One." }, "1"),
      "skills/one/references/a.md": "first",
      "skills/one/references/b.md": "only first",
      "skills/two/SKILL.md": skillText({ name: "two", description: "Two." }, "2"),
      "skills/two/references/a.md": "second",
    });
    const { agent, server } = await createScriptedAgent(workspace, [
      {
        calls: [
          call("r1", "Read", { path: "references/a.md" }),
          call("r2", "Read", { path: "references/b.md" }),
          call("b1", "Bash", { command: "env" }),
        ],
      },
      { text: "ok" },
    ]);
    const { end } = await send(agent, "$one and $two");
    await answer(agent, end.thread, { reply: true });
    const [, after] = server.requests;
    expect(resultOf(after, "r1")).toBe("second\n[This is skills/two/references/a.md, of a skill.]");
    expect(resultOf(after, "r2")).toContain("only first\n");
    const folder = join(workspace.folder, "skills/two");
    expect(resultOf(after, "b1").split("\n")).toEqual(
      expect.arrayContaining([
        `SKILL_DIR=${folder}`,
        `CLAUDE_SKILL_DIR=${folder}`,
        "PYTHONDONTWRITEBYTECODE=1",
      ]),
    );
  });
});

describe("what the model is told of the folder", () => {
  it("the folder, the files up to 200, how many more there are, and none of their contents", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 230 }, (_, index) => [`skills/s/references/${1000 + index}.md`, "CONTENT"]),
    );
    const workspace = createWorkspace({ "skills/s/SKILL.md": skill, ...many });
    const { agent, server } = await createScriptedAgent(workspace, [{ text: "ok" }]);
    await send(agent, "/s");
    const text = String(server.requests[0]?.body.messages?.at(-1)?.content);
    expect(text).toContain(`directory="${workspace.folder}/skills/s"`);
    expect(text.match(/^- references\//gm)).toHaveLength(200);
    expect(text).toContain("- references/1199.md\nand 30 more; Glob lists them.\n<instructions>");
    expect(text).toContain("SKILL_DIR");
    expect(text).not.toContain("CONTENT");
  });
});
