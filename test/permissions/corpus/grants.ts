import type { Grant } from "../../../src/permissions/decide.ts";
import type { Policy } from "../../../src/permissions/policy.ts";
import { grant, rules } from "../support.ts";
import type { RealRun } from "./stub-shell.ts";

/** Commands that may go on as they like. */
const PREFIXES =
  `git status|git log|git diff|git show|git commit|git grep|pwd|cat|ls|head|tail|wc|grep|find|sed|awk|rg|sort|tar|printf|echo
  |env|python3|jq|test|true|cut|tr|uniq|diff|basename|bash scripts/ok.sh|timeout 60 npm test`
    .split("|")
    .map((text) => text.trim());
/** Commands that are allowed as they stand and no further. */
const WHOLE = ["make build", "npm run lint", "find sub -delete"];
const DENIED = ["git push", "rm"];

/** What a rule above allows behind its wrapper. */
const WRAPPED = [["timeout", "60", "npm", "test"]];

/** What the corpus is decided under. */
export const GRANTS: Grant[] = [
  grant(...PREFIXES.map((text) => `Bash(${text}:*)`)),
  grant(...WHOLE.map((text) => `Bash(${text})`), "Write(out/**)", "Read"),
];

/** The policy of the corpus for a scratch workspace. */
export function toPolicy(workspace: string, home: string): Partial<Policy> {
  const deny = rules(...DENIED.map((text) => `Bash(${text}:*)`));
  return { workspace, home, deny, skillFolders: [], readableFolders: [] };
}

/**
 * What a command did beyond the rules: an own, plain comparison that knows nothing of how they are matched.
 *
 * @param expected files that the command names itself and was allowed to make.
 */
export function listUncovered(run: RealRun, expected: string[] = [], prefixes = PREFIXES): string[] {
  const isCovered = (words: string[]): boolean =>
    WHOLE.includes(words.join(" ")) || prefixes.some((rule) => beginsWith(words, rule.split(" ")));
  const inner = run.programs
    .filter((words) => WRAPPED.some((rule) => beginsWith(words, rule)))
    .map((words) => words.slice(2).join(" "));
  const programs = run.programs.filter((words) => !isCovered(words) && !inner.includes(words.join(" ")));
  const files = run.files.filter((path) => !path.startsWith("ws/out/") && !expected.includes(path));
  return [...programs.map((words) => words.join(" ")), ...files.map((path) => `changed ${path}`)];
}

function beginsWith(words: string[], rule: string[]): boolean {
  return rule.every((word, index) => words[index] === word);
}
