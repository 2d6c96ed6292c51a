import { findRunBlocks, type RunBlock } from "../skills/run-blocks.ts";
import { askForPlaceholders, fillPlaceholders, isOptional } from "./offline-command.ts";
import { type CallOutcome, findAnswer, type PastCall } from "./offline-history.ts";
import {
  explainNoAnswer,
  explainRefused,
  explainStop,
  report,
  type Step,
  type Work,
} from "./offline-report.ts";
import { showCommand, showPrinted } from "./offline-text.ts";
import { type BoundTool, fail, hasTool, type PlannedTurn, say } from "./offline-turn.ts";

/** How far the blocks are: the turn that comes next, or every command with what it printed. */
export type Progress = { kind: "turn"; turn: PlannedTurn } | { kind: "done"; steps: Step[] };

const PLAIN_WORDS = " A plain word, without blanks and quotes, would do.";

/**
 * Carries out the run blocks of a text in their order, one command a turn: asks for the values that are
 * missing, and stops at the first command that fails or is refused.
 *
 * @param work - What the blocks belong to.
 * @param calls - What was called since the work began.
 */
export function planSteps(work: Work, calls: PastCall[], tools: BoundTool[]): Progress {
  const blocks = findRunBlocks(work.text);
  const { argumentNames: names } = work;
  const steps: Step[] = [];
  const stop = (reason: string) => toTurn(fail(report(work, steps, blocks.length, reason)));
  const made = calls.filter((call) => call.name === "Bash");
  for (const { code } of blocks) {
    const open = fillPlaceholders(code, new Map(), names);
    if (open.refused.length > 0) return stop(explainRefused(code, open.refused));
    const values = new Map<string, string>();
    for (const { placeholder, question } of askForPlaceholders(open.missing, work.argumentHint, names)) {
      if (isOptional(placeholder, work.argumentHint)) {
        values.set(placeholder, "");
        continue;
      }
      const answer = findAnswer(calls, question);
      if (answer?.kind === "stopped") return stop(explainNoAnswer(question, answer));
      if (!answer) return toTurn(askPerson(question, code, work, steps, tools));
      values.set(placeholder, answer.text.trim());
    }
    const { code: command, refused } = fillPlaceholders(code, values, names);
    if (refused.length > 0) return stop(explainRefused(code, refused, PLAIN_WORDS));
    const outcome = takeOutcome(made, command, blocks.slice(steps.length + 1));
    steps.push(outcome ? { command, outcome } : { command });
    if (outcome?.kind === "stopped") return stop(explainStop(command, outcome));
    if (!outcome) return toTurn(runStep(work, steps, blocks.length, tools));
  }
  return { kind: "done", steps };
}

/** Takes the first call of this command, and with it all before: equal blocks are counted, not confused. */
function takeOutcome(made: PastCall[], command: string, later: RunBlock[]): CallOutcome | undefined {
  const at = made.findIndex((call) => call.input.command === command);
  if (at >= 0) return made.splice(0, at + 1).at(-1)?.outcome;
  // A long history loses its oldest calls; what a later command followed must not run a second time.
  const isGone = later.some(({ code }) => made.some((call) => call.input.command === code));
  return isGone
    ? { kind: "done", text: "(a later command followed it; its result is not in the history any more)" }
    : undefined;
}

function runStep(work: Work, steps: Step[], total: number, tools: BoundTool[]): PlannedTurn {
  const command = steps.at(-1)!.command;
  if (!hasTool(tools, "Bash")) {
    return fail(report(work, steps, total, "There is no Bash tool here, so I cannot run commands."));
  }
  const place = `Command ${steps.length} of ${total} of ${work.label}`;
  const said = work.isBrief && total === 1 ? [] : [`${place}: ${showCommand(command)}`];
  return {
    text: [...showLast(steps.slice(0, -1)), ...said].join("\n\n"),
    calls: [{ name: "Bash", input: { command, description: place } }],
  };
}

function askPerson(
  question: string,
  code: string,
  work: Work,
  steps: Step[],
  tools: BoundTool[],
): PlannedTurn {
  if (!hasTool(tools, "AskUser")) {
    const typed = `/${work.skill} ${work.argumentHint ?? "<arguments>"}`;
    const missing = `A value is missing. ${question} Type it with the skill: ${typed}`;
    return say([...showLast(steps), missing].join("\n\n"));
  }
  const why = `${toSentence(work.label)} needs a value for ${showCommand(code)}`;
  return { text: [...showLast(steps), why].join("\n\n"), calls: [{ name: "AskUser", input: { question } }] };
}

/** What the last command printed, for a person to read before what comes next. */
export function showLast(steps: Step[]): string[] {
  const last = steps.at(-1);
  return last?.outcome ? [showPrinted(last.command, last.outcome.text)] : [];
}

function toSentence(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function toTurn(turn: PlannedTurn): Progress {
  return { kind: "turn", turn };
}
