import { assertPlain } from "../checkpoint/plain.ts";
import { SkillgraphError } from "../errors.ts";
import { toEntry } from "./entry.ts";

/**
 * What may be written into the state of a thread from outside: messages. Calls, skills and their grants are ours: who
 * could write them could run anything unasked.
 *
 * @returns the values, each message with an id
 * @throws SkillgraphError `usage` that names the first other field, `state-not-plain` for what could not be kept
 */
export function checkUpdate(values: unknown): unknown {
  // A copy may carry updates for several nodes, each a pair of the values and the node.
  if (Array.isArray(values))
    return values.map((pair) => (isPair(pair) ? [checkUpdate(pair[0]), pair[1]] : pair));
  if (typeof values !== "object" || values === null) return values;
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

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}
