import { randomUUID } from "node:crypto";
import { SkillgraphError } from "../errors.ts";
import { readReply } from "../graph/reply.ts";
import type { ReviewRequest } from "../graph/request.ts";
import { closeRun, openRun } from "../graph/run.ts";
import { type AgentFacts, readAgentFacts, type SkillAgent } from "./agent.ts";
import type { RuntimeEvent } from "./events.ts";
import { type RunInput, type RunOptions, readFacts, runThread } from "./run.ts";
import type { ThreadFacts } from "./thread-facts.ts";

/** Characters of a task in a list. */
const MAX_TASK = 200;

/** How to start a thread, or to write on one. */
export interface StartOptions extends RunOptions {
  /** A thread to write on. Default: a new one. */
  thread?: string;
  /** A name for people, shown in lists. */
  name?: string;
}

/** How to resume a thread. */
export interface ResumeOptions extends RunOptions {
  /** The answer to what waits, in any dialect of a `ReviewReply`. Left out, the run goes on where it was left. */
  reply?: unknown;
  /** The request that the answer is for: an answer to another one is refused. */
  request?: string;
}

/** A line of a list of threads. */
export interface ThreadSummary {
  thread: string;
  status: ThreadFacts["status"];
  updatedAt: string;
  name?: string;
  /** The beginning of the person's first message. */
  task?: string;
  /** True while a run holds the thread. */
  running?: true;
  skill?: string;
  /** What waits for a person. */
  request?: ReviewRequest;
}

/**
 * Sends a message, on a new thread or on a given one, and yields what happens until the run ends or waits.
 *
 * @returns events; the last is `run-end` with the thread's id and its status
 * @throws SkillgraphError `thread-busy` when another run holds the thread, `thread-unknown` for a given thread
 * that is not there
 * @example
 * ```ts
 * import { createSkillAgent, startThread } from "skillgraph";
 * const agent = await createSkillAgent({ model: "offline" });
 * for await (const event of startThread(agent, "/file-organizer inbox")) {
 *   if (event.type === "run-end") process.stdout.write(`${event.status} ${event.thread}\n`);
 * }
 * ```
 */
export async function* startThread(
  agent: SkillAgent,
  task: string,
  options: StartOptions = {},
): AsyncGenerator<RuntimeEvent, void> {
  const { store } = readAgentFacts(agent);
  if (typeof task !== "string" || task.trim() === "") {
    throw new SkillgraphError("usage", "The task is empty: say what to do.");
  }
  if (options.thread !== undefined) requireThread(store, options.thread);
  const thread = options.thread ?? randomUUID();
  if (options.name !== undefined) await store?.threads.setThreadInfo(thread, { name: options.name });
  yield* runThread(agent, thread, () => ({ messages: [{ role: "user", content: task }] }), options);
}

/**
 * Answers what a thread waits for, or goes on after a crash, a stop or a limit.
 *
 * @returns events; the last is `run-end`
 * @throws SkillgraphError `thread-unknown`; `nothing-pending` when nothing is open; `request-unknown` when the
 * answer is for another request; `answer-invalid` when it does not fit; `thread-busy`. The thread is unchanged then.
 * @example
 * ```ts
 * import { createSkillAgent, resumeThread } from "skillgraph";
 * const agent = await createSkillAgent();
 * for await (const event of resumeThread(agent, "9b2f6a52-7f0e-4c57-9f0e-2f1f6f1d2c11", { reply: true })) {
 *   if (event.type === "text-delta") process.stdout.write(event.text);
 * }
 * ```
 */
export async function* resumeThread(
  agent: SkillAgent,
  thread: string,
  options: ResumeOptions = {},
): AsyncGenerator<RuntimeEvent, void> {
  requireThread(readAgentFacts(agent).store, thread);
  const seen = options.request ?? (await readFacts(agent, thread)).request?.id;
  yield* runThread(agent, thread, (facts) => decideResume(facts, options, seen), options);
}

/**
 * The full id of a thread from a unique prefix; without one, the newest thread that waits, else that stopped.
 *
 * @throws SkillgraphError `thread-unknown`, `thread-ambiguous` or, without a prefix, `nothing-pending`
 */
export async function findThread(agent: SkillAgent, prefix?: string): Promise<string> {
  const { store } = readAgentFacts(agent);
  if (prefix === undefined) return findNewestOpen(await listThreads(agent));
  if (prefix !== "" && store?.threads.hasThread(prefix)) return prefix;
  const found = prefix === "" ? [] : (store?.threads.findThreads(prefix) ?? []);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new SkillgraphError(
      "thread-ambiguous",
      `"${prefix}" begins ${found.length} threads: ${found.slice(0, 5).join(", ")}.`,
    );
  }
  throw unknownThread(store, prefix);
}

