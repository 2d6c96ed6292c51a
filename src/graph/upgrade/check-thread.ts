import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import { stateSchema } from "../state.ts";
import { assertKnownVersion } from "./version.ts";

/** Fields whose values lie in the writes of older checkpoints, and not in the newest one. */
const DELTAS: readonly string[] = ["messages", "texts", "audit"];

const schemas = Object.entries(stateSchema.shape);

/**
 * Looks at a thread before anything goes on with it.
 *
 * @throws SkillgraphError `thread-newer`, or `thread-unreadable` that names the field
 */
export async function checkThread(saver: unknown, configurable: Record<string, unknown>): Promise<void> {
  const thread = configurable.thread_id;
  if (typeof saver !== "object" || saver === null || thread === undefined) return;
  const tuple = await (saver as BaseCheckpointSaver).getTuple({ configurable });
  const values = { ...tuple?.checkpoint.channel_values };
  for (const name of DELTAS) delete values[name];
  assertKnownVersion(String(thread), values.version);
  assertReadable(String(thread), values);
}

/**
 * Refuses a state that cannot be one of ours. What is missing has its default, and what is not known is left alone.
 *
 * @throws SkillgraphError `thread-unreadable` that names the field
 */
export function assertReadable(thread: string, values: Record<string, unknown>): void {
  const fault = findStateFault(values);
  if (fault === undefined) return;
  throw new SkillgraphError("thread-unreadable", `Thread ${thread} cannot be read: ${fault}.`);
}

function findStateFault(values: Record<string, unknown>): string | undefined {
  for (const [name, schema] of schemas) {
    const value = values[name];
    const read = value === undefined ? undefined : schema.safeParse(value);
    const issue = read?.error?.issues[0];
    if (issue) return `"${[name, ...issue.path].join(".")}" of its state is wrong (${issue.message})`;
  }
  return undefined;
}
