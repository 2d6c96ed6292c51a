import { describe, expect, it } from "vitest";
import { toRisk } from "../../src/permissions/risk.ts";

describe("toRisk", () => {
  it.each([
    ["L0", []],
    ["L0", ["Read"]],
    ["L0", ["read_file", "Glob", "LS", "grep_search", "TodoWrite", "AskUserQuestion"]],
    ["L0", ["Read(secrets/**)"]],
    ["L1", ["Write"]],
    ["L1", ["Read", "str_replace"]],
    ["L1", ["MultiEdit(docs/**)"]],
    ["L1", ["NotebookEdit"]],
    ["L2", ["Bash"]],
    ["L2", ["Read", "Write", "Bash(git status)"]],
    ["L2", ["shell"]],
    ["L2", ["run_in_terminal(ls)"]],
    ["L2", ["WebFetch"]],
    ["L2", ["WebFetch(domain:example.com)"]],
    ["L2", ["WebSearch"]],
    ["L2", ["mcp__github__create_issue"]],
    ["L2", ["Task"]],
    ["L2", ["Agent"]],
    ["L2", ["*"]],
    ["L2", ["Frobnicate"]],
  ] as const)("is %s for %j", (risk, entries) => {
    expect(toRisk([...entries])).toBe(risk);
  });

  it.each(["Bash(git", "", "()", "Read Write", "Read()"])(
    "an entry that nobody can read, %j, is the highest",
    (entry) => {
      expect(toRisk(["Read", entry])).toBe("L2");
    },
  );

  it("a lookalike of a harmless name is no harmless name", () => {
    expect(toRisk(["Rеad"])).toBe("L2");
    expect(toRisk(["Read\u200b"])).toBe("L2");
  });
});
