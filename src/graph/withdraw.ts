import { ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { recordWithdrawn } from "./audit/audit.ts";
import { emitEvent } from "./events.ts";
import type { GraphParts } from "./parts.ts";
import { toReviewRequest } from "./review/request.ts";
import type { PendingCall, State, StateUpdate } from "./state.ts";
import { toToolMessage } from "./tool-message.ts";
import { findOpenWizard, moveWizard, openToolbox, readOpenWizard } from "./wizard/wizard.ts";

const CANCELLED = "Cancelled: the person wrote a new message instead of answering.";
const NOT_BEGUN = "Not carried out: the run ended before, and a new message came.";
const MAYBE_BEGUN =
  "It may have happened: the run ended before its end was seen, and a new message came. Look before you do it again.";

/** A new message while a question is open withdraws the question; strict servers want a result for each call. */
export function cancelOpenCalls(state: State, config: LangGraphRunnableConfig): StateUpdate {
  const answered = new Set(
    state.messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  const open = state.calls.filter((call) => !answered.has(call.id));
  const active = closeGates(state);
  // An unchanged channel is not written again.
  const update: StateUpdate = { calls: [], ...(active === state.active ? {} : { active }) };
  if (open.length === 0) return update;
  const cancelled = open.filter((call) => !isDecided(call));
  if (cancelled.length > 0) emitEvent(config, { type: "notice", text: explainCancelled(cancelled, state) });
  return {
    ...update,
    messages: open.map((call) => toToolMessage({ ...call, ...toLastWord(call) })),
  };
}

/** The questions that are withdrawn, as records of what became of them. A drift stays open, and so may a consent. */
export function recordOpenQuestions(
  state: State,
  isNewMessage: boolean,
  { toolbox, policy }: Pick<GraphParts, "toolbox" | "policy">,
  config: LangGraphRunnableConfig,
): Pick<StateUpdate, "audit"> {
  const opened = openToolbox(toolbox, state);
  const { id: request, items } = toReviewRequest(state, opened);
  const withdrawn = items.filter(
    ({ kind }) => kind !== "drift" && kind !== "upgrade" && (kind !== "skill" || isNewMessage),
  );
  return recordWithdrawn(withdrawn, { toolbox: opened, policy, active: state.active, config, request });
}

/** A gate whose question is withdrawn stays shut, and its stage is to be completed again. */
function closeGates(state: State): State["active"] {
  if (!state.active.some(({ wizard }) => wizard?.status === "gate")) return state.active;
  return state.active.map((skill) => {
    const open = readOpenWizard(skill, state.texts);
    if (open?.progress.status !== "gate") return skill;
    const moved = moveWizard(state, open, { type: "withdraw" });
    return ("error" in moved ? undefined : moved.active.find(({ name }) => name === skill.name)) ?? skill;
  });
}

function explainCancelled(open: PendingCall[], { active, texts }: State): string {
  if (open.length === 1 && open[0]?.status === "gate") {
    const stage = findOpenWizard({ active, texts })?.stage.id;
    return `The question at ${stage === undefined ? "the stage" : `stage "${stage}"`} was withdrawn by the new message.`;
  }
  const calls = open.length === 1 ? "1 open call was" : `${open.length} open calls were`;
  return `${calls} cancelled by the new message.`;
}

/** By a person's answer or the rules: what they said is its result. */
function isDecided({ status, result }: PendingCall): boolean {
  return status === "settled" && result !== undefined;
}

function toLastWord(call: PendingCall): Pick<PendingCall, "result" | "failed"> {
  const { status, result, failed } = call;
  if (isDecided(call)) return { result, failed };
  if (status === "ask" || status === "question" || status === "gate")
    return { result: CANCELLED, failed: true };
  return { result: status === "ready" || status === "unknown" ? MAYBE_BEGUN : NOT_BEGUN, failed: true };
}
