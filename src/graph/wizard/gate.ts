import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { isStorable } from "../../model/storable.ts";
import type { StageEvent } from "../../skills/stages/stage-machine.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { emitEvent, type StageEnd } from "../events.ts";
import type { GraphParts } from "../parts.ts";
import { fillDraft } from "../review/draft.ts";
import type { ItemDecision, ReviewItem } from "../review/review-item.ts";
import type { PendingCall, State, StateUpdate } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { openAutoGate } from "./auto-gate.ts";
import { keepDraft, toHandedOver, toOutput } from "./gate-output.ts";
import { toStageItem } from "./stage-item.ts";
import { announceStage, findOpenWizard, listGateChoices, moveWizard, type OpenWizard } from "./wizard.ts";

/** What a person's word on a gate is to the wizard. */
type Answer = Extract<StageEvent, { type: "approve" | "edit" | "answer" | "reject" }>;
type GateState = Pick<State, "active" | "texts">;

/** What a completion leads to: the call as it is then, and the skills as they are then. */
export interface Completion {
  call: PendingCall;
  active: State["active"];
  /** The gate that was opened without a person. */
  opened?: ReviewItem;
}

const NOT_RUN = "Not carried out: the person went elsewhere.";
const MAYBE_RUN = "It may have happened: its end was not seen, and the person went elsewhere.";

/** What becomes of a `CompleteStage` call that was checked: its gate opens, nobody needs to be asked, or it failed. */
export function completeStage(
  state: GateState,
  call: PendingCall,
  outcome: { text: string; failed: boolean },
  config: LangGraphRunnableConfig,
  options: Pick<GraphParts, "autoGates">,
): Completion {
  const open = findOpenWizard(state);
  const settle = (result: string, failed: boolean): PendingCall => ({
    ...call,
    status: "done",
    result,
    failed,
  });
  if (!open) return { call: settle("No wizard is under way.", true), active: state.active };
  const event: StageEvent = outcome.failed
    ? { type: "fail", reason: outcome.text }
    : { type: "hand-over", ...toHandedOver(call, open) };
  const moved = moveWizard(state, open, event, toAnchor(call));
  if ("error" in moved) return { call: settle(moved.error, true), active: state.active };
  const { active, next, progress } = moved;
  if (progress.status === "gate") {
    const gate: PendingCall = { ...call, status: "gate", reason: outcome.text };
    const passed = options.autoGates ? openAutoGate({ ...state, active }, toAnchor(call)) : undefined;
    if (!passed) return { call: gate, active };
    tellEnd(open, "approved", config);
    announceStage(passed.next, config);
    const result = toResult(open, passed.next, "is complete, and its gate was opened without a person");
    return {
      call: settle(result, false),
      active: passed.active,
      opened: toStageItem(gate, { ...state, active }),
    };
  }
  if (outcome.failed) return { call: settle(outcome.text, true), active };
  tellEnd(open, "passed", config);
  announceStage(next, config);
  return { call: settle(toResult(open, next, "is complete"), false), active };
}

/** What a person's word on a gate leads to, or why it cannot be taken. */
export function settleGate(
  state: State,
  call: PendingCall,
  decision: ItemDecision,
  config: LangGraphRunnableConfig,
): StateUpdate {
  const open = findOpenWizard(state);
  if (!open) return settleCall(state, call, "The wizard is not under way any more.", true);
  const event = toEvent(decision, call, open, state.draft);
  if ("error" in event) return { reviewErrors: [event.error] };
  const moved = moveWizard(state, open, event, toAnchor(call));
  if ("error" in moved) return { reviewErrors: [moved.error], ...keepDraft(event, call, open) };
  const { active, next, progress } = moved;
  // The output came late, and the form beside it is still to be filled in.
  if (progress.status === "gate") return { active, reviewErrors: [] };
  const end = ENDS[event.type];
  tellEnd(open, end, config);
  announceStage(next, config);
  const result = end === "rejected" ? toRejection(open, decision) : toResult(open, next, WORDS[end]);
  return { ...settleCall(state, call, result, false), active };
}

/** Goes back to a stage, or stops: whatever is open in this turn is not carried out. */
export function settleGoto(state: State, stage: string, config: LangGraphRunnableConfig): StateUpdate {
  const open = findOpenWizard(state);
  if (!open && stage === END_STAGE) return endRun(state, "The person ended this here.");
  if (!open) return { reviewErrors: [`No wizard is under way, so there is no stage "${stage}" to go to.`] };
  const last = state.calls.at(-1);
  const moved = moveWizard(state, open, { type: "goto", stage }, last && toAnchor(last));
  if ("error" in moved) return { reviewErrors: [moved.error] };
  if (moved.progress.status === "stopped") return stopWizard(state, open, config);
  const unloaded = refuseWanted(state, "The person went elsewhere.");
  tellEnd(open, "reopened", config);
  announceStage(moved.next, config);
  const calls = state.calls.map((call): PendingCall => {
    if (call.status === "done") return call;
    const result =
      call.status === "gate"
        ? toResult(open, moved.next, "is not taken: the person went back")
        : toUndone(call);
    return {
      ...call,
      status: "settled",
      reason: "the person went back",
      result,
      failed: call.status !== "gate",
    };
  });
  return { calls, active: moved.active, ...unloaded, reviewErrors: [] };
}

