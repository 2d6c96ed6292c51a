import type { Stage, Wizard } from "./stage.ts";
import { END_STAGE } from "./stage-names.ts";
import { addResult, findUndone, reopenResults, type StageResult } from "./stage-results.ts";
import { fillsOutput, findMisfit, type HandedOver, readAnswer, readEdit } from "./stage-values.ts";

export type { StageResult } from "./stage-results.ts";

/** How far a wizard has come. */
export interface WizardState {
  /** The stage that is worked on, waits at its gate, or was the last. */
  stage: string;
  status: "working" | "gate" | "finished" | "stopped";
  /** In the order of the stages, at most one for each. */
  results: StageResult[];
  /** Completions of this stage in a row that failed. */
  attempts: number;
  /** Why the latest of them failed; at most three. */
  failures: string[];
  /** What the person said when they sent the stage back; empty when they said nothing. */
  feedback?: string;
  /** What waits at the gate; absent there when the attempts are used up. */
  handed?: HandedOver;
}

export type StageEvent =
  /** A completion that fits the stage's schema and passed its check. */
  | { type: "hand-over"; summary: string; output?: unknown }
  /** A completion that did not. */
  | { type: "fail"; reason: string }
  | { type: "approve" }
  | { type: "edit"; output: unknown }
  | { type: "answer"; values: unknown }
  | { type: "reject"; message?: string }
  /** The question at the gate is withdrawn: nobody answered it, and the stage is to be completed again. */
  | { type: "withdraw" }
  /** Back to a stage that was reached, or, with `__end__`, out of the wizard. */
  | { type: "goto"; stage: string };

type Outcome = { state: WizardState } | { error: string };

const FAILURE_LIMIT = 3;

/** A wizard at the beginning of its first stage. */
export function startWizard(wizard: Wizard): WizardState {
  const [first] = wizard.stages;
  return { stage: first?.id ?? "", status: "working", results: [], attempts: 0, failures: [] };
}

/**
 * What an event makes of a wizard. The one way past a gate is a person's word; going back closes the gate of that
 * stage and of all that depend on it again. The wizard goes on at the first stage without a result that counts, so
 * that nothing is done twice that did not depend on it.
 *
 * @returns The new state, or one sentence on why the event is not possible now. The given state is not changed.
 */
export function advance(wizard: Wizard, state: WizardState, event: StageEvent): Outcome {
  const stage = findStage(wizard, state.stage);
  if (stage === undefined) return { error: `The wizard has no stage "${state.stage}".${listStages(wizard)}` };
  const fault = findUntimely(state, stage, event);
  if (fault !== undefined) return { error: fault };
  switch (event.type) {
    case "hand-over":
      return handOver(wizard, state, stage, event);
    case "fail":
      return { state: fail(state, stage, event.reason) };
    case "approve":
      return approve(wizard, state, stage);
    case "edit":
      return edit(wizard, state, stage, event.output);
    case "answer":
      return answer(wizard, state, stage, event.values);
    case "reject":
      return { state: reject(state, event.message) };
    case "withdraw":
      return { state: reopen(state) };
    case "goto":
      return goTo(wizard, state, event.stage);
  }
}

/** True while a wizard has a stage to be done. */
export function isUnderWay(state: Pick<WizardState, "status"> | undefined): boolean {
  return state?.status === "working" || state?.status === "gate";
}

/** The stage of this id, in any Unicode form. */
export function findStage(wizard: Wizard, id: string): Stage | undefined {
  const wanted = id.normalize("NFC");
  return wizard.stages.find((stage) => stage.id === wanted);
}

function findUntimely(state: WizardState, stage: Stage, { type }: StageEvent): string | undefined {
  const { status } = state;
  const name = `The stage "${stage.id}"`;
  if (status === "stopped") return "The wizard was stopped; nothing can follow.";
  if (status === "finished") {
    return type === "goto" ? undefined : "All stages are complete; only goto to a stage is possible.";
  }
  const isOfWork = type === "hand-over" || type === "fail";
  if (status === "working") {
    if (isOfWork || type === "goto") return undefined;
    return `${name} is still being worked on; ${type} is possible at its gate. Possible now: goto.`;
  }
  const choices = listChoices(state, stage);
  const isLeaving = type === "goto" || type === "withdraw";
  if (isOfWork || (!isLeaving && !choices.includes(type))) {
    return `${name} waits at its gate, where ${type} is not possible. Possible now: ${choices.join(", ")}, goto.`;
  }
  return undefined;
}

/** What a person can do at a gate, beside going back. */
export type GateChoice = "approve" | "edit" | "answer" | "reject";

