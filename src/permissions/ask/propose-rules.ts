import { relative } from "node:path";
import { readCommand } from "../command/read-command.ts";
import { unfoldCommands } from "../command/unfold.ts";
import { decideCall } from "../decide.ts";
import { findHazard } from "../hazards/hazards.ts";
import { isInside } from "../places/real-path.ts";
import { explainSearched, SECRETS } from "../places/searched-folders.ts";
import { createPlaceFinder, locateWord } from "../places/spelled-places.ts";
import { listFolders } from "../places/touched-places.ts";
import type { CallToDecide, Policy } from "../policy.ts";
import { type Grant, parseRule } from "../rule.ts";
import { matchesWords, parseCommandPattern } from "../subjects/command-pattern.ts";
import { readAddress } from "../subjects/domain-pattern.ts";
import { findFamily } from "./command-families.ts";
import { toVisibleText } from "./visible-text.ts";

/** More rules than a person reads before saying yes to them. */
const MAX_RULES = 10;
/** Characters of a rule that can still be read as one. */
const MAX_RULE_LENGTH = 500;

/**
 * The rules that would have allowed a call which asks: one for each simple command, file or host that is not allowed
 * yet, as narrow as is of use. Each is tried: together they allow this call, and none of them can be left out.
 *
 * @returns nothing where no rule would do: for a call that is allowed or denied, for what always asks, such as
 * protected places, for commands that cannot be read or that search a folder with secrets, and where an ask rule stands against it.
 */
export function proposeRules(policy: Policy, grants: Grant[], call: CallToDecide): string[] {
  const asking: Policy = { ...policy, mode: "ask" };
  if (decideCall(asking, grants, call).verdict !== "ask") return [];
  // A question that stays in the mode that allows everything is a person's each time.
  if (decideCall({ ...policy, mode: "allow" }, grants, call).verdict !== "allow") return [];
  if (comesToSecret(policy, call)) return [];
  const candidates = listCandidates(policy, call);
  if (candidates === undefined || candidates.length > MAX_RULES) return [];
  const allows = (texts: string[]): boolean => {
    const rules = texts.map((text) => parseRule(text)).filter((rule) => rule !== undefined);
    return decideCall({ ...asking, allow: [...policy.allow, ...rules] }, grants, call).verdict === "allow";
  };
  if (!allows(candidates)) return [];
  let needed = candidates;
  for (const candidate of candidates) {
    const others = needed.filter((text) => text !== candidate);
    if (allows(others)) needed = others;
  }
  return needed;
}

/** A rule for such a command would open what is secret each time, also what comes later. */
function comesToSecret(policy: Policy, { target }: CallToDecide): boolean {
  if (target.kind !== "command") return false;
  const { commands } = unfoldCommands(readCommand(target.command));
  const folders = listFolders(commands, target.cwd, policy.home) ?? [target.cwd];
  const places = createPlaceFinder(policy.home, policy.workspace);
  return explainSearched(commands, folders, policy, places, SECRETS) !== undefined;
}

/** A rule for each part of the call, allowed yet or not; undefined when a part can have none. */
function listCandidates(policy: Policy, { tool, target }: CallToDecide): string[] | undefined {
  const rules = toRules(policy, tool, target);
  if (!rules.every((text) => text !== undefined && isReadable(text))) return undefined;
  return [...new Set(rules.filter((text) => text !== undefined))];
}

function toRules(policy: Policy, tool: string, target: CallToDecide["target"]): (string | undefined)[] {
  if (target.kind === "none") return [tool];
  if (target.kind === "path") return [toPathRule(tool, target.path, policy)];
  if (target.kind === "url") {
    const address = readAddress(target.url);
    return [address && `${tool}(domain:${address.name})`];
  }
  const view = readCommand(target.command);
  if (view.kind === "unreadable") return [undefined];
  const written = view.commands.flatMap(({ writes }) => writes);
  const places = written.flatMap((word) => locateWord(word, target.cwd, policy.home));
  return [
    ...view.commands.map(({ words }) => toCommandRule(tool, words)),
    ...places.map((path) => toPathRule("Write", path, policy)),
  ];
}

/** Of its family, or of this one command where there is none or where it runs or writes more than it shows. */
function toCommandRule(tool: string, words: string[]): string | undefined {
  const family = findHazard(words) === undefined ? findFamily(words) : undefined;
  if (family !== undefined) return `${tool}(${family.join(" ")}:*)`;
  const pattern = words.map(quoteWord).join(" ");
  const read = parseRule(`${tool}(${pattern})`);
  const parsed = read?.pattern === pattern ? parseCommandPattern(pattern) : undefined;
  return parsed?.exact && matchesWords(parsed, words) ? `${tool}(${pattern})` : undefined;
}

function quoteWord(word: string): string {
  return /^[\w@%+,./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A pattern without a slash would hold at any depth, and one with a tilde for the home. */
function toPathRule(tool: string, path: string, { workspace }: Policy): string | undefined {
  const below = isInside(workspace, path) ? relative(workspace, path) : undefined;
  if (below === "") return undefined;
  const shown = below === undefined ? path : /^[^~][^/]*\//.test(below) ? below : `./${below}`;
  const pattern = shown.replace(/[\\*?[\]{}()!+@|^$]/g, "\\$&");
  const rule = parseRule(`${tool}(${pattern})`);
  return rule?.pattern === pattern ? `${tool}(${pattern})` : undefined;
}

/** One line, and nothing in it that is not seen. */
function isReadable(text: string): boolean {
  return text.length <= MAX_RULE_LENGTH && !/[\n\t]/.test(text) && toVisibleText(text) === text;
}
