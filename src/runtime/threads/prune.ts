import { type CheckpointTuple, ERROR, INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";
import type { ThreadEntry } from "../../checkpoint/thread-index.ts";
import { SkillgraphError } from "../../errors.ts";
import { closeRun, openRun } from "../../graph/run.ts";
import type { State } from "../../graph/state.ts";
import { readAgentFacts, requireSaver, type SkillAgent } from "../agent.ts";
import { checkOptions } from "../check-options.ts";
import { isHeld } from "./run.ts";
import { isLeftOpen, type ThreadStatus } from "./thread-facts.ts";

/** Milliseconds of each unit of an age. */
const UNITS = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

/** How many threads are looked at at once: most of the time goes by waiting for the database. */
const AT_ONCE = 8;

const FORMS = "Write a whole number and a unit: 90m, 12h, 30d or 8w";

/** Which threads to remove. */
export interface PruneOptions {
  /** Age since the last change: `30d`, `12h`, `90m`, `8w`, or milliseconds. */
  olderThan: string | number;
  /** True to remove threads that were stopped or failed in the middle, too. Default: they are kept. */
  stopped?: boolean;
  /** True to remove nothing and only tell. Default: false. */
  dryRun?: boolean;
}

/** A thread that was old enough. */
export interface PrunedThread {
  thread: string;
  status: ThreadStatus | "running";
  /** ISO 8601. */
  updatedAt: string;
}

/** What was removed, or would be. */
export interface PruneReport {
  removed: PrunedThread[];
  /** Old enough, but somebody may still go on with them. */
  kept: PrunedThread[];
  /** What the store needs less now, in bytes. PostgreSQL keeps the room for the next threads until its vacuum. */
  freedBytes: number;
}

/**
 * Removes whole threads that did not change for a while. A thread that waits for a person or runs is always kept, one
 * that was stopped or failed in the middle unless `stopped` is set.
 *
 * @param agent one that keeps its threads in a store
 * @param options the age, and what else goes
 * @returns what was removed and what was kept, the thread that changed last first
 * @throws SkillgraphError `usage` for an age that cannot be read, an option that is not known, and an agent without a
 * store of its own; `checkpoint-unavailable`
 * @example
 * ```ts
 * import { createSkillAgent, pruneThreads } from "skillgraph";
 * const agent = await createSkillAgent();
 * const { removed, kept } = await pruneThreads(agent, { olderThan: "30d" });
 * process.stdout.write(`${removed.length} removed, ${kept.length} kept\n`);
 * ```
 */
export async function pruneThreads(agent: SkillAgent, options: PruneOptions): Promise<PruneReport> {
  checkOptions("pruneThreads", options);
  const before = Date.now() - parseAge(options.olderThan);
  requireSaver(agent);
  const { store } = readAgentFacts(agent);
  if (!store) {
    throw new SkillgraphError(
      "usage",
      "Only threads of a store can be pruned: this agent has a saver of its caller.",
    );
  }
  const old = (await store.threads.listThreads()).filter(({ updatedAt }) => Date.parse(updatedAt) < before);
  const bytes = (await store.threads.readSize()).bytes;
  const report: PruneReport = { removed: [], kept: [], freedBytes: 0 };
  for (let start = 0; start < old.length; start += AT_ONCE) {
    const entries = old.slice(start, start + AT_ONCE);
    const pruned = await Promise.all(entries.map((entry) => prune(agent, entry, options)));
    for (const { isRemoved, thread } of pruned.filter((each) => each !== undefined))
      report[isRemoved ? "removed" : "kept"].push(thread);
  }
  if (!options.dryRun && report.removed.length > 0)
    report.freedBytes = Math.max(0, bytes - (await store.threads.readSize()).bytes);
  return report;
}

/**
 * Reads an age such as `30d`.
 *
 * @returns milliseconds
 * @throws SkillgraphError `usage` that lists the forms
 */
export function parseAge(age: string | number): number {
  const [, count, unit = ""] = /^\s*(\d+)\s*([a-z])\s*$/i.exec(String(age)) ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  const milliseconds = typeof age === "number" ? age : Number(count) * (factor ?? Number.NaN);
  if (milliseconds >= 0 && milliseconds <= Number.MAX_SAFE_INTEGER) return milliseconds;
  throw new SkillgraphError("usage", `"${age}" is no age. ${FORMS}.`);
}

/** Decides under the thread's lease, so that nobody goes on with it in between. Undefined: it is gone already. */
async function prune(
  agent: SkillAgent,
  { threadId, updatedAt, checkpointId }: ThreadEntry,
  { stopped = false, dryRun = false }: PruneOptions,
): Promise<{ isRemoved: boolean; thread: PrunedThread } | undefined> {
  const { store, leases } = readAgentFacts(agent);
  const thread = { thread: threadId, updatedAt };
  const running = { isRemoved: false, thread: { ...thread, status: "running" as const } };
  const head = await readHead(agent, threadId);
  if (head === undefined) return undefined;
  const status = toStatus(head);
  const isRemoved = status === "finished" || (stopped && (status === "stopped" || status === "failed"));
  const decided = { isRemoved, thread: { ...thread, status } };
  if (!isRemoved || dryRun) return (await isHeld(agent, threadId)) ? running : decided;
  const run = await openRun({ leases, thread: threadId }).catch((error: unknown) => {
    if (error instanceof SkillgraphError && error.code === "thread-busy") return undefined;
    throw error;
  });
  if (!run) return running;
  try {
    const now = await readHead(agent, threadId);
    if (now === undefined) return undefined;
    const isSame = now === "unreadable" || now.checkpoint.id === checkpointId;
    // A question that is asked late is written beside the checkpoint that was the newest before.
    if (!isSame || toStatus(now) !== status) return running;
    await store?.threads.deleteThread(threadId);
    return decided;
  } finally {
    await closeRun(run);
  }
}

/** The newest checkpoint without the messages, which are most of a thread. Undefined: there is no such thread. */
async function readHead(
  agent: SkillAgent,
  thread: string,
): Promise<CheckpointTuple | "unreadable" | undefined> {
  try {
    const head = await requireSaver(agent).getTuple({ configurable: { thread_id: thread } });
    if (head !== undefined) return head;
  } catch (error) {
    if (error instanceof SkillgraphError && error.code === "thread-unreadable") return "unreadable";
    throw error;
  }
  // It is listed without its checkpoint when rows were deleted by hand.
  const isThere = await readAgentFacts(agent).store?.threads.hasThread(thread);
  return isThere ? "unreadable" : undefined;
}

/** Says what `readThread` says, and "stopped" where it would take the whole thread to know better. */
function toStatus(head: CheckpointTuple | "unreadable"): ThreadStatus {
  if (head === "unreadable") return "failed";
  const left = new Set(head.pendingWrites?.map(([, channel]) => channel));
  if (left.has(INTERRUPT)) return "waiting";
  if (left.has(ERROR)) return "failed";
  const { channel_values: values } = head.checkpoint;
  const isUnderWay = Object.entries(values).some(([channel, value]) => isTrigger(channel, value));
  return isUnderWay || isLeftOpen(values as Partial<State>) ? "stopped" : "finished";
}

/** What makes a node run next. LangGraph keeps it until the node has run. */
function isTrigger(channel: string, value: unknown): boolean {
  if (channel === TASKS) return Array.isArray(value) && value.length > 0;
  return channel === "__start__" || channel.startsWith("branch:to:");
}
