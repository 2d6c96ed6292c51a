import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { recordAutoGates, recordChanges, recordToolAnswers } from "../audit/audit.ts";
import { needsMark, nextBatch } from "../batch.ts";
import { listUntold, tellUntold } from "../drift/untold.ts";
import { waitingCalls } from "../edges.ts";
import { emitEvent } from "../events.ts";
import { listLoading } from "../judge.ts";
import { doubtTrust, holdTrust } from "../loading/trust.ts";
import { announceUnload, withoutSkill } from "../loading/unload.ts";
import { listNamedFiles, unlock } from "../loading/unlock.ts";
import type { GraphParts } from "../parts.ts";
import { judgeAgain } from "../review/judge-again.ts";
import { keepRules } from "../review/keep-rules.ts";
import { shortenWords } from "../review/long-words.ts";
import type { ReviewItem } from "../review/review-item.ts";
import { readRun } from "../run.ts";
import { type CallOutcome, createCallRunner } from "../run-call.ts";
import type { WantedSkill } from "../skill-state.ts";
import type { PendingCall, State, StateUpdate, Stop } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { mustBePlaced } from "../upgrade/displaced.ts";
import { completeStage } from "../wizard/gate.ts";
import { addChanges } from "../wizard/stage-changes.ts";
import { openToolbox } from "../wizard/wizard.ts";
import { noteWrittenFiles } from "../wizard/written-files.ts";

/** Turns without one usable call after which a run stops: more of the same has not helped before. */
const MAX_FAULTY_TURNS = 5;

/**
 * Writes the results of calls that need no running, then runs the next batch. A call that must not run twice is
 * first marked as begun: the node returns, the mark is checkpointed, and the next pass runs the call. So is what a
 * file held before a stage of a wizard writes it.
 */
export function createObserveNode(parts: GraphParts) {
  const runCall = createCallRunner(parts);
  return async (state: State, config: LangGraphRunnableConfig): Promise<StateUpdate> => {
    if (mustBePlaced(state)) return {};
    const { life } = readRun(config);
    const catalog = parts.catalog();
    const toolbox = openToolbox(parts.toolbox, state);
    const loading = listLoading(state.calls, state.wanted, catalog);
    const bench = {
      parts: { ...parts, toolbox },
      catalog,
      state,
      mayGrant: holdTrust(parts, catalog, state.active, config),
      ...(loading.length > 0 ? { loading } : {}),
    };
    const { calls: decided, errors, ...judged } = judgeAgain(state, bench, config);
    const calls = keepRules(decided, bench, parts, config);
    const settled = calls.filter((call) => call.status === "settled");
    const place = { toolbox, policy: parts.policy, active: state.active, config };
    const { audit = [] } = recordChanges(state.calls, calls, place);
    reportDenied(settled, state, config);
    // What a person must decide first comes first, so that effects keep the order of the calls.
    const isAsked = waitingCalls({ calls }).length > 0;
    const batch = nextBatch(calls, toolbox).filter(({ life: begun }) => !isAsked || begun !== undefined);
    const marked = batch.filter((call) => needsMark(call, toolbox)).map((call) => call.id);
    const noted = noteWrittenFiles({ active: judged.active, texts: state.texts }, batch, bench);
    const isHeld = marked.length > 0 || noted !== undefined;
    const outcomes = isHeld ? [] : await Promise.all(batch.map((call) => runCall(call, state, config)));
    const isAnswered = ({ id }: PendingCall) =>
      outcomes.some((outcome) => outcome.id === id && outcome.status === "answered");
    const answers = recordToolAnswers(batch.filter(isAnswered), place);
    // A write into a skill's folder always asks, so only what was approved can have changed one here.
    if (outcomes.length > 0 && batch.some(({ approved }) => approved)) doubtTrust(config);
    let { active, loads } = { ...judged, ...noted };
    const opened: ReviewItem[] = [];
    const after = calls.map((call) => {
      const next = toNext(call, { marked, life, outcomes, folder: parts.outputFolder });
      if (next.status !== "done" || call.status !== "ready") return next;
      if (next.tool === "UnloadSkill") {
        const unloaded = withoutSkill({ active, loads }, String(call.input.name ?? ""), "model");
        if (!unloaded) return next;
        ({ active, loads } = unloaded);
        announceUnload(unloaded.skill, "model", config);
        return next;
      }
      if (next.tool !== "CompleteStage") return next;
      const outcome = { text: next.result ?? "", failed: next.failed === true };
      const completion = completeStage({ ...state, active }, next, outcome, config, parts);
      if (completion.opened) opened.push(completion.opened);
      active = addChanges(completion.active, state.texts, parts.policy.workspace);
      return completion.call;
    });
    const records = [...audit, ...answers, ...recordAutoGates(opened, place)];
    const results = after.filter((call, index) => call.status === "done" && calls[index]?.status !== "done");
    const wanted = calls.filter((call) => call.status === "load").map(toWanted);
    const isComplete = after.every((call) => call.status === "done");
    const mayHaveWritten = after.some(({ tool }) => toolbox.get(tool)?.readOnly !== true);
    // A new run looks at the files by itself. What the calls of this one wrote is no news to whoever is asked next.
    if (isComplete && mayHaveWritten && state.run.life === life) {
      ({ active, loads } = tellUntold({ active, loads }, listUntold({ active, texts: state.texts }), config));
    }
    return {
      calls: after.map(toKept),
      ...(records.length > 0 ? { audit: records } : {}),
      ...(active === state.active ? {} : { active }),
      ...(loads === state.loads ? {} : { loads }),
      ...(noted ? { texts: noted.texts } : {}),
      ...(errors.length > 0 ? { reviewErrors: errors } : {}),
      ...unlock(state, catalog, listNamedFiles(batch), parts.policy.workspace),
      messages: results.filter((call) => call.result !== undefined).map(toToolMessage),
      ...(wanted.length > 0 ? { wanted: [...state.wanted, ...wanted] } : {}),
      ...(isComplete ? { stop: findStop(state, parts, life) } : {}),
    };
  };
}

