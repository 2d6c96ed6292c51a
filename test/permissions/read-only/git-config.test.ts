import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGitConfig } from "../../../src/permissions/read-only/git-config.ts";
import { createFolder } from "./scratch.ts";

/** What git itself makes of the text. */
function readByGit(text: string, key: string): string {
  const folder = createFolder({ config: text });
  return execFileSync("git", ["config", "--file", join(folder, "config"), key], { encoding: "utf8" }).trim();
}

describe("the settings of a repository", () => {
  it("are plain with keys that name no program, whatever the case of their letters", () => {
    const text = '[Core]\n\tbare = false\n\tfileMode\n; note\n[remote "a]b"]\n\turl = https://a.org/x.git\n';
    expect(readGitConfig(text)).toEqual({ kind: "plain", worktree: false });
    expect(readGitConfig("[extensions]\nworktreeConfig = true")).toEqual({ kind: "plain", worktree: true });
  });

  it("are at fault where a value goes on in the next line, in which git sees no section", () => {
    const text = "[core]\n\tabbrev = 7 \\\n[advice]\n\tpager = evil\n";
    expect(readByGit(text, "core.pager")).toBe("evil");
    expect(readGitConfig(text)).toMatchObject({ kind: "fault" });
  });

  it.each([
    ["a name in a section that has none", '[merge "x"]\n\tlog = true', "sets merge.*.log"],
    ["a name in a section whose values count", '[core "x"]\n\tfsmonitor = true', "sets core.*.fsmonitor"],
    ["a program", "[core]\n\tfsmonitor = ./evil", "sets core.fsmonitor"],
    ["a repository without files", "[core]\n\tbare", "sets core.bare"],
    ["another file", "[include]\n\tpath = evil", "sets include.path"],
    ["an entry behind its section", "[core] pager = evil", "line that is not understood"],
    ["a section of the old form", "[remote.x]\n\turl = y", "line that is not understood"],
    ["a byte that is not seen", "[user]\n\tname = a\u0001b", "line that is not understood"],
  ])("are at fault with %s", (_what, text, fault) => {
    expect(readGitConfig(text)).toMatchObject({ kind: "fault", fault: expect.stringContaining(fault) });
  });
});
