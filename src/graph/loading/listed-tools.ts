import { parseRule, type Rule } from "../../permissions/rule.ts";
import type { Skill } from "../../skills/schema.ts";
import { readWizard } from "../../skills/stages/read-wizard.ts";
import { fillFolder } from "../fill-folder.ts";

/** What a skill's files list as `allowed-tools` now. */
export interface Lists {
  /** Those of the header, with the skill's folder filled in. */
  header: Rule[];
  /** Those of each stage, as they are written; empty where no wizard is under way. */
  stages: ReadonlyMap<string, Rule[]>;
}

/** Reads what a skill lists, its stages only where a wizard is under way. */
export function readLists(skill: Skill, directory: string, isWizard: boolean): Lists {
  const stages = isWizard ? (readWizard(skill, { asked: true }).wizard?.stages ?? []) : [];
  return {
    header: toRules(skill.allowedTools.map((entry) => fillFolder(entry, directory))),
    stages: new Map(stages.map(({ id, allowedTools }) => [id, toRules(allowedTools)])),
  };
}

/** True for an entry that stands there as it did, or of whose tool every use is listed. */
export function isListed(entry: string, { header, stages }: Lists, stage?: string): boolean {
  const rule = parseRule(entry);
  const rules = stage === undefined ? header : (stages.get(stage) ?? []);
  return rules.some(
    ({ tool, pattern }) => tool === rule?.tool && (pattern === undefined || pattern === rule.pattern),
  );
}

function toRules(entries: string[]): Rule[] {
  return entries.flatMap((entry) => parseRule(entry) ?? []);
}
