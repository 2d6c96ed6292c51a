import { AIMessage } from "@langchain/core/messages";
import { END } from "@langchain/langgraph";
import type { PendingDrift } from "./skill-state.ts";
import type { PendingCall, State } from "./state.ts";
import { findDisplaced, mustBePlaced } from "./upgrade/displaced.ts";

/** Labels and targets: LangGraph Studio and `skillgraph graph` draw them. */
export const routePaths = {
  "a skill is wanted": "load-skill",
  "a person must agree": "review",
  "a skill changed": "review",
  "nothing to load": "act",
  answered: END,
} as const;

export const actPaths = {
  "calls to run": "observe",
  "a person must decide": "review",
  answered: END,
  "a skill changed": "route",
} as const;

export const observePaths = {
  "more to run": "observe",
  "a person must decide": "review",
  "results are in": "route",
  stopped: END,
} as const;

export const reviewPaths = {
  "load it": "load-skill",
  decided: "observe",
  declined: "route",
  "a changed skill is decided": "route",
  "ask again": "review",
  stopped: END,
} as const;

const waits = (call: PendingCall) =>
  call.status === "ask" || call.status === "question" || call.status === "unknown" || call.status === "gate";
const moves = (call: PendingCall) =>
  call.status === "ready" || call.status === "settled" || call.status === "load";

/** Calls that a person must decide, in the order of the model's request. */
export function waitingCalls(state: Pick<State, "calls">): PendingCall[] {
  return state.calls.filter(waits);
}

/** The changed skill that a person must decide next. */
export function findOpenDrift({ drifts }: Pick<State, "drifts">): PendingDrift | undefined {
  return drifts.find(({ choice }) => choice === undefined);
}

export function afterRoute(state: State): keyof typeof routePaths {
  if (findOpenDrift(state) || findDisplaced(state)) return "a skill changed";
  if (state.wanted.some((wanted) => wanted.consent !== undefined)) return "a person must agree";
  if (state.wanted.length > 0) return "a skill is wanted";
  return state.decision?.method === "unload" ? "answered" : "nothing to load";
}

export function afterAct(state: State): keyof typeof actPaths {
  if (state.run.life === "") return "a skill changed";
  const last = state.messages.at(-1);
  if (!last || !AIMessage.isInstance(last) || !last.tool_calls?.length) return "answered";
  // Everything is asked before anything runs: one list, in order, and a later approval never reorders effects.
  return state.calls.some(waits) ? "a person must decide" : "calls to run";
}

export function afterObserve(state: State): keyof typeof observePaths {
  // What was left open belongs to another place: `route` withdraws it.
  if (mustBePlaced(state)) return "results are in";
  if (state.calls.some(waits)) return "a person must decide";
  if (state.calls.some(moves)) return "more to run";
  return state.stop ? "stopped" : "results are in";
}

export function afterReview(state: State): keyof typeof reviewPaths {
  if (state.stop) return "stopped";
  if (mustBePlaced(state)) return "a changed skill is decided";
  if (state.reviewErrors.length > 0 || state.calls.some(waits)) return "ask again";
  if (findOpenDrift(state)) return "ask again";
  if (state.drifts.length === 0 && findDisplaced(state)) return "ask again";
  if (state.drifts.length > 0) return "a changed skill is decided";
  if (state.wanted.some((wanted) => wanted.consent !== undefined)) return "ask again";
  if (state.calls.some(moves)) return "decided";
  return state.wanted.length > 0 ? "load it" : "declined";
}
