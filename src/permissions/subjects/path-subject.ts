import { namesExactly } from "../places/path-pattern.ts";
import { findPathRule, findRestriction, isReadable } from "../places/path-rule.ts";
import { findProtection } from "../places/protected.ts";
import type { Policy, Target } from "../policy.ts";
import type { Rule } from "../rule.ts";
import type { Subject, Verdict } from "./subject.ts";
import { toVerdict } from "./verdict.ts";

const READING_TOOLS = new Set(["Read", "Glob", "Grep"]);

/** The questions of {@link Subject} for a file or folder that a tool reads or writes. */
export function createPathSubject(
  tool: string,
  target: Extract<Target, { kind: "path" }>,
  policy: Policy,
): Subject {
  const { path, access, spelled = path } = target;
  const findRule = (rules: Rule[]): Rule | undefined => findRestriction(rules, tool, [path, spelled], policy);

  const findFirmQuestion = (allow: Rule[]): Verdict | undefined => {
    const protection = findProtection(path, policy, access);
    if (protection === undefined) return undefined;
    if (protection === "protected") {
      return {
        verdict: "ask",
        reason: `"${path}" is a protected place, so writing there always asks`,
        firm: true,
      };
    }
    const named = allow.some((rule) => rule.tool === tool && namesExactly(rule.pattern ?? "", path, policy));
    return named
      ? undefined
      : { verdict: "ask", reason: `"${path}" may hold secrets, so reading it always asks`, firm: true };
  };

  const decideByAllow = (allow: Rule[]): Verdict => {
    const rule = findPathRule(allow, tool, path, policy);
    if (rule !== undefined) return toVerdict("allow", `rule "${rule.text}" allows it`, rule);
    if (access === "read" && READING_TOOLS.has(tool) && isReadable(path, policy)) {
      return { verdict: "allow", reason: "reading in the workspace and in active skills is allowed" };
    }
    return { verdict: "ask", reason: `no rule allows "${tool}" for "${path}"` };
  };

  return { findRule, explainDoubt: () => undefined, findFirmQuestion, decideByAllow };
}
