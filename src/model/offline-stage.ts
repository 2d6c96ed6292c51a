import type { SkillEnvelope } from "../skills/envelope.ts";
import { findRunBlocks } from "../skills/run-blocks.ts";
import type { StageEnvelope } from "../skills/stages/stage-envelope.ts";
import { findOpenFields } from "../skills/stages/stage-fields.ts";
import { COMPLETE_STAGE, type Completions, findAnswer, type PastCall } from "./offline-history.ts";
import {
  checkAnswer,
  isOfObject,
  type Property,
  readOutput,
  readWholeOutput,
  WHOLE,
  wrapSchema,
} from "./offline-output.ts";
import { count, explainNoAnswer, type Step, type Work } from "./offline-report.ts";
import { planSteps, showLast } from "./offline-steps.ts";
import { HOW_TO_SET_MODEL, joinWords, showCommand, toLine, toLines } from "./offline-text.ts";
import { type BoundTool, fail, hasTool, type PlannedTurn } from "./offline-turn.ts";

/** How a value that nobody printed stands. */
type Answer =
  | { kind: "given"; value: unknown }
  | { kind: "open"; question: string }
  | { kind: "stopped"; reason: string };

/** What is known of the stage when its commands ran. */
interface Attempt {
  stage: StageEnvelope;
  steps: Step[];
  calls: PastCall[];
  tools: BoundTool[];
}

const ATTEMPTS = 2;
const AGAIN = [
  "The stage stays open. When the cause is mended, write any message, and I do the stage again:",
  "",
  '    skillgraph run --continue "again"    # the newest thread',
  "    skillgraph chat --thread ID",
].join("\n");
/** Lines of what the commands say of their result that a person reads at the gate. */
const SUMMARY_LINES = 3;

/**
 * Decides the next turn at an open stage: carries out its run blocks, asks for what its output lacks, and hands
 * it over.
 *
 * @param skill - The wizard skill, where its text is in the history.
 * @param calls - What was called since this attempt at the stage began.
 */
export function planStage(
  stage: StageEnvelope,
  skill: SkillEnvelope | undefined,
  calls: PastCall[],
  tools: BoundTool[],
): PlannedTurn {
  const handed = calls.findLast((call) => call.name === COMPLETE_STAGE);
  if (handed) return stop(stage, `I handed it over, and this came back:\n\n${handed.outcome.text.trim()}`);
  if (!hasTool(tools, COMPLETE_STAGE)) {
    return stop(stage, `There is no ${COMPLETE_STAGE} tool here, so I cannot hand it over.`);
  }
  const open = explainOpenFields(stage);
  if (open !== undefined) return stop(stage, open);
  const progress = planSteps(toWork(stage, skill), calls, tools);
  if (progress.kind === "turn") return progress.turn;
  return finish({ stage, steps: progress.steps, calls, tools });
}

/** The end of a wizard: what each of its stages handed over last. */
export function reportStages({ skill, isWhole, calls }: Completions): string {
  const summaries = new Map<string, string>();
  for (const [index, { input, said, outcome }] of calls.entries()) {
    if (outcome.kind === "stopped") continue;
    const [, number, title] = [...said.matchAll(/^Stage (\d+) of \d+, "(.*?)": /gm)].at(-1) ?? [];
    const isChanged = outcome.text.includes("changed its output");
    const made = toLine(String(input.summary ?? ""));
    // What a person changed need not be what the summary says.
    const summary = isChanged ? `changed by the person at the gate, before that: ${made}` : made;
    // A stage that was done again stands at its old place, with what it came to in the end.
    summaries.set(number ?? `call ${index}`, title === undefined ? summary : `${title}: ${summary}`);
  }
  const name = skill === "" ? "the skill" : `the skill ${skill}`;
  const heading = isWhole ? `All stages of ${name} are complete.` : `The stages of ${name} were left early.`;
  return [heading, [...summaries.values()].map((line) => `- ${line}`).join("\n")].join("\n\n").trim();
}

function toWork(stage: StageEnvelope, skill: SkillEnvelope | undefined): Work {
  const hint = skill?.argumentHint;
  return {
    label: `the stage "${stage.title}" of the skill ${stage.skill}`,
    skill: stage.skill,
    text: stage.text,
    isBrief: true,
    afterStop: AGAIN,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(skill?.argumentNames === undefined ? {} : { argumentNames: skill.argumentNames }),
  };
}

/** A command that lacks a value of an earlier stage would run with the name of the value instead. */
function explainOpenFields({ text, results }: StageEnvelope): string | undefined {
  const stages = results.map(({ id }) => id);
  for (const { code } of findRunBlocks(text)) {
    const names = findOpenFields(code, stages);
    if (names.length === 0) continue;
    const verb = names.length === 1 ? "has" : "have";
    return `${showCommand(code)} was not run: ${joinWords(names)} ${verb} no value.`;
  }
  return undefined;
}

