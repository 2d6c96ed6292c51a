import type { Policy } from "../policy.ts";
import type { Rule } from "../rule.ts";
import { matchesPath, matchesPlace } from "./path-pattern.ts";
import { isInside } from "./real-path.ts";

/** Tools that a deny or ask rule for another one speaks of too: they reach the same files. */
const COVERED_BY = new Map([
  ["Grep", "Read"],
  ["Glob", "Read"],
  ["Edit", "Write"],
]);

/** The first allow rule of one tool that covers a path: a bare rule, or one whose pattern matches. */
export function findPathRule(rules: Rule[], tool: string, path: string, policy: Policy): Rule | undefined {
  return rules.find(
    (rule) => rule.tool === tool && (rule.pattern === undefined || matchesPath(rule.pattern, path, policy)),
  );
}

/**
 * The first deny or ask rule that covers any spelling of a place. `Read` covers `Grep` and `Glob`, and `Write`
 * covers `Edit`.
 */
export function findRestriction(
  rules: Rule[],
  tool: string,
  places: string[],
  policy: Policy,
): Rule | undefined {
  return rules.find(
    (rule) =>
      (rule.tool === tool || rule.tool === COVERED_BY.get(tool)) &&
      (rule.pattern === undefined || matchesPlace(rule.pattern, places, policy)),
  );
}

/** True where the reading tools may look without a rule: the workspace and the folders of active skills. */
export function isReadable(path: string, policy: Policy): boolean {
  return [policy.workspace, ...policy.readableFolders].some((folder) => isInside(folder, path));
}
