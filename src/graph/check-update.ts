import type { StateSnapshot } from "@langchain/langgraph";
import { assertPlain } from "../checkpoint/plain.ts";
import { SkillgraphError } from "../errors.ts";
import { toEntry } from "./entry.ts";

/** An update by hand: values, written as if a node had returned them. */
interface Update {
  values?: unknown;
  asNode?: string | undefined;
}

/** LangGraph's own places: a copy of a checkpoint, and the entry of the graph. */
const COPY = "__copy__";
const INPUT = "__input__";
const END = "__end__";

/**
 * What may be written into the state of a thread from outside: messages. Calls, skills and their grants are ours: who
 * could write them could run anything unasked. A question that is open stays open, and a call that is to run still
 * runs, whatever node the update names: else a message could lead past them.
 *
 * @param next the nodes that come next on the thread
 * @returns the update, each message with an id
 * @throws SkillgraphError `usage` that names the first other field, or an input beside what is to be done;
 * `state-not-plain` for what could not be kept
 */
export function checkUpdate<Given extends Update>(
  update: Given,
  { next }: Pick<StateSnapshot, "next">,
): Given {
  const { values, asNode } = update;
  if (asNode === COPY && Array.isArray(values) && values.every(isPair)) {
    // A copy may carry updates for several nodes, each a pair of the values and the node.
    return { ...update, values: values.map(([each, node]) => [checkValues(each), keepPlace(node, next)]) };
  }
  if (asNode === INPUT && next.length > 0) {
    throw new SkillgraphError(
      "usage",
      `An input cannot be written beside "${next.join('", "')}", which comes next; start a run with it.`,
    );
  }
  return { ...update, values: checkValues(values), ...toNode(keepPlace(asNode, next)) };
}

function checkValues(values: unknown): unknown {
  if (typeof values !== "object" || values === null) return values;
  // LangGraph takes commands out of a list.
  if (Array.isArray(values)) {
    throw new SkillgraphError("usage", 'An update of the state is an object with "messages", and no list.');
  }
  const other = Object.keys(values).find((key) => key !== "messages");
  if (other !== undefined) {
    throw new SkillgraphError(
      "usage",
      `The state's "${other}" cannot be set from outside; only "messages" can.`,
    );
  }
  const entry = toEntry(values);
  assertPlain("__start__", entry);
  return entry;
}

/** The node after which the same one comes next, where a person or a call is waited for. */
function keepPlace<Node>(asNode: Node, next: readonly string[]): Node | string {
  if (asNode === COPY || asNode === END) return asNode;
  return next.find((node) => node === "review" || node === "observe") ?? asNode;
}

function toNode(asNode: string | undefined): Pick<Update, "asNode"> {
  return asNode === undefined ? {} : { asNode };
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}
