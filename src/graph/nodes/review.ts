import { AIMessage, type ToolMessage } from "@langchain/core/messages";
import { interrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { isStorable } from "../../model/storable.ts";
import { checkValue, findSchemaFault } from "../../skills/json-schema/json-schema.ts";
import { isRecord } from "../../skills/record.ts";
import { recordAnswers } from "../audit/audit.ts";
import { settleDrift } from "../drift/drift.ts";
import { findOpenDrift, waitingCalls } from "../edges.ts";
import { emitEvent } from "../events.ts";
import { type Bench, listLoading } from "../judge.ts";
import { renewConsent } from "../loading/consent.ts";
import { holdTrust } from "../loading/trust.ts";
import type { GraphParts } from "../parts.ts";
import { fillDraft, toDraft } from "../review/draft.ts";
import { judgeEdit } from "../review/judge-edit.ts";
import { shortenReasons, shortenWords } from "../review/long-words.ts";
import { type ReadReply, readReply } from "../review/reply.ts";
import { toReviewRequest } from "../review/request.ts";
import type { ItemDecision } from "../review/review-item.ts";
import type { FormDraft, PendingCall, State, StateUpdate } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { findDisplaced, mustBePlaced } from "../upgrade/displaced.ts";
import { settleUpgrade } from "../upgrade/upgrade.ts";
import { settleGate, settleGoto } from "../wizard/gate.ts";
import { openToolbox } from "../wizard/wizard.ts";

type ReviewParts = Bench["parts"] & Pick<GraphParts, "catalog">;

/**
 * The only place that waits for a person. The node starts again from its first line when the answer comes, so
 * nothing has an effect before the question.
 */
export function createReviewNode(parts: ReviewParts) {
  return (state: State, config: LangGraphRunnableConfig): StateUpdate => {
    // Whatever is open belongs to another place: `route` withdraws it and sees to that first.
    if (mustBePlaced(state)) return {};
    const toolbox = openToolbox(parts.toolbox, state);
    const request = toReviewRequest(state, toolbox);
    // Calls that would ask are refused before they come here; what still waits in this mode keeps waiting.
    const isRefused = request.items[0]?.kind === "skill" && parts.policy.mode === "deny";
    const reply: unknown = isRefused ? false : interrupt(request);
    const read = readReply(reply, request.items, request.id);
    if ("errors" in read) return { reviewErrors: read.errors };
    const update = settle(state, read, parts, config);
    if (update.reviewErrors?.length) return update;
    const done = state.draft ? { ...update, draft: null } : update;
    emitEvent(config, { type: "review-closed", request: request.id });
    const place = { toolbox, policy: parts.policy, active: state.active, config, request: request.id };
    const by = isRefused ? "mode" : "person";
    return { ...done, ...recordAnswers(request.items, read, { ...place, after: update.calls ?? [], by }) };
  };
}

function settle(
  state: State,
  reply: Exclude<ReadReply, { errors: string[] }>,
  parts: ReviewParts,
  config: LangGraphRunnableConfig,
): StateUpdate {
  if ("goto" in reply) return withLastWord(settleGoto(state, reply.goto, config));
  const decisions = shortenReasons(reply.decisions, parts.outputFolder);
  const [first] = decisions;
  const [call] = waitingCalls(state);
  if (!call && findOpenDrift(state)) return settleDrift(state, first!);
  if (!call && findDisplaced(state)) return settleUpgrade(state, first!, config);
  if (!call) return settleConsent(state, first!, parts, config);
  if (call.status === "gate") return settleGate(state, call, first!, config);
  const open = () => openBench(state, parts, config);
  return settleCalls(state, decisions, parts.outputFolder, open);
}

/** A run that ends here ends with words, as every turn does. */
function withLastWord(update: StateUpdate): StateUpdate {
  if (!update.stop) return update;
  return { ...update, messages: [...(update.messages ?? []), new AIMessage(update.stop.reason)] };
}

/** What a changed call is decided by: today's rules, files and trust. */
function openBench(state: State, parts: ReviewParts, config: LangGraphRunnableConfig): Bench {
  const catalog = parts.catalog();
  return {
    parts: { ...parts, toolbox: openToolbox(parts.toolbox, state) },
    catalog,
    state,
    mayGrant: holdTrust(parts, catalog, state.active, config),
    loading: listLoading(state.calls, state.wanted, catalog),
  };
}

function settleCalls(
  state: State,
  decisions: ItemDecision[],
  folder: string,
  open: () => Bench,
): StateUpdate {
  const waiting = waitingCalls(state).slice(0, decisions.length);
  const errors: string[] = [];
  let draft: State["draft"] = null;
  const settled = new Map<string, PendingCall>();
  for (const [index, call] of waiting.entries()) {
    const result = settleCall(call, fillIn(decisions[index]!, call, state), folder, open);
    if ("error" in result) {
      errors.push(result.error);
      draft ??= result.draft ?? null;
    } else settled.set(call.id, result);
  }
  // A reply is taken whole or not at all: half of it would leave the person guessing which half.
  if (errors.length > 0) return { reviewErrors: errors, ...(draft ? { draft } : {}) };
  return { calls: state.calls.map((call) => settled.get(call.id) ?? call), reviewErrors: [] };
}

function settleCall(
  call: PendingCall,
  decision: ItemDecision,
  folder: string,
  open: () => Bench,
): PendingCall | { error: string; draft?: FormDraft } {
  const settle = (result: string, failed: boolean): PendingCall => ({
    ...call,
    status: "settled",
    reason: failed ? toNo(decision) : "the person answered",
    result: shortenWords(result, folder),
    failed,
  });
  const { life: _life, approvedFor, writes: _writes, difference: _difference, ...fresh } = call;
  switch (decision.type) {
    case "approve": {
      // Asked again, the question says more than the rules do.
      const reason = approvedFor ?? (call.status === "ask" ? call.reason : undefined);
      return {
        ...fresh,
        ...(reason === undefined ? {} : { approvedFor: reason }),
        ...(decision.always && call.offered ? { always: call.offered } : {}),
        status: "ready",
        approved: true,
        reason: "approved by the person",
      };
    }
    case "edit":
      return judgeEdit(call, decision.args, open());
    case "reject":
      return settle(toRefusal(call, decision.message), true);
    case "respond": {
      const answer = readFormAnswer(call, decision.value);
      return "error" in answer ? answer : settle(toAnswer(call, answer.value), false);
    }
  }
}

/** The answer as the question's form reads it. A form that is no schema, which a model wrote, asks for anything. */
function readFormAnswer(
  { id, status, input }: PendingCall,
  value: unknown,
): { value: unknown } | { error: string; draft?: FormDraft } {
  const form = input.form;
  if (status !== "question" || !isRecord(form) || findSchemaFault(form) !== undefined) return { value };
  const read = checkValue(form, value, { coerce: true });
  if (read.ok && isStorable(read.value)) return { value: read.value };
  const errors = read.ok ? ["it is nested too deeply"] : read.errors;
  const draft = toDraft(id, form, value);
  return { error: `The answer does not fit the form: ${errors.join("; ")}.`, ...(draft ? { draft } : {}) };
}

/** The values of a question's form over those that fitted last time. */
function fillIn(decision: ItemDecision, call: PendingCall, { draft }: Pick<State, "draft">): ItemDecision {
  if (decision.type !== "respond" || call.input.form === undefined) return decision;
  return { ...decision, value: fillDraft(call.id, draft, decision.value) };
}

function toNo(decision: ItemDecision): string {
  const said = decision.type === "reject" && decision.message ? `: ${decision.message}` : "";
  return `the person said no${said}`;
}

function toRefusal(call: PendingCall, message: string | undefined): string {
  const said = message === undefined ? "" : ` They said: ${message}`;
  if (call.status === "unknown") return `Begun, end unknown. The person chose to skip it.${said}`;
  if (call.status === "question") return `The person did not answer.${said}`;
  return `The person refused this call. Do not try it another way.${said}`;
}

function toAnswer(call: PendingCall, value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return call.status === "unknown" ? `The person reports that it happened, with this result: ${text}` : text;
}

function settleConsent(
  state: State,
  decision: ItemDecision,
  parts: Pick<GraphParts, "catalog" | "trust">,
  config: LangGraphRunnableConfig,
): StateUpdate {
  const index = state.wanted.findIndex((wanted) => wanted.consent !== undefined);
  const asked = state.wanted[index]!;
  const others = state.wanted.filter((wanted) => wanted !== asked);
  if (decision.type === "approve") {
    const renewed = renewConsent(asked, parts);
    if (renewed) {
      const error = `The files of "${asked.name}" changed after they were shown; this is what is there now.`;
      return { wanted: state.wanted.with(index, renewed), reviewErrors: [error] };
    }
    const { consent: _consent, ...agreed } = asked;
    return { wanted: state.wanted.with(index, { ...agreed, agreed: true }), reviewErrors: [] };
  }
  const said =
    decision.type === "reject" && decision.message !== undefined ? ` They said: ${decision.message}` : "";
  const result = `The person does not want the skill "${asked.name}" loaded.${said}`;
  if (asked.callId !== undefined) {
    const message: ToolMessage = toToolMessage({ id: asked.callId, tool: "Skill", result, failed: true });
    return { wanted: others, messages: [message], reviewErrors: [] };
  }
  // A wizard that was pinned is what the run is for; else a no is to this skill alone.
  const goesOn = others.length > 0 && !asked.asWizard;
  const left = goesOn ? [] : others.map(({ name }) => `"${name}"`);
  const rest = left.length === 0 ? "" : ` Not loaded either: ${left.join(", ")}.`;
  const text = `The skill "${asked.name}" was not loaded: ${asked.consent}, and the answer was no.${rest}`;
  if (goesOn) {
    emitEvent(config, { type: "notice", text });
    return { wanted: others, messages: [new AIMessage(text)], reviewErrors: [] };
  }
  // What the run was for was refused, which its end must say.
  const messages = [new AIMessage({ content: text, additional_kwargs: { outcome: "failed" } })];
  return { wanted: [], messages, stop: { code: "declined", reason: result }, reviewErrors: [] };
}
