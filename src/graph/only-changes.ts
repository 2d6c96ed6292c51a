import { isDeepStrictEqual } from "node:util";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { State, StateUpdate } from "./state.ts";

/** Channels that add what is written to them. */
const ADDING = new Set<string>(["messages", "texts", "audit"]);

type Node = (state: State, config: LangGraphRunnableConfig) => Promise<StateUpdate>;

/** A node that writes no field as it was: what is written costs room at every step of a thread. */
export function withOnlyChanges(node: Node): Node {
  return async (state, config) => pickChanges(state, await node(state, config));
}

function pickChanges(state: State, update: StateUpdate): StateUpdate {
  const before = new Map<string, unknown>(Object.entries(state));
  const isChanged = ([name, value]: [string, unknown]) =>
    ADDING.has(name) ? !isEmpty(value) : !isDeepStrictEqual(value, before.get(name));
  return Object.fromEntries(Object.entries(update).filter(isChanged));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