function toNext(
  call: PendingCall,
  step: { marked: string[]; life: string; outcomes: CallOutcome[]; folder: string },
): PendingCall {
  const { marked, life, outcomes, folder } = step;
  if (call.status === "settled" || call.status === "load") return { ...call, status: "done" };
  if (marked.includes(call.id)) return { ...call, life };
  const outcome = outcomes.find(({ id }) => id === call.id);
  if (!outcome) return call;
  // Kept before the call is entered again, so that an answer counts once.
  if (outcome.status === "answered") return { ...call, life, answers: outcome.answers };
  if (outcome.status === "unknown") {
    return { ...call, status: "unknown", reason: "it was begun, and the run ended before its end was seen" };
  }
  return {
    ...call,
    status: "done",
    result: call.edited ? `${toNote(call, folder)}\n${outcome.text}` : outcome.text,
    failed: outcome.status === "error",
  };
}

/** What is done stands in the messages: its input and result are not written again with every step. */
function toKept(call: PendingCall): PendingCall {
  if (call.status !== "done") return call;
  const { id, tool, status } = call;
  return { id, tool, input: {}, status, reason: "" };
}

/** The history keeps the call as the model wrote it, so the result says what really ran. */
function toNote({ input }: PendingCall, folder: string): string {
  return `The person changed the call to ${shortenWords(JSON.stringify(input), folder)}.`;
}

function toWanted(call: PendingCall): WantedSkill {
  return {
    name: String(call.input.name ?? "").normalize("NFC"),
    arguments: String(call.input.arguments ?? ""),
    chosenBy: "model",
    way: call.input.way as NonNullable<WantedSkill["way"]>,
    callId: call.id,
  };
}

function reportDenied(settled: PendingCall[], state: State, config: LangGraphRunnableConfig): void {
  for (const { id, tool, reason, failed } of settled) {
    const isNew = !state.messages.some((message) => message.id === `result-${id}`);
    if (failed && isNew) emitEvent(config, { type: "tool-denied", id, tool, reason });
  }
}

function findStop(state: State, parts: GraphParts, life: string): Stop | null {
  // Counted in another run: this one has made no model call yet.
  if (state.run.life !== life) return null;
  if (state.run.faultyTurns >= MAX_FAULTY_TURNS) {
    return { code: "faulty-calls", reason: `${MAX_FAULTY_TURNS} turns in a row held no call that could run` };
  }
  if (state.run.modelCalls < parts.maxSteps) return null;
  return { code: "step-limit", reason: `the limit of ${parts.maxSteps} model calls is reached` };
}
