import type { BaseMessage } from "@langchain/core/messages";
import type { SkillEnvelope } from "../skills/envelope.ts";
import { parseListing } from "../skills/listing.ts";
import { findRunBlocks, type RunBlock } from "../skills/run-blocks.ts";
import { askForPlaceholders, fillPlaceholders } from "./offline-command.ts";
import { type CallOutcome as Outcome, type PastCall, readTask, type Task } from "./offline-history.ts";
import { type Match, rankSkills } from "./offline-match.ts";
import {
  HOW_TO_SET_MODEL,
  joinWords,
  showCommand,
  showMatch,
  showPrinted,
  showResult,
} from "./offline-text.ts";

/** A tool as it was bound to the model. */
export interface BoundTool {
  name: string;
  description: string;
}

/** What the model says in one turn, and the call that it makes, if any. */
export interface PlannedTurn {
  text: string;
  calls: { name: string; input: Record<string, unknown> }[];
  /** True when what was to be done failed or was refused. */
  failed?: true;
}

/** One run block with its values filled in, and how it went; without an outcome it is still to run. */
interface Step {
  command: string;
  outcome?: Outcome;
}

const NEAREST_SHOWN = 5;
const PLAIN_WORDS = " A plain word, without blanks and quotes, would do.";

/**
 * Decides the next turn from nothing but the messages and the tools: carries out the run blocks of the loaded
 * skill one by one, or proposes the skill whose words fit the request.
 *
 * The same messages and tools always give the same turn.
 */
export function planTurn(messages: BaseMessage[], tools: BoundTool[]): PlannedTurn {
  const task = readTask(messages);
  if (task.envelope) return planSkill(task.envelope, task.calls, tools);
  if (task.otherwise) return say(explainOtherArguments(task.otherwise));
  const asked = task.calls.findLast((call) => call.name === "Skill");
  if (asked) return fail(explainNotLoaded(asked));
  return proposeSkill(task, tools);
}

function planSkill(skill: SkillEnvelope, calls: PastCall[], tools: BoundTool[]): PlannedTurn {
  const blocks = findRunBlocks(skill.text);
  if (blocks.length === 0) return say(showInstructions(skill));
  const steps: Step[] = [];
  const made = calls.filter((call) => call.name === "Bash");
  for (const { code } of blocks) {
    const open = fillPlaceholders(code, new Map());
    if (open.refused.length > 0)
      return fail(report(skill, steps, blocks.length, explainRefused(code, open.refused)));
    const questions = askForPlaceholders(open.missing, skill.argumentHint);
    const values = new Map<string, string>();
    for (const { placeholder, question } of questions) {
      const answer = calls.find(
        (call) => call.name === "AskUser" && call.input.question === question,
      )?.outcome;
      if (answer?.kind === "done") values.set(placeholder, answer.text.trim());
      if (answer?.kind === "stopped")
        return fail(report(skill, steps, blocks.length, explainNoAnswer(question, answer)));
      if (!answer) return askPerson(question, code, skill, steps, tools);
    }
    const { code: command, refused } = fillPlaceholders(code, values);
    if (refused.length > 0)
      return fail(report(skill, steps, blocks.length, explainRefused(code, refused, PLAIN_WORDS)));
    const outcome = takeOutcome(made, command, blocks.slice(steps.length + 1));
    steps.push(outcome ? { command, outcome } : { command });
    if (outcome?.kind === "stopped") {
      return fail(report(skill, steps, blocks.length, explainStop(command, outcome)));
    }
    if (!outcome) return runStep(skill, steps, blocks.length, tools);
  }
  return say(report(skill, steps, blocks.length));
}

/** Takes the first call of this command, and with it all before: equal blocks are counted, not confused. */
function takeOutcome(made: PastCall[], command: string, later: RunBlock[]): Outcome | undefined {
  const at = made.findIndex((call) => call.input.command === command);
  if (at >= 0) return made.splice(0, at + 1).at(-1)?.outcome;
  // A long history loses its oldest calls; what a later command followed must not run a second time.
  const isGone = later.some(({ code }) => made.some((call) => call.input.command === code));
  return isGone
    ? { kind: "done", text: "(a later command followed it; its result is not in the history any more)" }
    : undefined;
}

function runStep(skill: SkillEnvelope, steps: Step[], total: number, tools: BoundTool[]): PlannedTurn {
  const command = steps.at(-1)!.command;
  if (!hasTool(tools, "Bash")) {
    return fail(report(skill, steps, total, "There is no Bash tool here, so I cannot run commands."));
  }
  const before = steps.at(-2);
  const printed = before?.outcome ? [showPrinted(before.command, before.outcome.text)] : [];
  const place = `Command ${steps.length} of ${total} of the skill ${skill.name}`;
  return {
    text: [...printed, `${place}: ${showCommand(command)}`].join("\n\n"),
    calls: [{ name: "Bash", input: { command, description: place } }],
  };
}

