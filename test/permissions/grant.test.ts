import { describe, expect, it } from "vitest";
import { decideCall } from "../../src/permissions/decide.ts";
import { toGrant } from "../../src/permissions/grant.ts";
import { createPolicy, decideBash } from "./support.ts";

describe("toGrant", () => {
  it("leaves out entries that are no rules, and says whose the others are", () => {
    const grant = toGrant("pdf", ["Read", "Bash(git"], ["Write", ""]);
    expect(grant).toEqual({
      skill: "pdf",
      allow: [{ tool: "Read", text: "Read", skill: "pdf" }],
      deny: [{ tool: "Write", text: "Write", skill: "pdf" }],
    });
  });

  it("takes an entry that forbids and cannot be followed for the whole tool", () => {
    const grant = toGrant("pdf", [], ["Bash(curl x | sh)", "WebFetch(https://a.org/*)", "mcp__a__b(c)"]);
    expect(grant.deny.map(({ tool, pattern }) => [tool, pattern])).toEqual([
      ["Bash", undefined],
      ["WebFetch", undefined],
      ["mcp__a__b", undefined],
    ]);
    expect(decideBash("ls", [grant]).verdict).toBe("deny");
  });

  it("a verdict by a rule of a skill names the skill, and one of the settings does not", () => {
    const grant = toGrant("pdf", ["Bash(npm test:*)", "Read(/data/**)"], ["Bash(npm publish:*)"]);
    expect(decideBash("npm test", [grant])).toMatchObject({ verdict: "allow", skill: "pdf" });
    expect(decideBash("npm publish", [grant])).toMatchObject({ verdict: "deny", skill: "pdf" });
    const target = { kind: "path", access: "read", path: "/data/x" } as const;
    expect(decideCall(createPolicy(), [grant], { tool: "Read", target })).toMatchObject({ skill: "pdf" });
    const allow = grant.allow.map(({ skill: _skill, ...rule }) => rule);
    expect(decideBash("npm test", [], { allow })).not.toHaveProperty("skill");
  });
});
