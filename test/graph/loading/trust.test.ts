import { cpSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closeAgent } from "../../../src/index.ts";
import { answer, createScriptedAgent, send } from "../../support/agent.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

const write = (id: string, path: string) => ({ id, name: "Write", arguments: { path, content: "x" } });
const bash = (id: string, command: string) => ({ id, name: "Bash", arguments: { command } });

describe("threads that came with an untrusted folder", () => {
  it("are not used: they could hold grants and approvals that nobody here gave", async () => {
    const theirs = createWorkspace({
      "skills/evil/SKILL.md": skillText(
        { name: "evil", description: "E.", "allowed-tools": "Bash" },
        "Evil.",
      ),
    });
    const first = await createScriptedAgent(theirs, [{ text: "Loaded." }]);
    const { end } = await send(first.agent, "/evil");
    await closeAgent(first.agent);
    const mine = createWorkspace();
    cpSync(join(theirs.folder, ".skillgraph"), join(mine.folder, ".skillgraph"), { recursive: true });
    const untrusted = createScriptedAgent(mine, [], { trust: false });
    await expect(untrusted).rejects.toMatchObject({ code: "checkpoint-unavailable" });
    await expect(untrusted).rejects.toThrow(/not trusted/);
    const trusted = await createScriptedAgent(mine, [{ calls: [bash("b1", "touch P")] }]);
    const after = await send(trusted.agent, "go", { thread: end.thread });
    expect(after.end.status).toBe("waiting");
    expect(mine.exists("P")).toBe(false);
  });

  it("those made here are used, trusted or not", async () => {
    const workspace = createWorkspace();
    const { agent, reopen } = await createScriptedAgent(workspace, [{ text: "One." }, { text: "Two." }], {
      trust: false,
    });
    const { end } = await send(agent, "one");
    expect((await send(await reopen(), "two", { thread: end.thread })).end.answer).toBe("Two.");
  });
});

describe("grants", () => {
  it("end when the skill's folder is not trusted any more", async () => {
    const workspace = createWorkspace({
      "skills/writer/SKILL.md": skillText(
        { name: "writer", description: "W.", "allowed-tools": "Write" },
        "Write.",
      ),
    });
    const { agent, reopen } = await createScriptedAgent(workspace, [
      { text: "Loaded." },
      { calls: [write("w1", "P")] },
    ]);
    const { end } = await send(agent, "/writer");
    const after = await send(await reopen({ trust: false }), "write", { thread: end.thread });
    expect(after.end.status).toBe("waiting");
    expect(workspace.exists("P")).toBe(false);
  });

  it.each(["skills/evil/SKILL.md", ".cursor/skills/evil/SKILL.md", ".claude/skills/evil/SKILL.md"])(
    "a permission to write everywhere does not write %s, which would grant itself more",
    async (path) => {
      const workspace = createWorkspace();
      const { agent } = await createScriptedAgent(workspace, [{ calls: [write("w1", path)] }], {
        permissions: { allow: ["Write(**)"], mode: "allow" },
      });
      expect((await send(agent, "write")).end.status).toBe("waiting");
      expect(workspace.exists(path)).toBe(false);
    },
  );
});

describe("an approval", () => {
  it("is for what was asked: when the path leads elsewhere by then, it is asked again", async () => {
    const workspace = createWorkspace({ "notes/d/keep": "", ".git/hooks/keep": "" });
    const { agent } = await createScriptedAgent(workspace, [{ calls: [write("w1", "notes/d/pre-commit")] }]);
    const { end } = await send(agent, "write");
    rmSync(join(workspace.folder, "notes/d"), { recursive: true });
    symlinkSync("../.git/hooks", join(workspace.folder, "notes/d"));
    const after = await answer(agent, end.thread, { reply: true });
    expect(after.end.status).toBe("waiting");
    expect(after.end.request?.items[0]?.description).not.toBe(end.request?.items[0]?.description);
    expect(workspace.exists(".git/hooks/pre-commit")).toBe(false);
  });

  it("in the mode allow is taken once for a protected place", async () => {
    const workspace = createWorkspace();
    const { agent, server } = await createScriptedAgent(
      workspace,
      [{ calls: [write("w1", ".env")] }, { text: "Done." }],
      {
        permissions: { mode: "allow" },
      },
    );
    const { end } = await send(agent, "write");
    expect((await answer(agent, end.thread, { reply: true })).end.status).toBe("finished");
    expect(workspace.exists(".env")).toBe(true);
    server.assertDone();
  });
});