function stopWizard(
  state: State,
  { skill, stage }: OpenWizard,
  config: LangGraphRunnableConfig,
): StateUpdate {
  emitEvent(config, { type: "stage-end", skill: skill.name, stage: stage.id, result: "stopped" });
  const reason = `The wizard "${skill.name}" was stopped by the person at the stage "${stage.id}".`;
  return { ...endRun(state, reason), active: state.active.filter((each) => each !== skill) };
}

/** Ends with every call answered: what was not carried out says so. */
function endRun(state: State, reason: string): StateUpdate {
  const calls = state.calls.filter(({ status }) => status !== "done");
  const undone = calls.map((call) =>
    toToolMessage({ ...call, result: `${toUndone(call)} ${reason}`, failed: true }),
  );
  const { wanted, messages } = refuseWanted(state, reason);
  return {
    calls: [],
    wanted,
    messages: [...undone, ...messages],
    stop: { code: "declined", reason },
    reviewErrors: [],
  };
}

/** Skills that wait for a person's word, or to be loaded, are not loaded; the model's calls for them say so. */
function refuseWanted({ wanted }: State, reason: string) {
  const messages = wanted.flatMap(({ callId }) => {
    if (callId === undefined) return [];
    return [toToolMessage({ id: callId, tool: "Skill", result: `Not loaded. ${reason}`, failed: true })];
  });
  return { wanted: [], messages };
}

function toUndone({ status, life }: PendingCall): string {
  return status === "unknown" || (status === "ready" && life !== undefined) ? MAYBE_RUN : NOT_RUN;
}

const ENDS: Record<Answer["type"], StageEnd> = {
  approve: "approved",
  edit: "edited",
  answer: "answered",
  reject: "rejected",
};

const WORDS: Partial<Record<StageEnd, string>> = {
  approved: "is complete, and the person approved it",
  edited: "is complete, and the person changed its output",
  answered: "is complete, and the person filled in its form",
};

function toEvent(
  decision: ItemDecision,
  call: PendingCall,
  open: OpenWizard,
  draft: State["draft"],
): Answer | { error: string } {
  const isForm = listGateChoices(open).includes("answer");
  switch (decision.type) {
    case "approve":
      // What is approved is what is shown: the values that fitted last time among it.
      return isForm && draft?.item === call.id
        ? { type: "answer", values: draft.values }
        : { type: "approve" };
    case "reject":
      return { type: "reject", ...(decision.message === undefined ? {} : { message: decision.message }) };
    case "respond":
    case "edit": {
      const value = decision.type === "edit" ? decision.args : decision.value;
      if (!isStorable(value)) return { error: 'The value is nested too deeply, or holds the key "lc".' };
      if (isForm) return { type: "answer", values: fillDraft(call.id, draft, value) };
      return { type: "edit", output: decision.type === "edit" ? toOutput(decision.args, call, open) : value };
    }
  }
}

function toAnchor(call: PendingCall): string {
  return toToolMessage(call).id ?? "";
}

function settleCall(state: State, call: PendingCall, result: string, failed: boolean): StateUpdate {
  const settled: PendingCall = { ...call, status: "settled", reason: "the person decided", result, failed };
  return { calls: state.calls.map((each) => (each.id === call.id ? settled : each)), reviewErrors: [] };
}

function toResult({ stage }: OpenWizard, next: OpenWizard | undefined, words = "is complete"): string {
  const done = `The stage "${stage.title}" ${words}.`;
  if (!next) return `${done} All stages are complete. Tell the person in a few words what was done.`;
  return `${done} Go on with the stage "${next.stage.title}", as it stands below.`;
}

function toRejection({ stage }: OpenWizard, decision: ItemDecision): string {
  const said = decision.type === "reject" && decision.message ? ` They said: ${decision.message}` : "";
  return `The person sent the stage "${stage.title}" back.${said} Do it again with that in mind.`;
}

function tellEnd({ skill, stage }: OpenWizard, result: StageEnd, config: LangGraphRunnableConfig): void {
  emitEvent(config, { type: "stage-end", skill: skill.name, stage: stage.id, result });
}
