import { speaksForPerson, speaksInCode } from "../command/person-words.ts";
import { MAX_COMMAND_LENGTH, readCommand } from "../command/read-command.ts";
import { type SimpleCommand, toCommand, toProgramName } from "../command/scan.ts";
import { holdsStreams } from "../command/stream.ts";
import { unfoldCommands } from "../command/unfold.ts";
import { findLoaderVariable } from "../command/wrappers.ts";
import { changesGitSettings } from "../hazards/hazard-programs.ts";
import { findHazard } from "../hazards/hazards.ts";
import { findNamedPathRule } from "../places/named-paths.ts";
import { findPathRule, findRestriction, isReadable } from "../places/path-rule.ts";
import { isInside } from "../places/real-path.ts";
import { explainSearched, SECRETS } from "../places/searched-folders.ts";
import { createPlaceFinder, locateWord } from "../places/spelled-places.ts";
import {
  findTouchedInText,
  findTouchedPlace,
  listFolders,
  type TouchedPlace,
} from "../places/touched-places.ts";
import type { Policy } from "../policy.ts";
import type { Reading } from "../read-only/read-only.ts";
import { describeReadings, judgeReadings, withReading } from "../read-only/reading-line.ts";
import type { Rule } from "../rule.ts";
import {
  type Coverage,
  describeRules,
  findCommandRule,
  findCoverage,
  listRules,
} from "./command-coverage.ts";
import { isAnyCommand } from "./command-pattern.ts";
import { explainDoubt } from "./doubt.ts";
import type { Subject, Verdict } from "./subject.ts";
import { explainUncovered } from "./uncovered.ts";
import { toSource } from "./verdict.ts";

const READING_TOOLS = new Set(["Read", "Grep", "Glob"]);
const UNLISTED: Coverage = { kind: "unlisted" };

