import { SkillgraphError } from "../errors.ts";
import type { BasePolicy } from "../graph/parts.ts";
import { toRealPath } from "../permissions/places/real-path.ts";
import { parseRule, type Rule } from "../permissions/rule.ts";
import { describeFault, findRuleFault } from "../permissions/rule-fault.ts";
import { rememberRules } from "./settings/remember-rules.ts";
import type { Settings } from "./settings.ts";

/** Rules beside those of the settings. */
interface AddedRules {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}

/** Policies of agents in this process, by whose they are and for which project. An agent that is gone leaves none. */
const policies = new Map<string, WeakRef<BasePolicy>[]>();

/**
 * What may run by the settings and by the caller's own rules. Rules that a person adds later reach it, too.
 *
 * @throws SkillgraphError `settings-invalid` for an entry that is no rule
 */
export function createPolicy(settings: Settings, added: AddedRules): BasePolicy {
  const { workspace, home, permissions, configFolder, cacheFolder } = settings;
  const policy: BasePolicy = {
    allow: parseRules([...permissions.allow, ...(added.allow ?? [])]),
    ask: parseRules([...permissions.ask, ...(added.ask ?? [])]),
    deny: parseRules([...permissions.deny, ...(added.deny ?? [])]),
    mode: permissions.mode,
    restrict: permissions.restrict,
    workspace,
    home,
    ownFolders: [configFolder, cacheFolder].map((folder) => toRealPath(folder)),
  };
  const key = toKey(settings);
  const others = (policies.get(key) ?? []).filter((reference) => reference.deref());
  policies.set(key, [...others, new WeakRef(policy)]);
  return policy;
}

/**
 * Adds allow rules to the person's settings for the project, and to every agent of the project in this process.
 *
 * @throws SkillgraphError `settings-invalid` as {@link rememberRules} does; nothing is added then
 */
export function addRules(settings: Settings, rules: readonly string[]): void {
  rememberRules(settings, rules);
  for (const reference of policies.get(toKey(settings)) ?? []) {
    const allow = reference.deref()?.allow ?? [];
    allow.push(...parseRules(rules).filter(({ text }) => !allow.some((rule) => rule.text === text)));
  }
}

function toKey({ configFolder, project }: Settings): string {
  return JSON.stringify([toRealPath(configFolder), project]);
}

/** A rule that cannot be read stops everything: a lost deny would be worse than a stop. */
function parseRules(texts: readonly string[]): Rule[] {
  return texts.map((text) => {
    const rule = parseRule(text);
    const fault = findRuleFault(text);
    if (rule && fault === undefined) return rule;
    const reason = fault ? describeFault(fault) : "It cannot be read.";
    throw new SkillgraphError("settings-invalid", `"${text}" is no permission rule. ${reason}`);
  });
}
