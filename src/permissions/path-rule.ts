import { matchesPath } from "./path-pattern.ts";
import type { Policy } from "./policy.ts";
import { isInside } from "./real-path.ts";
import type { Rule } from "./rule.ts";

/** The first rule of one tool that covers a path: a bare rule, or one whose pattern matches. */
export function findPathRule(rules: Rule[], tool: string, path: string, policy: Policy): Rule | undefined {
  return rules.find(
    (rule) => rule.tool === tool && (rule.pattern === undefined || matchesPath(rule.pattern, path, policy)),
  );
}

/** True where the reading tools may look without a rule: the workspace and the folders of active skills. */
export function isReadable(path: string, policy: Policy): boolean {
  return [policy.workspace, ...policy.readableFolders].some((folder) => isInside(folder, path));
}
