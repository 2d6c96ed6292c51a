import { describe, expect, it } from "vitest";
import { decideCall, mayRead, toGrant } from "../../src/permissions/decide.ts";
import { createPolicy, decideBash, decidePath, grant, rules } from "./support.ts";

describe("order of the rules", () => {
  const call = { tool: "Bash", target: { kind: "command", command: "git push", cwd: "/ws" } } as const;

  it("deny beats ask beats allow", () => {
    const allow = rules("Bash(git push:*)");
    const ask = rules("Bash(git:*)");
    const deny = rules("Bash(git push)");
    expect(decideCall(createPolicy({ allow }), [], call)).toMatchObject({
      verdict: "allow",
      rule: "Bash(git push:*)",
    });
    expect(decideCall(createPolicy({ allow, ask }), [], call)).toMatchObject({
      verdict: "ask",
      rule: "Bash(git:*)",
    });
    expect(decideCall(createPolicy({ allow, ask, deny }), [], call)).toEqual({
      verdict: "deny",
      reason: 'rule "Bash(git push)" denies it',
      rule: "Bash(git push)",
    });
  });

  it("says in one sentence what is missing", () => {
    expect(decideCall(createPolicy(), [], call)).toEqual({
      verdict: "ask",
      reason: '"git push" is not on the list of allowed commands',
    });
  });

  it("turns questions into what the mode says and never overrides a deny", () => {
    expect(decideCall(createPolicy({ mode: "deny" }), [], call).verdict).toBe("deny");
    expect(decideCall(createPolicy({ mode: "allow" }), [], call).verdict).toBe("allow");
    expect(decideCall(createPolicy({ mode: "allow", ask: rules("Bash") }), [], call).verdict).toBe("allow");
    expect(decideCall(createPolicy({ mode: "allow", deny: rules("Bash") }), [], call).verdict).toBe("deny");
    expect(decideCall(createPolicy({ mode: "deny", allow: rules("Bash") }), [], call).verdict).toBe("allow");
  });

  it("adds up the grants of two skills, and either one's deny counts", () => {
    const chain = "git status && npm test";
    const first = toGrant("first", ["Bash(git status:*)"], []);
    const second = toGrant("second", ["Bash(npm test:*)"], []);
    const strict = toGrant("strict", [], ["Bash(npm:*)"]);
    expect(decideBash(chain, [first]).verdict).toBe("ask");
    expect(decideBash(chain, [first, second]).verdict).toBe("allow");
    expect(decideBash(chain, [first, second, strict]).verdict).toBe("deny");
  });

  it("C9: restrict denies a tool that no active skill lists, only while one is active", () => {
    const restrict = true;
    const reading = [grant("Read")];
    expect(decidePath("Write", "write", "/ws/a", reading, { restrict }).verdict).toBe("deny");
    expect(decidePath("Write", "write", "/ws/a", reading, { restrict, mode: "allow" }).verdict).toBe("deny");
    expect(decidePath("Write", "write", "/ws/a", reading, { restrict, allow: rules("Write") }).verdict).toBe(
      "deny",
    );
    expect(decidePath("Write", "write", "/ws/a", [...reading, grant("Write")], { restrict }).verdict).toBe(
      "allow",
    );
    expect(decidePath("Write", "write", "/ws/a", [], { restrict }).verdict).toBe("ask");
    expect(decidePath("Write", "write", "/ws/a", reading).verdict).toBe("ask");
    expect(decidePath("Read", "read", "/ws/a", reading, { restrict }).verdict).toBe("allow");
    const plain = { tool: "AskUser", target: { kind: "none" } } as const;
    expect(decideCall(createPolicy({ restrict }), reading, plain).verdict).toBe("allow");
  });
});