/** What a person can do at the gate of a stage, beside going back. */
export function listChoices({ handed }: Pick<WizardState, "handed">, stage: Stage): GateChoice[] {
  if (stage.gate === "form") {
    // A form of its own asks beside the output, so the output comes first.
    if (stage.form !== undefined) return handed === undefined ? ["edit", "reject"] : ["answer", "reject"];
    const fits = handed !== undefined && !("error" in readAnswer(stage, handed, handed.output ?? {}));
    return [...(fits ? ["approve" as const] : []), "answer", "reject"];
  }
  return [...(handed === undefined ? [] : ["approve" as const]), "edit", "reject"];
}

function handOver(
  wizard: Wizard,
  state: WizardState,
  stage: Stage,
  { summary, output }: HandedOver,
): Outcome {
  // The form of a gate is there to complete the output.
  const misfit = fillsOutput(stage) ? undefined : findMisfit(stage, output);
  if (misfit !== undefined) return { error: misfit };
  const handed: HandedOver = { summary, ...(output === undefined ? {} : { output }) };
  if (stage.gate === "none") return { state: pass(wizard, state, { id: stage.id, ...handed }) };
  return { state: { ...state, status: "gate", attempts: 0, failures: [], handed } };
}

function fail(state: WizardState, stage: Stage, reason: string): WizardState {
  const attempts = state.attempts + 1;
  const failures = [...state.failures, reason].slice(-FAILURE_LIMIT);
  return { ...state, status: attempts >= stage.maxAttempts ? "gate" : "working", attempts, failures };
}

function approve(wizard: Wizard, state: WizardState, stage: Stage): Outcome {
  const { handed } = state;
  if (handed === undefined) return { error: `The stage "${stage.id}" handed nothing over to approve.` };
  // A form that is complete as it is shown, with its defaults.
  if (fillsOutput(stage)) return answer(wizard, state, stage, handed.output ?? {});
  const misfit = findMisfit(stage, handed.output);
  return misfit === undefined
    ? { state: pass(wizard, state, { id: stage.id, ...handed }) }
    : { error: misfit };
}

function edit(wizard: Wizard, state: WizardState, stage: Stage, written: unknown): Outcome {
  const changed = readEdit(stage, state.handed, written);
  if ("error" in changed) return changed;
  // A form of its own is still to be filled in, so the gate stays closed.
  if (stage.gate === "form" && stage.form !== undefined) {
    return { state: { ...state, attempts: 0, failures: [], handed: changed } };
  }
  return { state: pass(wizard, state, { id: stage.id, ...changed }) };
}

function answer(wizard: Wizard, state: WizardState, stage: Stage, values: unknown): Outcome {
  const given = readAnswer(stage, state.handed, values);
  return "error" in given ? given : { state: pass(wizard, state, { id: stage.id, ...given }) };
}

function reject(state: WizardState, message: string | undefined): WizardState {
  return { ...reopen(state), feedback: message?.trim() ? message : "" };
}

function reopen({ handed: _handed, ...rest }: WizardState): WizardState {
  return { ...rest, status: "working", attempts: 0, failures: [] };
}

function stop({ handed: _handed, ...state }: WizardState): WizardState {
  return { ...state, status: "stopped" };
}

function goTo(wizard: Wizard, state: WizardState, id: string): Outcome {
  const ids = wizard.stages.map((stage) => stage.id);
  const current = ids.indexOf(state.stage);
  const target = ids.indexOf(id.normalize("NFC"));
  if (id === END_STAGE && state.status !== "finished") return { state: stop(state) };
  if (target === -1 || target > current) {
    const isDone = state.results.some((result) => result.id === ids[target] && !result.stale);
    const reached = isDone ? `done, and comes after "${state.stage}"` : "not reached yet";
    const choices = [...ids.slice(0, current + 1), ...(state.status === "finished" ? [] : [END_STAGE])];
    const reason = target === -1 ? "no stage of the wizard" : reached;
    return { error: `"${id}" is ${reason}. goto can name: ${choices.join(", ")}.` };
  }
  const stage = wizard.stages[target];
  return { state: { ...startAt(stage), results: reopenResults(wizard, state.results, stage?.id ?? "") } };
}

function pass(wizard: Wizard, state: WizardState, result: StageResult): WizardState {
  const results = addResult(wizard, state.results, result);
  const next = findUndone(wizard, results);
  if (next !== undefined) return { ...startAt(next), results };
  return { ...startAt(wizard.stages.at(-1)), status: "finished", results };
}

function startAt(stage: Stage | undefined): Omit<WizardState, "results"> {
  return { stage: stage?.id ?? "", status: "working", attempts: 0, failures: [] };
}

function listStages(wizard: Wizard): string {
  return ` Stages: ${wizard.stages.map(({ id }) => id).join(", ")}.`;
}
