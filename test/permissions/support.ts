import { type Decision, decideCall, type Grant, type Policy, toGrant } from "../../src/permissions/decide.ts";
import { parseRule, type Rule } from "../../src/permissions/rule.ts";

/** A policy without rules for the workspace `/ws` with one active skill folder. */
export function createPolicy(changes: Partial<Policy> = {}): Policy {
  return {
    deny: [],
    ask: [],
    allow: [],
    mode: "ask",
    restrict: false,
    workspace: "/ws",
    home: "/home/u",
    skillFolders: ["/ws/skills/pdf", "/opt/skills/tar"],
    readableFolders: ["/opt/skills/tar"],
    ...changes,
  };
}

export function rules(...texts: string[]): Rule[] {
  return texts.map((text) => {
    const rule = parseRule(text);
    if (rule === undefined) throw new Error(`not a rule: ${text}`);
    return rule;
  });
}

export function grant(...allowed: string[]): Grant {
  return toGrant("one", allowed, []);
}

export function decideBash(
  command: string,
  grants: Grant[],
  changes: Partial<Policy> = {},
  cwd = "/ws",
): Decision {
  return decideCall(createPolicy(changes), grants, {
    tool: "Bash",
    target: { kind: "command", command, cwd },
  });
}

export function decidePath(
  tool: string,
  access: "read" | "write",
  path: string,
  grants: Grant[] = [],
  changes: Partial<Policy> = {},
): Decision {
  return decideCall(createPolicy(changes), grants, { tool, target: { kind: "path", access, path } });
}
