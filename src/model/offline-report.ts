import type { CallOutcome } from "./offline-history.ts";
import { HOW_TO_SET_MODEL, joinWords, showCommand, showPrinted, showResult } from "./offline-text.ts";

/** What run blocks belong to, in the words of a report. */
export interface Work {
  /** As it stands in a sentence: `the skill x`. */
  label: string;
  skill: string;
  argumentHint?: string;
  argumentNames?: string[];
  /** The instructions that hold the blocks. */
  text: string;
  /** True where the one command of the work needs no words of its own beside what a client shows of a call. */
  isBrief?: true;
  /** What a person can do when it stopped. */
  afterStop?: string;
}

/** One run block with its values filled in, and how it went; without an outcome it is still to run. */
export interface Step {
  command: string;
  outcome?: CallOutcome;
}

/** What ran with its result, what did not and why, and what cannot be judged without a model. */
export function report(work: Work, steps: Step[], total: number, stop?: string): string {
  const done = steps.filter((step) => step.outcome?.kind === "done");
  // A turn shows what the command before it printed, so only the last one is new.
  const ran = done.map((step) => showResult(step.command, step.outcome?.text ?? "", step === steps.at(-1)));
  const left = total - done.length;
  const heading =
    stop === undefined
      ? `Done: ${count(total, "command")} of ${work.label} ran.`
      : `Stopped: ${done.length} of ${count(total, "command")} of ${work.label} ran to the end.`;
  return [
    heading,
    ...(ran.length > 0 ? [ran.join("\n")] : []),
    ...(stop === undefined ? [] : [stop]),
    ...(stop !== undefined && left > 1 ? [`The ${count(left - 1, "command")} after it did not run.`] : []),
    stop === undefined
      ? "I ran what the skill declares. I cannot judge the rest of its instructions without a model."
      : "I cannot judge what to do instead without a model.",
    ...(stop === undefined || work.afterStop === undefined ? [] : [work.afterStop]),
    HOW_TO_SET_MODEL,
  ].join("\n\n");
}

/** How a command failed, with what it printed. */
export function explainStop(command: string, outcome: CallOutcome): string {
  const reason = outcome.kind === "stopped" ? outcome.reason : "";
  const text = outcome.text.trim();
  const detail = text === "" ? "" : `\n\n${showPrinted(command, text).replace(/^.*? printed:\n\n/s, "")}`;
  return `${showCommand(command)} did not succeed: ${reason}.${detail}`;
}

/** Why a command whose placeholders cannot be filled in safely was not run. */
export function explainRefused(code: string, names: string[], advice = ""): string {
  const verb = names.length === 1 ? "stands" : "stand";
  const where = `${joinWords(names)} ${verb} where the shell could read a value as code`;
  return `${showCommand(code)} was not run: ${where}, so it cannot be filled in safely.${advice}`;
}

/** That a question stayed without an answer, and what came instead. */
export function explainNoAnswer(question: string, outcome: CallOutcome): string {
  const text = outcome.text.trim();
  return `There is no answer to "${question}"${text === "" ? "." : `: ${text}`}`;
}

/** `1 command`, `2 commands`. */
export function count(amount: number, noun: string): string {
  return amount === 1 ? `1 ${noun}` : `${amount} ${noun}s`;
}