/**
 * What a thread holds: its status, its messages, its skills, and what it waits for.
 *
 * @throws SkillgraphError `thread-unknown`
 */
export async function readThread(agent: SkillAgent, thread: string): Promise<ThreadFacts> {
  requireThread(readAgentFacts(agent).store, thread);
  return readFacts(agent, thread);
}

/** All threads of the agent's store, newest first. One that cannot be read is listed as `failed`. */
export async function listThreads(agent: SkillAgent): Promise<ThreadSummary[]> {
  const rows = readAgentFacts(agent).store?.threads.listThreads() ?? [];
  const summaries: ThreadSummary[] = [];
  for (const { threadId, updatedAt } of rows) {
    summaries.push(await toSummary(agent, threadId, updatedAt));
  }
  return summaries;
}

/**
 * Deletes a thread with all its checkpoints.
 *
 * @throws SkillgraphError `thread-unknown`, or `thread-busy` while it runs
 */
export async function deleteThread(agent: SkillAgent, thread: string): Promise<void> {
  const { store, leases } = readAgentFacts(agent);
  requireThread(store, thread);
  const run = await openRun({ leases, thread });
  try {
    await store?.threads.deleteThread(thread);
  } finally {
    await closeRun(run);
  }
}

async function toSummary(agent: SkillAgent, thread: string, updatedAt: string): Promise<ThreadSummary> {
  try {
    const { status, name, skill, request, messages } = await readFacts(agent, thread);
    const task = messages.find(({ role }) => role === "person")?.text.slice(0, MAX_TASK);
    const isRunning = readAgentFacts(agent).leases?.isHeld(thread) === true;
    return {
      thread,
      status,
      updatedAt,
      ...(name === undefined ? {} : { name }),
      ...(task === undefined ? {} : { task }),
      ...(isRunning ? { running: true as const } : {}),
      ...(skill === undefined ? {} : { skill }),
      ...(request ? { request } : {}),
    };
  } catch (error) {
    if (error instanceof SkillgraphError) throw error;
    return { thread, status: "failed", updatedAt };
  }
}

function decideResume(
  facts: ThreadFacts,
  options: ResumeOptions,
  seen: string | undefined,
): RunInput | "nothing" {
  const { thread, request, status, stop } = facts;
  const asked = options.request;
  if (options.reply === undefined) {
    if (request) return "nothing";
    if (status === "finished")
      throw new SkillgraphError(
        "nothing-pending",
        `Thread ${thread} is finished: nothing waits and nothing was left open.`,
      );
    // A run that stopped at a limit has no next step: it enters again, with nothing new to say.
    return stop ? { messages: [] } : null;
  }
  if (!request) {
    const what = asked === undefined ? "an answer" : `an answer to "${asked}"`;
    throw new SkillgraphError(
      "nothing-pending",
      `Thread ${thread} waits for nothing (${status}), so ${what} cannot be taken.`,
    );
  }
  if (seen !== undefined && seen !== request.id) {
    throw new SkillgraphError(
      "request-unknown",
      `Request "${seen}" is not open on thread ${thread}. Open: "${request.id}".`,
    );
  }
  return { resume: checkReply(options.reply, request) };
}

/** An answer is checked before it is sent, so that one that does not fit leaves the thread as it was. */
function checkReply(reply: unknown, request: ReviewRequest): unknown {
  // A caller's own tool asked in words of its own; only it knows what fits.
  if (!Array.isArray(request.items)) return reply;
  const read = readReply(reply, request.items);
  if ("errors" in read) throw new SkillgraphError("answer-invalid", read.errors.join(" "));
  return { decisions: read.decisions.map(toDecision) };
}

function toDecision(
  decision: Exclude<ReturnType<typeof readReply>, { errors: string[] }>["decisions"][number],
) {
  return decision.type === "edit" ? { type: "edit", edited_action: { args: decision.args } } : decision;
}

function requireThread(store: AgentFacts["store"], thread: string): void {
  if (store && !store.threads.hasThread(thread)) throw unknownThread(store, thread);
}

function unknownThread(store: AgentFacts["store"], thread: string): SkillgraphError {
  const known = (store?.threads.listThreads() ?? []).slice(0, 5).map(({ threadId }) => threadId);
  const list = known.length > 0 ? `Newest threads: ${known.join(", ")}.` : "There are no threads here yet.";
  return new SkillgraphError("thread-unknown", `No thread "${thread}". ${list}`);
}

function findNewestOpen(threads: ThreadSummary[]): string {
  const open =
    threads.find(({ status }) => status === "waiting") ??
    threads.find(({ status }) => status === "stopped" || status === "failed");
  if (open) return open.thread;
  throw new SkillgraphError("nothing-pending", "No thread waits for an answer, and none was left open.");
}
