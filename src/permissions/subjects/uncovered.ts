import type { ReadCommand } from "../command/read-command.ts";
import { toProgramName } from "../command/scan.ts";
import type { Rule } from "../rule.ts";
import { type Coverage, findCoverage } from "./command-coverage.ts";
import { toSource } from "./verdict.ts";

/** Why a command is not allowed by rules, for a person, with the rule that comes closest. */
export interface Uncovered {
  reason: string;
  rule?: string;
  skill?: string;
}

/**
 * Says why rules do not allow a command line, and which form they would allow where there is one.
 *
 * @param coverages one for each command of the view.
 * @returns undefined when every command is covered.
 */
export function explainUncovered(
  view: ReadCommand,
  coverages: Coverage[],
  rules: Rule[],
): Uncovered | undefined {
  if (view.kind === "unreadable") return explainUnreadable(view, rules);
  const index = coverages.findIndex((coverage) => coverage.kind !== "covered");
  const coverage = coverages[index];
  const words = view.commands[index]?.words ?? [];
  if (coverage === undefined || coverage.kind === "covered") return undefined;
  if (coverage.kind === "hazard") {
    const reason = `"${coverage.hazard}" can run or write more than rule "${coverage.rule.text}" shows, so only a rule that names the whole command allows it`;
    return { reason, ...toSource(coverage.rule) };
  }
  if (coverage.kind === "wrapped") return explainWrapped(words, coverage);
  const others = coverages.filter((item) => item.kind === "covered");
  const moved = words[0] === "cd" && others.length > 0 && others.length === coverages.length - 1;
  const first = others[0];
  if (moved && first?.kind === "covered") {
    const reason = `"${toLabel(words)}" is not on the list of allowed commands; rule "${first.rule.text}" covers the rest when it is run with working_directory "${words[1] ?? "~"}"`;
    return { reason, ...toSource(first.rule) };
  }
  return { reason: explainUnlisted(words, rules) };
}

function explainUnreadable(view: Extract<ReadCommand, { kind: "unreadable" }>, rules: Rule[]): Uncovered {
  const reason = `no rule can allow this command, because ${view.reason}`;
  const listed = { reason: `${reason}${listRules(rules)}` };
  const [command, ...others] = view.commands;
  if (command === undefined || others.length > 0 || command.assignments.length === 0) return listed;
  const coverage = findCoverage(rules, command.words);
  if (coverage.kind !== "covered") return listed;
  return {
    reason: `${reason}; rule "${coverage.rule.text}" covers the form "${shorten(command.words.join(" "))}"`,
    ...toSource(coverage.rule),
  };
}

function explainWrapped(words: string[], coverage: Extract<Coverage, { kind: "wrapped" }>): Uncovered {
  const folder = words[0] === "git" && words[1] === "-C" ? ` with working_directory "${words[2] ?? ""}"` : "";
  const full = shorten(words.join(" "));
  const reason = `rule "${coverage.rule.text}" does not cover "${full}"; it covers the form "${shorten(coverage.form)}"${folder}`;
  return { reason, ...toSource(coverage.rule) };
}

function explainUnlisted(words: string[], rules: Rule[]): string {
  const name = toProgramName(words[0] ?? "");
  const near = rules.filter((rule) => rule.pattern?.split(/[\s:]/, 1)[0] === name);
  if (near.length === 0)
    return `"${toLabel(words)}" is not on the list of allowed commands${listRules(rules)}`;
  return `no rule covers "${shorten(words.join(" "))}"${listRules(near, ` for "${name}"`)}`;
}

/** The rules that there are, the first few of them. */
function listRules(rules: Rule[], about = ""): string {
  const named = rules.filter(({ pattern }) => pattern !== undefined).map(({ text }) => `"${text}"`);
  if (named.length === 0) return "";
  const more = named.length > 3 ? `, and ${named.length - 3} more` : "";
  return ` (rules${about}: ${named.slice(0, 3).join(", ")}${more})`;
}

/** `git push` for `git push origin main`: the program and what looks like a subcommand. */
function toLabel(words: string[]): string {
  const [program = "", second] = words;
  if (program === "cd") return shorten(words.join(" "));
  return shorten(
    second !== undefined && /^[a-z][a-z0-9:-]*$/.test(second) ? `${program} ${second}` : program,
  );
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
