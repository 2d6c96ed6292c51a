import { coversTool, type Rule } from "../rule.ts";
import type { Subject, Verdict } from "./subject.ts";
import { toVerdict } from "./verdict.ts";
import { matchesSteps, toGlobSteps } from "./wildcard.ts";

/**
 * The questions of {@link Subject} for a call that touches no place: bare rules apply, and for a skill those that
 * name it.
 *
 * @param name what the call names, such as a skill
 * @param harmless true for a tool that needs no rule
 */
export function createPlainSubject(tool: string, name: string | undefined, harmless: boolean): Subject {
  // A pattern that says nothing about a call rather forbids it than not.
  const findRule = (rules: Rule[]): Rule | undefined =>
    rules.find(
      (rule) => coversTool(rule, tool) && (name === undefined || namesIt(rule.pattern, toComparable(name))),
    );

  const decideByAllow = (allow: Rule[]): Verdict => {
    const rule = allow.find((item) => coversTool(item, tool) && item.pattern === undefined);
    if (rule !== undefined) return toVerdict("allow", `rule "${rule.text}" allows it`, rule);
    if (harmless) return { verdict: "allow", reason: `"${tool}" needs no rule` };
    return { verdict: "ask", reason: `"${tool}" is not on the list of allowed tools` };
  };

  return { findRule, explainDoubt: () => undefined, findFirmQuestion: () => undefined, decideByAllow };
}

/** `name`, `name:*`, `name *` or `na*`. */
function namesIt(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined) return true;
  return matchesSteps(toGlobSteps(toComparable(pattern.replace(/(:|\s)\*$/, ""))), name);
}

/** A skill is asked for in several spellings: `/name`, and with its arguments behind it. */
function toComparable(name: string): string {
  return (name.trim().replace(/^[/$]/, "").split(/\s/, 1)[0] ?? "").normalize("NFC").toLowerCase();
}
