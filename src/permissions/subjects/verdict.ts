import type { Decision } from "../policy.ts";
import type { Rule } from "../rule.ts";

/** A verdict by a rule: of a skill, or of the settings. */
export function toVerdict(verdict: Decision["verdict"], reason: string, rule: Rule): Decision {
  return { verdict, reason, ...toSource(rule) };
}

/** A rule as a decision names it. */
export function toSource({ text, skill }: Rule): { rule: string; skill?: string } {
  return { rule: text, ...(skill === undefined ? {} : { skill }) };
}
