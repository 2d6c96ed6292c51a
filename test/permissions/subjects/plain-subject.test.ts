import { describe, expect, it } from "vitest";
import { decideCall, shutsOut } from "../../../src/permissions/decide.ts";
import { createPolicy, decideBash, decidePath, rules } from "../support.ts";

const loading = (name: string, deny: string) =>
  decideCall(createPolicy({ deny: rules(deny) }), [], { tool: "Skill", target: { kind: "none", name } })
    .verdict;

describe("a call that touches no place", () => {
  it.each([
    ["Skill(pdf)", "pdf", "deny"],
    ["Skill(pdf:*)", "/PDF now", "deny"],
    ["Skill(pdf *)", "pdf", "deny"],
    ["Skill(review-*)", "review-code", "deny"],
    ["Skill", "pdf", "deny"],
    ["Skill(pdf)", "pdf-forms", "allow"],
    ["Skill(pdf)", "p", "allow"],
  ])("deny %s, skill %s: %s", (deny, name, verdict) => {
    expect(loading(name, deny)).toBe(verdict);
  });

  it("a server's rule is for each of its tools, and a pattern allows none", () => {
    const decide = (allow: string[], deny: string[] = []) =>
      decideCall(createPolicy({ allow: rules(...allow), deny: rules(...deny) }), [], {
        tool: "mcp__files__read",
        target: { kind: "none" },
      }).verdict;
    expect(decide(["mcp__files"])).toBe("allow");
    expect(decide(["mcp__files__*"])).toBe("allow");
    expect(decide(["mcp__files__read(x)"])).toBe("ask");
    expect(decide(["mcp__files"], ["mcp__files__read"])).toBe("deny");
  });
});

describe("rules against changing files", () => {
  it.each(["Edit", "Write", "NotebookEdit", "MultiEdit"])(
    "deny %s(a/**) covers every way to write",
    (tool) => {
      const deny = rules(`${tool}(a/**)`);
      const allow = rules("Write", "Edit", "Bash");
      expect(decidePath("Edit", "write", "/ws/a/x", [], { deny, allow }).verdict).toBe("deny");
      expect(decidePath("Write", "write", "/ws/a/x", [], { deny, allow }).verdict).toBe("deny");
      expect(decideBash("echo x > a/x", [], { deny, allow }).verdict).toBe("deny");
      expect(decidePath("Write", "write", "/ws/b/x", [], { deny, allow }).verdict).toBe("allow");
    },
  );

  it("an allow rule for one is none for the other", () => {
    for (const tool of ["Edit", "NotebookEdit"])
      expect(decidePath("Write", "write", "/ws/a", [], { allow: rules(tool) }).verdict).toBe("ask");
  });

  it("who may not edit does not see the tools that write", () => {
    expect(["Edit", "Write", "Read"].filter((tool) => shutsOut(rules("Edit"), tool))).toEqual([
      "Edit",
      "Write",
    ]);
  });

  it.each([
    ["Bash(rm -rf*)", "rm -rf /tmp/x", "deny"],
    ["Bash(git * --force)", "git push origin main --force", "deny"],
    ["Bash(git push* --force *)", "git push origin --force x y", "deny"],
    ["Bash(git * --force)", "git push", "allow"],
    ["Bash(rm -rf*)", "rm -r x", "allow"],
  ])("a star in deny %s stands for any words of %s: %s", (deny, command, verdict) => {
    expect(decideBash(command, [], { deny: rules(deny), allow: rules("Bash") }).verdict).toBe(verdict);
  });
});
