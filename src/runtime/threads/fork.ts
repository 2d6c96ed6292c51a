import { randomUUID } from "node:crypto";
import { type BaseCheckpointSaver, DeltaChannel } from "@langchain/langgraph";
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  DeltaSnapshot,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { SkillgraphError } from "../../errors.ts";
import type { PendingCall } from "../../graph/state.ts";
import { assertKnownVersion } from "../../graph/upgrade/version.ts";
import { readAgentFacts, requireSaver, type SkillAgent } from "../agent.ts";
import { findThread } from "./list-threads.ts";

/** Checkpoints that an error names. */
const MAX_NAMED = 5;

/**
 * Makes a new thread that goes on from a checkpoint of another one, which stays as it is. Nothing that was
 * answered at the checkpoint or later is taken along: a question that was open there is open on the new thread, a
 * call that was approved and had not begun is judged again, and one that had begun is asked about as one whose
 * outcome is not known.
 *
 * @param thread the id of a thread
 * @param checkpoint the id of one of its checkpoints, or a unique beginning of it; see `readHistory`
 * @returns the id of the new thread
 * @throws SkillgraphError `thread-unknown`, `thread-newer`, `checkpoint-unknown`, `checkpoint-ambiguous`, or `usage`
 * for an agent that keeps no threads
 * @example
 * ```ts
 * import { createSkillAgent, forkThread, readHistory, resumeThread } from "skillgraph";
 * const agent = await createSkillAgent();
 * const thread = "9b2f6a52-7f0e-4c57-9f0e-2f1f6f1d2c11";
 * const asked = (await readHistory(agent, thread)).find(({ next }) => next.includes("review"));
 * const fork = await forkThread(agent, thread, asked?.checkpoint ?? "");
 * for await (const event of resumeThread(agent, fork, { reply: false })) {
 *   if (event.type === "run-end") process.stdout.write(`${event.status} ${event.thread}\n`);
 * }
 * ```
 */
export async function forkThread(agent: SkillAgent, thread: string, checkpoint: string): Promise<string> {
  const { store } = readAgentFacts(agent);
  const saver = requireSaver(agent);
  const source = store ? await findThread(agent, thread) : thread;
  const tuple = await requireCheckpoint(saver, source, checkpoint);
  assertKnownVersion(source, tuple.checkpoint.channel_values.version);
  const fork = randomUUID();
  const place = { configurable: { thread_id: fork, checkpoint_ns: "" } };
  const copy = await copyCheckpoint(agent, saver, tuple);
  await saver.put(place, copy, toMetadata(tuple), copy.channel_versions);
  const name = (await store?.threads.getThreadInfo(source))?.name;
  if (name !== undefined) await store?.threads.setThreadInfo(fork, { name });
  await openQuestion(agent, fork);
  return fork;
}

/**
 * The full id of a checkpoint from a unique beginning of it.
 *
 * @throws SkillgraphError `checkpoint-unknown`, `checkpoint-ambiguous`, or `usage` for an agent that keeps no threads
 */
export async function findCheckpoint(agent: SkillAgent, thread: string, prefix: string): Promise<string> {
  return (await requireCheckpoint(requireSaver(agent), thread, prefix)).checkpoint.id;
}

async function requireCheckpoint(
  saver: BaseCheckpointSaver,
  thread: string,
  prefix: string,
): Promise<CheckpointTuple> {
  const at = (id?: string) => ({
    configurable: {
      thread_id: thread,
      checkpoint_ns: "",
      ...(id === undefined ? {} : { checkpoint_id: id }),
    },
  });
  const exact = prefix ? await saver.getTuple(at(prefix)) : undefined;
  if (exact) return exact;
  const ids: string[] = [];
  for await (const { checkpoint } of saver.list(at())) ids.push(checkpoint.id);
  const found = prefix ? ids.filter((id) => id.startsWith(prefix)) : [];
  const only = found.length === 1 ? await saver.getTuple(at(found[0])) : undefined;
  if (only) return only;
  if (found.length > 1) {
    throw new SkillgraphError(
      "checkpoint-ambiguous",
      `"${prefix}" begins ${found.length} checkpoints of thread ${thread}: ${listNewest(found)}.`,
    );
  }
  if (ids.length === 0) throw new SkillgraphError("thread-unknown", `No thread "${thread}".`);
  throw new SkillgraphError(
    "checkpoint-unknown",
    `No checkpoint "${prefix}" of thread ${thread}. Newest checkpoints: ${listNewest(ids)}.`,
  );
}

function listNewest(ids: string[]): string {
  return `${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ", …" : ""}`;
}

/**
 * The checkpoint without what was written to it afterwards, which is where the answers are. Under another id its
 * tasks have other ids, too, so that no stored result or answer can be taken for theirs.
 */
async function copyCheckpoint(
  agent: SkillAgent,
  saver: BaseCheckpointSaver,
  { checkpoint, config, metadata }: CheckpointTuple,
): Promise<Checkpoint> {
  const { calls, ...others } = checkpoint.channel_values;
  return {
    ...checkpoint,
    id: uuid6(metadata?.step ?? 0),
    ts: new Date().toISOString(),
    channel_values: {
      ...others,
      ...(Array.isArray(calls) ? { calls: (calls as PendingCall[]).map(withoutAnswers) } : {}),
      ...(await readDeltas(agent, saver, { checkpoint, config })),
    },
  };
}

/** A delta channel lives in the writes of its ancestors, which the new thread does not have: it gets the value. */
async function readDeltas(
  agent: SkillAgent,
  saver: BaseCheckpointSaver,
  { checkpoint, config }: Pick<CheckpointTuple, "checkpoint" | "config">,
): Promise<Record<string, DeltaSnapshot>> {
  const { channel_values: values, channel_versions: versions } = checkpoint;
  const channels = new Map(
    Object.entries(agent.channels).flatMap(([name, channel]) =>
      channel instanceof DeltaChannel && Object.hasOwn(versions, name) && !Object.hasOwn(values, name)
        ? [[name, channel] as const]
        : [],
    ),
  );
  const histories = await saver.getDeltaChannelHistory({ config, channels: [...channels.keys()] });
  const snapshots = [...channels].map(([name, channel]) => {
    const replayed = channel.fromCheckpoint(histories[name]?.seed as never);
    replayed.replayWrites(histories[name]?.writes ?? []);
    return [name, new DeltaSnapshot(replayed.get())] as const;
  });
  return Object.fromEntries(snapshots);
}

/** An approval is for one run of a call, and that one belongs to the thread on which it was given. */
function withoutAnswers(call: PendingCall): PendingCall {
  if (call.status !== "ready") return call;
  const { approved: _approved, approvedFor: _approvedFor, answers: _answers, ...asked } = call;
  if (call.life === undefined) return asked;
  return { ...asked, status: "unknown", reason: "it was begun on the thread that this one was copied from" };
}

function toMetadata({ metadata }: CheckpointTuple): CheckpointMetadata {
  const known: Record<string, unknown> = { ...metadata };
  // The snapshots begin the count anew, and the id is that of the other thread.
  for (const name of ["counters_since_delta_snapshot", "thread_id"]) delete known[name];
  return { ...known, source: "fork", step: metadata?.step ?? 0, parents: {} };
}

/** `review` has no effect before it asks, and nothing is run after it. */
async function openQuestion(agent: SkillAgent, thread: string): Promise<void> {
  const config = { configurable: { thread_id: thread } };
  const { next } = await agent.getState(config);
  if (!next.includes("review")) return;
  await agent.invoke(null, { ...config, interruptAfter: ["review"] });
}
