import { SkillgraphError, toMessage } from "../../errors.ts";
import type { ReviewRequest } from "../../graph/review/request.ts";
import type { Progress } from "../../graph/state.ts";
import { type AgentFacts, readAgentFacts, requireSaver, type SkillAgent } from "../agent.ts";
import { isHeld, readFacts } from "./run.ts";
import { type ThreadFacts, toLeftProgress } from "./thread-facts.ts";

/** Characters of a task in a list. */
const MAX_TASK = 200;

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
  /** The stage that its wizard is at. */
  stage?: string;
  /** How far its wizard has come. */
  progress?: Progress;
  /** What waits for a person. */
  request?: ReviewRequest;
  /** Why it cannot be read. */
  fault?: string;
}

/** All threads of the agent's store, newest first. One that cannot be read is listed as `failed`. */
export async function listThreads(agent: SkillAgent): Promise<ThreadSummary[]> {
  requireSaver(agent);
  const rows = (await readAgentFacts(agent).store?.threads.listThreads()) ?? [];
  const summaries: ThreadSummary[] = [];
  for (const { threadId, updatedAt } of rows) {
    summaries.push(await toSummary(agent, threadId, updatedAt));
  }
  return summaries;
}

/**
 * The full id of a thread from a unique prefix; without one, the newest thread that waits, else that stopped.
 *
 * @throws SkillgraphError `thread-unknown`, `thread-ambiguous` or, without a prefix, `nothing-pending`
 */
export async function findThread(agent: SkillAgent, prefix?: string): Promise<string> {
  requireSaver(agent);
  const { store } = readAgentFacts(agent);
  if (prefix === undefined) return findNewestOpen(await listThreads(agent));
  if (prefix !== "" && (await store?.threads.hasThread(prefix))) return prefix;
  const found = prefix === "" ? [] : ((await store?.threads.findThreads(prefix)) ?? []);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new SkillgraphError(
      "thread-ambiguous",
      `"${prefix}" begins ${found.length} threads: ${found.slice(0, 5).join(", ")}.`,
    );
  }
  throw await unknownThread(store, prefix);
}

async function toSummary(agent: SkillAgent, thread: string, updatedAt: string): Promise<ThreadSummary> {
  try {
    const facts = await readFacts(agent, thread);
    const { status, name, skill, stage, request, messages } = facts;
    const task = messages.find(({ role }) => role === "person")?.text.slice(0, MAX_TASK);
    const isRunning = await isHeld(agent, thread);
    const progress = isRunning ? facts.progress : toLeftProgress(facts);
    return {
      thread,
      status,
      updatedAt,
      ...(name === undefined ? {} : { name }),
      ...(task === undefined ? {} : { task }),
      ...(isRunning ? { running: true as const } : {}),
      ...(skill === undefined ? {} : { skill }),
      ...(stage === undefined ? {} : { stage }),
      ...(progress ? { progress } : {}),
      ...(request ? { request } : {}),
    };
  } catch (error) {
    // Where the store itself cannot be read any more this says so; else it is this thread alone.
    await readAgentFacts(agent).store?.threads.hasThread(thread);
    return { thread, status: "failed", updatedAt, fault: toMessage(error) };
  }
}

/** @throws SkillgraphError `thread-unknown` with the newest threads there are */
export async function requireThread(store: AgentFacts["store"], thread: string): Promise<void> {
  if (store && !(await store.threads.hasThread(thread))) throw await unknownThread(store, thread);
}

async function unknownThread(store: AgentFacts["store"], thread: string): Promise<SkillgraphError> {
  const known = ((await store?.threads.listThreads()) ?? []).slice(0, 5).map(({ threadId }) => threadId);
  const none = store ? "There are no threads here yet." : "Threads in a saver of your own are not listed.";
  const list = known.length > 0 ? `Newest threads: ${known.join(", ")}.` : none;
  return new SkillgraphError("thread-unknown", `No thread "${thread}". ${list}`);
}

function findNewestOpen(threads: ThreadSummary[]): string {
  const open =
    threads.find(({ status }) => status === "waiting") ??
    threads.find(({ status }) => status === "stopped" || status === "failed");
  if (open) return open.thread;
  throw new SkillgraphError("nothing-pending", "No thread waits for an answer, and none was left open.");
}
