import { SHELLS, type SimpleCommand, toProgramName } from "../command/scan.ts";
import type { Unfolded } from "../command/unfold.ts";
import { isWrapper } from "../command/wrappers.ts";
import { findHazard } from "../hazards/hazards.ts";
import type { Rule } from "../rule.ts";
import { beginsAlike, type CommandPattern, isAnyCommand, parseCommandPattern } from "./command-pattern.ts";

const CODE = /[\s'"();|&<>]/;
/** The command `e`, or the flag of that name behind a replacement. */
const SED_RUNS = /(^|[^a-z])e\s|[^\w\s][a-z\d]*e[a-z\d]*\s*(;|$)/im;
const PATH_TOOLS = new Set(["Read", "Write"]);

/**
 * Says why it is not certain that a command keeps clear of deny or ask rules that did not match it: a part of it
 * is not seen, or a computed word could complete what a rule names. Rules without a pattern leave no doubt.
 */
export function explainDoubt(rules: Rule[], tool: string, unfolded: Unfolded): string | undefined {
  const ofTool = rules.filter((rule) => rule.tool === tool && !isAnyCommand(rule.pattern));
  const ofPaths = rules.filter((rule) => PATH_TOOLS.has(rule.tool) && rule.pattern !== undefined);
  const first = [...ofTool, ...ofPaths][0];
  if (first === undefined) return undefined;
  if (unfolded.unseen !== undefined)
    return `it cannot be told whether rule "${first.text}" is kept, because ${unfolded.unseen}`;
  const moved =
    ofPaths.length > 0 ? unfolded.commands.flatMap(({ words }) => findGitFolder(words) ?? []) : [];
  if (moved.length > 0)
    return `it cannot be told whether rule "${ofPaths[0]?.text}" is kept, because of "git ${moved[0]}"`;
  for (const rule of ofTool) {
    const pattern = parseCommandPattern(rule.pattern ?? "");
    if (pattern === undefined) continue;
    if (unfolded.commands.some((command) => couldBecome(pattern, command) || mentions(pattern, command)))
      return `it cannot be told whether rule "${rule.text}" is kept, because a part of the command is computed`;
  }
  return undefined;
}

/** An option by which git looks for its files elsewhere. */
function findGitFolder([program = "", ...args]: string[]): string | undefined {
  if (toProgramName(program) !== "git") return undefined;
  return args.find((word) => /^--(git-dir|work-tree)(=|$)/.test(word));
}

/** `git $X` could become `git push`: the words before the first computed one fit as far as they go. */
function couldBecome(pattern: CommandPattern, { words, computed }: SimpleCommand): boolean {
  const known = words.findIndex((word) => computed.includes(word));
  if (known === -1 || pattern.words.length < known) return false;
  const named = [toProgramName(words[0] ?? ""), ...words.slice(1)];
  return beginsAlike(pattern, words, known) || beginsAlike(pattern, named, known);
}

/** A program text such as that of `awk` or `python -c` which has all the words of the rule in it. */
function mentions(pattern: CommandPattern, { words }: SimpleCommand): boolean {
  const name = toProgramName(words[0] ?? "");
  if (SHELLS.has(name) || isWrapper(name)) return false;
  const codes = words.slice(1).filter((word) => (name === "sed" ? SED_RUNS : CODE).test(word));
  if (codes.length === 0 || findHazard(words) === undefined) return false;
  const tokens = codes.flatMap((code) => code.match(/[\w.-]+/g) ?? []);
  let from = 0;
  return pattern.words.every(({ star, text }) => {
    if (star) return true;
    from = tokens.indexOf(text, from) + 1;
    return from > 0;
  });
}