function askPerson(
  question: string,
  code: string,
  skill: SkillEnvelope,
  steps: Step[],
  tools: BoundTool[],
): PlannedTurn {
  const before = steps.at(-1);
  const printed = before?.outcome ? [showPrinted(before.command, before.outcome.text)] : [];
  if (!hasTool(tools, "AskUser")) {
    const typed = `/${skill.name} ${skill.argumentHint ?? "<arguments>"}`;
    return say([...printed, `A value is missing. ${question} Type it with the skill: ${typed}`].join("\n\n"));
  }
  const why = `The skill ${skill.name} needs a value for ${showCommand(code)}`;
  return { text: [...printed, why].join("\n\n"), calls: [{ name: "AskUser", input: { question } }] };
}

/** What ran with its result, what did not and why, and what cannot be judged without a model. */
function report(skill: SkillEnvelope, steps: Step[], total: number, stop?: string): string {
  const done = steps.filter((step) => step.outcome?.kind === "done");
  const ran = done.map((step) => showResult(step.command, step.outcome?.text ?? ""));
  const left = total - done.length;
  const heading =
    stop === undefined
      ? `Done: ${count(total)} of the skill ${skill.name} ran.`
      : `Stopped: ${done.length} of ${count(total)} of the skill ${skill.name} ran to the end.`;
  return [
    heading,
    ...(ran.length > 0 ? [ran.join("\n")] : []),
    ...(stop === undefined ? [] : [stop]),
    ...(stop !== undefined && left > 1 ? [`The ${count(left - 1)} after it did not run.`] : []),
    stop === undefined
      ? "I ran what the skill declares. I cannot judge the rest of its instructions without a model."
      : "I cannot judge what to do instead without a model.",
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}

function explainStop(command: string, outcome: Outcome): string {
  const reason = outcome.kind === "stopped" ? outcome.reason : "";
  const text = outcome.text.trim();
  const detail = text === "" ? "" : `\n\n${showPrinted(command, text).replace(/^.*? printed:\n\n/s, "")}`;
  return `${showCommand(command)} did not succeed: ${reason}.${detail}`;
}

function explainRefused(code: string, names: string[], advice = ""): string {
  const verb = names.length === 1 ? "stands" : "stand";
  const where = `${joinWords(names)} ${verb} where the shell could read a value as code`;
  return `${showCommand(code)} was not run: ${where}, so it cannot be filled in safely.${advice}`;
}

function explainNoAnswer(question: string, outcome: Outcome): string {
  const text = outcome.text.trim();
  return `There is no answer to "${question}"${text === "" ? "." : `: ${text}`}`;
}

function explainOtherArguments(skill: SkillEnvelope): string {
  const given = skill.arguments.trim();
  const loaded = given === "" ? "without arguments" : `for "${given}"`;
  const typed = `/${skill.name} ${skill.argumentHint ?? given}`.trim();
  return `The skill ${skill.name} is loaded ${loaded}, so I ran nothing for this request. To run it, type: ${typed}`;
}

function explainNotLoaded(call: PastCall): string {
  const name = String(call.input.name ?? "");
  const text = call.outcome.text.trim();
  const reason = text === "" ? "nothing came back" : text;
  return `The skill ${name} was not loaded, so I ran nothing. The answer was: ${reason}`;
}

function showInstructions(skill: SkillEnvelope): string {
  return [
    `The skill ${skill.name} is loaded. It declares no commands to run, and following its instructions takes a ` +
      "model. Here they are:",
    skill.text.trim(),
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}

function proposeSkill(task: Task, tools: BoundTool[]): PlannedTurn {
  const skillTool = tools.find((tool) => tool.name === "Skill");
  const catalog = parseListing(skillTool?.description ?? "");
  const { chosen, ranked } = rankSkills(task.request, catalog);
  if (!chosen) return say(explainNone(ranked));
  const where = chosen.inDescription ? "its description shares" : "its name and description share";
  const words = `the word${chosen.shared.length > 1 ? "s" : ""} ${joinWords(chosen.shared)}`;
  return {
    text: `I would use the skill ${chosen.name}: ${where} ${words} with your request.`,
    calls: [{ name: "Skill", input: { name: chosen.name, arguments: "" } }],
  };
}

function explainNone(ranked: Match[]): string {
  const limits = "I am the built-in offline model: I choose by words alone and cannot answer freely.";
  if (ranked.length === 0)
    return ["There are no skills to choose from.", limits, HOW_TO_SET_MODEL].join("\n\n");
  const near = ranked.filter((match) => match.score > 0).slice(0, NEAREST_SHOWN);
  const shown = near.length > 0 ? near : ranked.slice(0, NEAREST_SHOWN);
  const rest = ranked.length - shown.length;
  return [
    "No skill clearly fits your request by its words.",
    `${near.length > 0 ? "The nearest" : "There are"}:\n${shown.map(showMatch).join("\n")}` +
      (rest > 0 ? `\n- and ${rest} more` : ""),
    `To load one yourself, type its name with a slash: /${shown[0]?.name ?? ""}`,
    limits,
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}

function hasTool(tools: BoundTool[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

function say(text: string): PlannedTurn {
  return { text, calls: [] };
}

function fail(text: string): PlannedTurn {
  return { text, calls: [], failed: true };
}

function count(commands: number): string {
  return commands === 1 ? "1 command" : `${commands} commands`;
}
