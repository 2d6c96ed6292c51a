import { type Grant, parseRule, type Rule } from "./rule.ts";
import { findRuleFault } from "./rule-fault.ts";

/**
 * What a skill's `allowed-tools` and `disallowed-tools` grant and forbid. An entry that is no rule grants nothing; one
 * that forbids and names a tool forbids all of it.
 */
export function toGrant(skill: string, allowedTools: string[], disallowedTools: string[]): Grant {
  return {
    skill,
    allow: parseRules(skill, allowedTools),
    deny: parseRules(skill, disallowedTools).map(toFirm),
  };
}

function parseRules(skill: string, entries: string[]): Rule[] {
  return entries.flatMap((entry) => {
    const rule = parseRule(entry);
    return rule === undefined ? [] : [{ ...rule, skill }];
  });
}

function toFirm(rule: Rule): Rule {
  if (rule.pattern === undefined || findRuleFault(rule.text) === undefined) return rule;
  const { pattern: _pattern, ...whole } = rule;
  return whole;
}