/** The questions of {@link Subject} for a shell command. */
export function createCommandSubject(tool: string, text: string, cwd: string, policy: Policy): Subject {
  const view = readCommand(text);
  const unfolded = unfoldCommands(view);
  const every = unfolded.commands;
  const followed = listFolders(every, cwd, policy.home);
  const folders = followed ?? [cwd];
  if (followed === undefined) unfolded.unseen ??= "its folder changes too often";
  const places = createPlaceFinder(policy.home, policy.workspace);
  const toPlaces = (word: string): string[] =>
    folders.flatMap((folder) => locateWord(word, folder, policy.home));
  const ofTool = (rules: Rule[]): Rule[] => rules.filter((rule) => rule.tool === tool);

  const findRule = (rules: Rule[]): Rule | undefined =>
    findCommandRule(ofTool(rules), every, text) ?? findNamedPathRule(rules, every, folders, policy, places);

  const explainDoubtOf = (rules: Rule[]): string | undefined => {
    const doubt = explainDoubt(rules, tool, unfolded);
    if (doubt !== undefined) return doubt;
    const patterned = rules.filter((rule) => rule.tool === "Read" && rule.pattern !== undefined);
    if (patterned.length === 0) return undefined;
    return explainSearched(every, folders, policy, places, {
      what: "which a rule names",
      secrets: false,
      isRestricted: (path) => findRestriction(patterned, "Read", [path], policy) !== undefined,
    });
  };

  const findFirmQuestion = (allow: Rule[]): Verdict | undefined => {
    if (text.length > MAX_COMMAND_LENGTH) return firm("it is too long to be looked through");
    const loader = every.map(findLoaderVariable).find((word) => word !== undefined);
    if (loader !== undefined)
      return firm(`"${loader}" makes programs load other code, so no rule lets it pass`);
    if (every.some(changesSettings))
      return firm("git's settings say what git runs, so changing them always asks");
    if (every.some((command) => speaksForPerson(command) || speaksInCode(command)))
      return firm("trust and answers are a person's to give, so a command that may give them always asks");
    const touched = findTouchedPlace(every, cwd, policy, places) ?? findTouchedInCode();
    if (places.isExhausted()) return firm("it names too many places to look at them all");
    if (touched === undefined) return undefined;
    if (touched.protection === "secret" && view.kind === "readable" && isNamedWhole(allow)) return undefined;
    return firm(explainTouched(touched));
  };

  const findTouchedInCode = (): TouchedPlace | undefined => {
    if (view.kind === "unreadable") return findTouchedInText(text, cwd, policy, places);
    const code = every
      .filter((command) => findHazard(command.words) !== undefined)
      .flatMap(({ words }) => words);
    const programs = code.filter((word) => /[\s'"();|&<>]/.test(word));
    return firstOf(programs, (program) => findTouchedInText(program, cwd, policy, places));
  };

  const isNamedWhole = (allow: Rule[]): boolean => {
    const whole = ofTool(allow).filter((rule) => !isAnyCommand(rule.pattern) && !rule.pattern?.includes("*"));
    return view.commands.every(
      ({ words, reads }) => reads.length === 0 && findCoverage(whole, words).kind === "covered",
    );
  };

  const decideByAllow = (allow: Rule[], restrictions: Rule[]): Verdict => {
    const rules = ofTool(allow);
    const elsewhere = followed === undefined || folders.some((folder) => folder !== policy.workspace);
    const coverages = view.commands.map(({ words }): Coverage => findCoverage(rules, words, elsewhere));
    const readings = judgeAllReadings(
      coverages.map(({ kind }) => kind === "covered"),
      restrictions,
    );
    const open = view.commands.flatMap((_, index) => (readings[index]?.kind === "reads" ? [] : [index]));
    const rest = { ...view, commands: open.map((index) => view.commands[index] ?? toCommand([])) };
    const restCoverages = open.map((index) => coverages[index] ?? UNLISTED);
    const reason = explainUncovered(rest, restCoverages, rules);
    if (reason !== undefined)
      return { verdict: "ask", ...reason, reason: withReading(reason.reason, readings) };
    if (folders.some(holdsStreams)) return ask("the files of its folder stand for what a program is sent");
    const redirection = explainRedirection(allow);
    if (redirection !== undefined) return ask(redirection);
    const onlyReads = open.length === 0;
    const searched =
      onlyReads || isNamedWhole(allow) ? undefined : explainSearched(every, folders, policy, places, SECRETS);
    if (searched !== undefined) return ask(searched);
    const used = listRules(coverages);
    const [rule] = used;
    if (rule === undefined) return { verdict: "allow", reason: describeReadings(readings) };
    return { verdict: "allow", reason: describeRules(used), ...toSource(rule) };
  };

  /** Why a file that a redirection reads or writes asks. */
  const explainRedirection = (allow: Rule[]): string | undefined => {
    const written = [...new Set(view.commands.flatMap((command) => command.writes))];
    const read = [...new Set(view.commands.flatMap((command) => command.reads))];
    if (followed === undefined && written.length + read.length > 0)
      return "its folder changes too often to tell where a redirection leads";
    const closed = written.flatMap(toPlaces).find((path) => !mayWrite(path, allow, policy));
    if (closed !== undefined) return `writing to "${closed}" by a redirection needs a Write rule`;
    const unread = read.flatMap(toPlaces).find((path) => !mayRead(path, allow, policy));
    return unread === undefined ? undefined : `reading "${unread}" by a redirection needs a Read rule`;
  };

  const judgeAllReadings = (covered: boolean[], restrictions: Rule[]): Reading[] => {
    const isOpen = view.kind === "readable" && followed !== undefined && covered.includes(false);
    if (!isOpen || tool !== "Bash") return [];
    const restricting = restrictions.filter((rule) => READING_TOOLS.has(rule.tool));
    const isRestricted = (path: string): boolean =>
      [...READING_TOOLS].some((name) => findRestriction(restricting, name, [path], policy) !== undefined);
    return judgeReadings(view.commands, covered, {
      ...{ folders, policy, places },
      ...(restricting.length > 0 ? { isRestricted } : {}),
    });
  };

  return { findRule, explainDoubt: explainDoubtOf, findFirmQuestion, decideByAllow };
}

/** `git config name value`, seen without the options before the subcommand. */
function changesSettings({ words }: SimpleCommand): boolean {
  return (
    toProgramName(words[0] ?? "") === "git" && words[1] === "config" && changesGitSettings(words.slice(2))
  );
}

// The tools refuse to leave the workspace by themselves, a redirection does not: a bare rule stays inside.
function mayWrite(path: string, allow: Rule[], policy: Policy): boolean {
  const rule = findPathRule(allow, "Write", path, policy);
  return rule !== undefined && (rule.pattern !== undefined || isInside(policy.workspace, path));
}

function mayRead(path: string, allow: Rule[], policy: Policy): boolean {
  const patterned = allow.filter((rule) => rule.pattern !== undefined);
  return isReadable(path, policy) || findPathRule(patterned, "Read", path, policy) !== undefined;
}

function explainTouched({ protection, word }: TouchedPlace): string {
  return protection === "secret"
    ? `"${word}" may hold secrets, so reading it always asks`
    : `"${word}" is or leads to a protected place, so a command that may change it always asks`;
}

function firstOf<Item, Found>(items: Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firm(reason: string): Verdict {
  return { verdict: "ask", reason, firm: true };
}

function ask(reason: string): Verdict {
  return { verdict: "ask", reason };
}
