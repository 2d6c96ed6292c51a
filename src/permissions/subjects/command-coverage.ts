import { type SimpleCommand, toProgramName } from "../command/scan.ts";
import { unwrapWords } from "../command/wrappers.ts";
import { findHazard } from "../hazards/hazards.ts";
import type { Rule } from "../rule.ts";
import { isAnyCommand, matchesLoosely, matchesWords, parseCommandPattern } from "./command-pattern.ts";

/** How far rules cover one command: by which rule, or why not. */
export type Coverage =
  | { kind: "covered"; rule: Rule }
  | { kind: "hazard"; rule: Rule; hazard: string }
  | { kind: "wrapped"; rule: Rule; form: string }
  | { kind: "unlisted" };

/**
 * The first rule that any of the commands falls under, for deny and ask rules. A program's folder does not hide
 * it.
 *
 * @param every with all that is behind wrappers.
 */
export function findCommandRule(rules: Rule[], every: SimpleCommand[], text: string): Rule | undefined {
  const spellings = every.flatMap(({ words }) => [words, [toProgramName(words[0] ?? ""), ...words.slice(1)]]);
  return rules.find((rule) => {
    if (isAnyCommand(rule.pattern)) return true;
    const pattern = parseCommandPattern(rule.pattern ?? "");
    if (pattern === undefined) return text.trim() === rule.pattern;
    return spellings.some((words) => matchesWords(pattern, words) || matchesLoosely(pattern, words));
  });
}

/** The rules that cover commands, each once. */
export function listRules(coverages: Coverage[]): Rule[] {
  const rules = coverages.flatMap((coverage) => (coverage.kind === "covered" ? [coverage.rule] : []));
  return [...new Map(rules.map((rule) => [rule.text, rule])).values()];
}

/** Why a line is allowed: by all the rules that it took, so that a harmless command in front hides none. */
export function describeRules(rules: Rule[]): string {
  const [last = "", ...others] = rules.map(({ text }) => `"${text}"`).reverse();
  if (others.length === 0) return `rule ${last} allows it`;
  return `rules ${others.reverse().join(", ")} and ${last} allow it`;
}

/** Programs that run what the files of the folder they start in say. */
const PROJECT_RUNNERS = new Set(
  `npm npx pnpm pnpx yarn bun bunx deno make gmake just task rake gulp grunt nx turbo cargo gradle gradlew mvn mvnw
  ant composer tox nox invoke poetry pdm uv hatch pytest dotnet sbt mix bundle`.split(/\s+/),
);
/** How many layers are taken off to say which form a rule would allow. */
const MAX_LAYERS = 8;

/**
 * Tells whether a rule allows one command as it stands: wrappers are not seen through, and a rule with a `*`
 * does not allow forms that run or write more than they show.
 *
 * @param elsewhere true when the command may start in another folder than the workspace: there a rule with a
 * pattern allows no program that runs what that folder's files say.
 */
export function findCoverage(
  rules: Rule[],
  words: string[],
  elsewhere = false,
  layers = MAX_LAYERS,
): Coverage {
  let best: Coverage = { kind: "unlisted" };
  for (const rule of rules) {
    const coverage = coverByRule(rule, words, elsewhere);
    if (coverage.kind === "covered") return coverage;
    if (best.kind === "unlisted") best = coverage;
  }
  if (best.kind !== "unlisted") return best;
  const inner = layers > 0 ? unwrapWords(words) : undefined;
  const behind = inner && findCoverage(rules, inner, elsewhere, layers - 1);
  if (inner === undefined || behind === undefined || behind.kind === "unlisted") return best;
  const form = behind.kind === "wrapped" ? behind.form : inner.join(" ");
  return { kind: "wrapped", rule: behind.rule, form };
}

const NAMEABLE_WRAPPERS = new Set(["git", "timeout", "nice", "nohup", "env", "stdbuf", "sudo"]);

function coverByRule(rule: Rule, words: string[], elsewhere: boolean): Coverage {
  if (isAnyCommand(rule.pattern)) return { kind: "covered", rule };
  const pattern = parseCommandPattern(rule.pattern ?? "");
  if (pattern === undefined || !matchesWords(pattern, words)) return { kind: "unlisted" };
  const runner = elsewhere ? findProjectRunner(words) : undefined;
  if (runner !== undefined)
    return { kind: "hazard", rule, hazard: `${runner} in another folder than the workspace` };
  if (pattern.exact) return { kind: "covered", rule };
  const literal = pattern.words.findIndex((word) => word.star);
  const hazard = findUnnamedHazard(words, literal === -1 ? pattern.words.length : literal);
  return hazard === undefined ? { kind: "covered", rule } : { kind: "hazard", rule, hazard };
}

function findProjectRunner(words: string[]): string | undefined {
  let inner: string[] | undefined = words;
  for (let layers = MAX_LAYERS; inner !== undefined && layers > 0; layers -= 1) {
    const name = toProgramName(inner[0] ?? "");
    if (PROJECT_RUNNERS.has(name)) return name;
    inner = unwrapWords(inner);
  }
  return undefined;
}

/** `timeout 60 npm test:*` names its wrapper and the command in it, so only what is inside is looked at. */
function findUnnamedHazard(words: string[], named: number): string | undefined {
  const hazard = findHazard(words);
  const name = toProgramName(words[0] ?? "");
  const inner = unwrapWords(words);
  if (hazard === undefined || inner === undefined || !NAMEABLE_WRAPPERS.has(name)) return hazard;
  const stripped = words.length - inner.length;
  const own = name === "git" ? 1 : 0;
  const splits = words.slice(0, stripped).some((word) => /^-[a-z]*S|^--split/.test(word));
  if (splits || named < stripped + own + 1) return hazard;
  return findUnnamedHazard(inner, named - stripped);
}
