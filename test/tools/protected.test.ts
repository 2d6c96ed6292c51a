import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decideCall } from "../../src/permissions/decide.ts";
import { editTool } from "../../src/tools/edit.ts";
import { writeTool } from "../../src/tools/write.ts";
import { createPolicy, grant, rules } from "../permissions/support.ts";
import { createPlace } from "./call.ts";

function createProtectedPlace() {
  const { root, context } = createPlace({ ".git/config": "x", "skills/pdf/SKILL.md": "x", "src/a.ts": "x" });
  const { workspace } = context;
  mkdirSync(join(root, "home"));
  writeFileSync(join(workspace, ".bashrc"), "x");
  symlinkSync(".git", join(workspace, "harmless"));
  symlinkSync("../.git/hooks/post-commit", join(workspace, "src", "notes.md"));
  symlinkSync("harmless", join(workspace, "again"));
  symlinkSync("skills/pdf", join(workspace, "guide"));
  symlinkSync(".", join(workspace, "here"));
  symlinkSync(".skillgraph/not-yet", join(workspace, "dangling"));
  const policy = createPolicy({
    workspace,
    home: join(root, "home"),
    skillFolders: [join(workspace, "skills/pdf")],
    allow: rules("Write", "Edit", "Write(**)", "Edit(**)"),
  });
  const decide = (tool: typeof writeTool, path: string) => {
    const input = { path, content: "x", old_string: "x", new_string: "y" };
    return decideCall(policy, [grant("Write", "Edit")], {
      tool: tool.name,
      target: tool.target(input, context),
    });
  };
  return { workspace, decide };
}

describe("a protected place asks before Write and Edit, whatever is allowed", () => {
  it.each([
    ".git/config",
    ".git/hooks/post-commit",
    ".git",
    "./.git/config",
    "src/../.git/config",
    "src/.././/.git//config",
    ".GIT/config",
    ".Git/hooks/new/deep",
    ".git./config",
    ".g\u200dit/config",
    "harmless/config",
    "again/config",
    "here/.git/config",
    "here/harmless/hooks/x",
    "harmless/../.git/config",
    "src/notes.md",
    "sub/module/.git/config",
    '".git/config"',
    '"\\u002egit/config"',
    ".skillgraph/threads.db",
    "dangling",
    ".SKILLGRAPH/new",
    "skillgraph.json",
    "skills/pdf/SKILL.md",
    "skills/PDF/scripts/new.sh",
    "guide/SKILL.md",
    "here/guide/new.md",
    ".bashrc",
    "sub/.zshrc",
    ".Profile",
    ".env",
    ".claude/settings.json",
  ])("C8: %s", (path) => {
    const { workspace, decide } = createProtectedPlace();
    for (const tool of [writeTool, editTool]) {
      for (const spelled of [path, ...(path.startsWith('"') ? [] : [join(workspace, path)])]) {
        const { verdict, reason } = decide(tool, spelled);
        expect(verdict, `${tool.name} ${spelled}`).toBe("ask");
        expect(reason).toMatch(/protected/);
      }
    }
  });

  it("others do not ask: names that only look alike are no such places", () => {
    const { decide } = createProtectedPlace();
    for (const path of [
      "src/a.ts",
      ".gitignore",
      ".github/x.yml",
      "git/config",
      "skills/pdf-other/x",
      "here/src/a.ts",
    ]) {
      expect(decide(writeTool, path).verdict, path).toBe("allow");
      expect(decide(editTool, path).verdict, path).toBe("allow");
    }
  });
});