function finish(attempt: Attempt): PlannedTurn {
  const { stage, steps, calls } = attempt;
  const isWrapped = stage.output !== undefined && !isOfObject(stage.output);
  const schema = isWrapped && stage.output ? wrapSchema(stage.output, stage.title) : stage.output;
  const printed = steps.map((step) => step.outcome?.text ?? "");
  const output = schema && isWrapped ? readWholeOutput(schema, printed) : readOutput(schema, printed);
  // A form asks for what is missing when the stage is handed over.
  const missing = stage.gate === "form" ? [] : output.missing;
  if (steps.length === 0 && missing.length === 0 && stage.gate !== "form")
    return leaveToPerson(attempt, schema ? { output: output.values } : {});
  const values = { ...output.values };
  for (const property of missing) {
    const answer = readAnswer(property, calls, (text) => checkAnswer(property.name, text, schema ?? {}));
    if (answer.kind === "stopped") return stop(stage, answer.reason);
    if (answer.kind === "open") return askForValue(attempt, answer.question);
    values[property.name] = answer.value;
  }
  const isLeftToForm = stage.gate === "form" && Object.keys(values).length === 0;
  const whole = isWrapped ? values[WHOLE] : values;
  return complete(
    attempt,
    summarize(attempt, output.summary, missing),
    schema && !isLeftToForm ? { output: whole } : {},
  );
}

/** The answer to a question, which is put once more, with the reason, when the first answer does not fit. */
function readAnswer(
  property: Property,
  calls: PastCall[],
  check: (text: string) => ReturnType<typeof checkAnswer>,
): Answer {
  let question = property.question;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = findAnswer(calls, question);
    if (!outcome) return { kind: "open", question };
    if (outcome.kind === "stopped") return { kind: "stopped", reason: explainNoAnswer(question, outcome) };
    const checked = check(outcome.text.trim());
    if (checked.ok) return { kind: "given", value: checked.value };
    const errors = checked.errors.join("; ");
    if (attempt === ATTEMPTS) return { kind: "stopped", reason: `The answer does not fit: ${errors}` };
    question = `That does not fit: ${errors}. ${property.question}`;
  }
}

function askForValue(attempt: Attempt, question: string): PlannedTurn {
  const { stage, steps, calls, tools } = attempt;
  if (!hasTool(tools, "AskUser")) {
    return stop(stage, `There is no AskUser tool here, and a value is missing. ${question}`);
  }
  const cause = steps.length > 0 ? "its commands did not print" : "only a person can give without a model";
  const why = `${toPlace(stage)} needs a value that ${cause}.`;
  const source = steps.length > 0 ? showLast(steps) : [stage.text.trim()];
  const shown = isFresh(calls) ? source : [];
  return { text: [...shown, why].join("\n\n"), calls: [{ name: "AskUser", input: { question } }] };
}

/** A stage that neither declares commands nor says what it hands over is for a person, or a model. */
function leaveToPerson(attempt: Attempt, output: { output?: unknown }): PlannedTurn {
  const { stage, calls, tools } = attempt;
  const cannot = `${toPlace(stage)}: I cannot do this stage without a model.`;
  const question = `${cannot} When you have done it yourself, answer with a short summary; without an answer it stays open.`;
  const answer = findAnswer(calls, question);
  if (answer?.kind === "stopped") return stop(stage, explainNoAnswer(question, answer));
  if (answer) return complete(attempt, answer.text.trim() || "Done by a person, without a summary.", output);
  const shown = `${cannot} These are its instructions:\n\n${stage.text.trim()}`;
  if (!hasTool(tools, "AskUser")) {
    return fail(
      [shown, "There is no AskUser tool here, so I cannot ask you.", HOW_TO_SET_MODEL].join("\n\n"),
    );
  }
  return { text: shown, calls: [{ name: "AskUser", input: { question } }] };
}

function complete(attempt: Attempt, summary: string, output: { output?: unknown }): PlannedTurn {
  const { stage, steps, calls } = attempt;
  const whole = [summary, ...toAdvice(stage)].join("\n");
  // A person reads it at the gate, as the output that was made of it.
  const isShown = "output" in output && /^\s*\{[\s\S]*\}\s*$/.test(steps.at(-1)?.outcome?.text ?? "");
  const printed = isFresh(calls) && !isShown ? showLast(steps) : [];
  // The gate shows the summary; without one it is shown here alone.
  const said = stage.gate === "none" ? whole : "done.";
  return {
    text: [...printed, `${toPlace(stage)}: ${said}`].join("\n\n"),
    calls: [{ name: COMPLETE_STAGE, input: { summary: whole, ...output } }],
  };
}

/** What a person at the gate reads: the commands' own words, else what ran and who gave what. */
function summarize({ steps }: Attempt, said: string | undefined, missing: Property[]): string {
  const names = joinWords(missing.map(({ name }) => (name === WHOLE ? "the result" : `"${name}"`)));
  const given = missing.length > 0 ? [`A person gave ${names}.`] : [];
  const ran = steps.map((step) => toLine(showCommand(step.command)));
  if (said !== undefined) return [toLines(said, SUMMARY_LINES), ...given].join("\n");
  if (ran.length > 0) return [`Ran ${count(ran.length, "command")}: ${ran.join(", ")}`, ...given].join("\n");
  return given[0] ?? "No command is declared for this stage; its values are yours to fill in.";
}

/** What came last was no answer, so what stands above it has not been shown yet. */
function isFresh(calls: PastCall[]): boolean {
  return calls.at(-1)?.name !== "AskUser";
}

function toAdvice({ feedback }: StageEnvelope): string[] {
  if (feedback === undefined) return [];
  if (feedback === "")
    return ["Without a model I do it again the same way: to change the result, edit the output."];
  const said = toLine(feedback);
  return [`Without a model I cannot act on the feedback "${said}": to change the result, edit the output.`];
}

function stop(stage: StageEnvelope, reason: string): PlannedTurn {
  return fail([`Stopped. ${toPlace(stage)}, is not complete.`, reason, AGAIN, HOW_TO_SET_MODEL].join("\n\n"));
}

function toPlace({ number, total, title }: StageEnvelope): string {
  return `Stage ${number} of ${total}, "${title}"`;
}
