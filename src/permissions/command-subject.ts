import { readCommand } from "./command.ts";
import { type Coverage, findCommandRule, findCoverage } from "./command-coverage.ts";
import { isAnyCommand } from "./command-pattern.ts";
import { findHazard } from "./hazards.ts";
import { matchesPath } from "./path-pattern.ts";
import { findPathRule, isReadable } from "./path-rule.ts";
import type { Policy } from "./policy.ts";
import { isInside, toRealPath } from "./real-path.ts";
import type { Rule } from "./rule.ts";
import type { SimpleCommand } from "./scan.ts";
import type { Subject, Verdict } from "./subject.ts";
import {
  findTouchedInText,
  findTouchedPlace,
  listFolders,
  resolveWord,
  type TouchedPlace,
} from "./touched-places.ts";
import { explainUncovered } from "./uncovered.ts";
import { findLoaderVariable, listInnerCommands } from "./wrappers.ts";

/** The questions of {@link Subject} for a shell command. */
export function createCommandSubject(tool: string, text: string, cwd: string, policy: Policy): Subject {
  const view = readCommand(text);
  const every = listInnerCommands(view.commands);
  const followed = listFolders(every, cwd, policy.home);
  const folders = followed ?? [cwd];
  const toPlaces = (word: string): string[] =>
    folders.map((folder) => toRealPath(resolveWord(word, folder, policy.home)));
  const ofTool = (rules: Rule[]): Rule[] => rules.filter((rule) => rule.tool === tool);

  const findRule = (rules: Rule[]): Rule | undefined => {
    const written = every.flatMap((command) => command.writes).flatMap(toPlaces);
    const read = every.flatMap((command) => command.reads).flatMap(toPlaces);
    return (
      findCommandRule(ofTool(rules), view.commands, text) ??
      firstOf(written, (path) => findPathRule(rules, "Write", path, policy)) ??
      firstOf(read, (path) => findPathRule(rules, "Read", path, policy)) ??
      rules.find((rule) => namesReadPath(rule, every, toPlaces, policy))
    );
  };

  const findFirmQuestion = (allow: Rule[]): Verdict | undefined => {
    const loader = every.map(findLoaderVariable).find((word) => word !== undefined);
    if (loader !== undefined)
      return firm(`"${loader}" makes programs load other code, so no rule lets it pass`);
    const touched = findTouchedPlace(every, cwd, policy) ?? findTouchedInCode();
    if (touched === undefined) return undefined;
    if (touched.protection === "secret" && view.kind === "readable" && isNamedWhole(allow)) return undefined;
    return firm(explainTouched(touched));
  };

  const findTouchedInCode = (): TouchedPlace | undefined => {
    if (view.kind === "unreadable") return findTouchedInText(text, cwd, policy);
    const code = every
      .filter((command) => findHazard(command.words) !== undefined)
      .flatMap(({ words }) => words);
    const programs = code.filter((word) => /[\s'"();|&<>]/.test(word));
    return firstOf(programs, (program) => findTouchedInText(program, cwd, policy));
  };

  const isNamedWhole = (allow: Rule[]): boolean => {
    const whole = ofTool(allow).filter((rule) => !isAnyCommand(rule.pattern) && !rule.pattern?.includes("*"));
    return view.commands.every(
      ({ words, reads }) => reads.length === 0 && findCoverage(whole, words).kind === "covered",
    );
  };

  const decideByAllow = (allow: Rule[]): Verdict => {
    const rules = ofTool(allow);
    const coverages = view.commands.map(({ words }): Coverage => findCoverage(rules, words));
    const reason = explainUncovered(view, coverages, rules);
    if (reason !== undefined) return { verdict: "ask", ...reason };
    const written = view.commands.flatMap((command) => command.writes);
    const read = view.commands.flatMap((command) => command.reads);
    if (followed === undefined && written.length + read.length > 0)
      return ask("its folder changes too often to tell where a redirection leads");
    for (const path of written.flatMap(toPlaces)) {
      if (!mayWrite(path, allow, policy))
        return ask(`writing to "${path}" by a redirection needs a Write rule`);
    }
    for (const path of read.flatMap(toPlaces)) {
      if (!mayRead(path, allow, policy)) return ask(`reading "${path}" by a redirection needs a Read rule`);
    }
    const rule = coverages.find((coverage) => coverage.kind === "covered")?.rule;
    const decided = rule === undefined ? {} : { rule: rule.text };
    return { verdict: "allow", reason: `rule "${rule?.text ?? tool}" allows it`, ...decided };
  };

  return { findRule, findFirmQuestion, decideByAllow };
}

/** `Read(secrets/**)` among the deny rules also refuses a command that names such a path. */
function namesReadPath(
  rule: Rule,
  commands: SimpleCommand[],
  toPlaces: (word: string) => string[],
  policy: Policy,
): boolean {
  const pattern = rule.tool === "Read" ? rule.pattern : undefined;
  if (pattern === undefined) return false;
  const words = commands.flatMap((command) => command.words.slice(1)).filter((word) => /[./]/.test(word));
  return words.flatMap(toPlaces).some((path) => matchesPath(pattern, path, policy));
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