describe("tools without commands", () => {
  it("reads without a rule in the workspace and in active skills only", () => {
    for (const tool of ["Read", "Glob", "Grep"]) {
      expect(decidePath(tool, "read", "/ws/src/a.ts").verdict).toBe("allow");
      expect(decidePath(tool, "read", "/opt/skills/tar/SKILL.md").verdict).toBe("allow");
      expect(decidePath(tool, "read", "/ws-secret/a").verdict).toBe("ask");
    }
    expect(decidePath("other", "read", "/ws/a").verdict).toBe("ask");
    expect(decidePath("Read", "write", "/ws/a").verdict).toBe("ask");
  });

  it("matches path rules tool by tool", () => {
    const grants = [grant("Write(docs/**)", "Edit(*.md)")];
    expect(decidePath("Write", "write", "/ws/docs/a.md", grants).verdict).toBe("allow");
    expect(decidePath("Write", "write", "/ws/src/a.md", grants).verdict).toBe("ask");
    expect(decidePath("Edit", "write", "/ws/src/a.md", grants).verdict).toBe("allow");
    expect(
      decidePath("Write", "write", "/ws/docs/a.md", grants, { deny: rules("Write(docs/a*)") }).verdict,
    ).toBe("deny");
  });

  it("H5b: a deny or ask rule for Read covers Grep and Glob, one for Write covers Edit; an allow rule its own tool", () => {
    for (const tool of ["Read", "Grep", "Glob"]) {
      const decide = (path: string, ...deny: string[]) =>
        decidePath(tool, "read", path, [], { deny: rules(...deny), mode: "allow" }).verdict;
      expect(decide("/ws/private/x", "Read(private/**)")).toBe("deny");
      expect(decide("/ws/private", "Read(private/**)")).toBe("deny");
      expect(decide("/ws/other", "Read(private/**)")).toBe("allow");
      expect(decide("/ws/other", "Read")).toBe("deny");
      expect(decidePath(tool, "read", "/ws/a", [], { ask: rules("Read") }).verdict).toBe("ask");
    }
    const grants = [grant("Write", "Edit")];
    for (const rule of ["Write(locked/**)", "Write"]) {
      expect(
        decidePath("Edit", "write", "/ws/locked/x", grants, { deny: rules(rule), mode: "allow" }).verdict,
      ).toBe("deny");
      expect(decidePath("Edit", "write", "/ws/locked/x", grants, { ask: rules(rule) }).verdict).toBe("ask");
    }
    expect(decidePath("Edit", "write", "/ws/a", [grant("Write")]).verdict).toBe("ask");
    expect(decidePath("Grep", "read", "/out/a", [grant("Read(/out/**)")]).verdict).toBe("ask");
    expect(decidePath("Read", "read", "/ws/a", [], { deny: rules("Grep") }).verdict).toBe("allow");
  });

  it("H5e: matches deny and ask rules with the path as it is spelled, too", () => {
    const target = { kind: "path", access: "read", path: "/ws/vault/x", spelled: "/ws/secrets/x" } as const;
    const decide = (changes: Parameters<typeof createPolicy>[0]) =>
      decideCall(createPolicy(changes), [], { tool: "Read", target }).verdict;
    expect(decide({ deny: rules("Read(secrets/**)") })).toBe("deny");
    expect(decide({ deny: rules("Read(vault/**)") })).toBe("deny");
    expect(decide({ ask: rules("Read(secrets)") })).toBe("ask");
    expect(decide({})).toBe("allow");
  });

  it("mayRead tells what a Read would give without a question", () => {
    const policy = createPolicy({
      deny: rules("Read(private/**)"),
      ask: rules("Read(drafts)"),
      mode: "allow",
    });
    const may = (path: string, ...allowed: string[]) => mayRead(policy, [grant(...allowed)], path);
    expect(may("/ws/a") && may("/opt/skills/tar/x") && may("/out/a", "Read(/out/**)")).toBe(true);
    for (const path of ["/ws/private/a", "/ws/drafts/a", "/ws/.env", "/out/a"])
      expect(may(path), path).toBe(false);
    expect(may("/ws/private/a", "Read")).toBe(false);
    expect(mayRead({ ...policy, restrict: true }, [grant("Grep")], "/ws/a")).toBe(true);
    expect(mayRead(policy, [toGrant("strict", [], ["Read(b)"])], "/ws/b")).toBe(false);
  });

  it("knows tools of the caller by bare rules, and never applies a pattern to another kind of target", () => {
    const decide = (tool: string, ...allow: string[]) =>
      decideCall(createPolicy({ allow: rules(...allow) }), [], { tool, target: { kind: "none" } }).verdict;
    expect(decide("weather", "weather")).toBe("allow");
    expect(decide("weather", "weather(x)", "Bash", "other")).toBe("ask");
    expect(decide("WebFetch", "WebFetch(domain:a.org)")).toBe("ask");
    for (const tool of ["AskUser", "Skill", "SearchSkills", "CompleteStage"])
      expect(decide(tool)).toBe("allow");
    const deny = rules("AskUser");
    expect(
      decideCall(createPolicy({ deny }), [], { tool: "AskUser", target: { kind: "none" } }).verdict,
    ).toBe("deny");
  });
});
