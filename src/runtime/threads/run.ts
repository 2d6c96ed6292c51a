import { Command } from "@langchain/langgraph";
import { HISTORY_KEY, KnownHistory } from "../../checkpoint/delta-history.ts";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { isGraphEvent } from "../../graph/events.ts";
import { closeRun, openRun, RUN_KEY } from "../../graph/run.ts";
import { assertKnownVersion } from "../../graph/upgrade/version.ts";
import { isRecord } from "../../skills/record.ts";
import { readAgentFacts, type SkillAgent } from "../agent.ts";
import { findPackage } from "../project.ts";
import type { RunEnd, RuntimeEvent } from "./events.ts";
import { type ThreadFacts, toLeftProgress, toThreadFacts } from "./thread-facts.ts";

/** What a run begins with: decided under the lease, so that nobody changes the thread in between. */
export type RunInput = { messages: { role: "user"; content: string }[] } | { resume: unknown } | null;

const NOT_KEPT = "interrupted before anything was kept: send it again";

/** What may be set for one run. Nothing in it widens what may run. */
export interface RunContext {
  /** Model for this run. Default: the agent's. */
  model?: string;
  /** Names of the skills that the model is offered. Default: all. */
  skills?: readonly string[];
  /** Wizard skill that a new thread is worked through. Default: the agent's. */
  wizard?: string;
}

/** How to run a thread. */
export interface RunOptions {
  /** Stops the run; the thread can be resumed. */
  signal?: AbortSignal;
  context?: RunContext;
  /** Who answers or writes, kept with each answer; at most 100 characters. Default: `user@host` of this process. */
  by?: string;
}

/** What is known before a thread is taken. */
interface Known {
  /** Id of the request that the run answers, for whoever comes meanwhile. */
  answers?: string | undefined;
  /** What was read of the thread: what a checkpoint says of its past never changes. */
  history?: KnownHistory;
}

/**
 * Runs a thread to its answer, its next question or its end, and tells what happens. The thread's lease is held
 * from before `decide` reads the thread until the run is over.
 *
 * @throws SkillgraphError what `decide` throws, `thread-busy`, and `usage` for a `by` that is no name; failures of the
 * run itself are in its end
 */
export async function* runThread(
  agent: SkillAgent,
  thread: string,
  decide: (facts: ThreadFacts) => RunInput | "nothing",
  options: RunOptions,
  { answers, history = new KnownHistory() }: Known = {},
): AsyncGenerator<RuntimeEvent, void> {
  const { store, leases, models } = readAgentFacts(agent);
  const { signal, context, by } = options;
  if (signal?.aborted) {
    yield { type: "run-end", status: "stopped", thread, stop: { code: "interrupted", reason: NOT_KEPT } };
    return;
  }
  const run = await openRun({ leases, thread, signal, by, request: answers });
  try {
    const before = await readFacts(agent, thread, history);
    assertKnownVersion(thread, before.version);
    const input = decide(before);
    const { version: program } = findPackage();
    // For people: what a thread needs to be read is the version of the graph, which its state holds.
    if (input !== "nothing" && before.program !== program)
      await store?.threads.setThreadInfo(thread, { program });
    const start: RuntimeEvent = { type: "run-start", thread, model: models.name, modelReason: models.reason };
    // A thread is named only once it is kept: before that, nobody could resume it.
    const held: RuntimeEvent[] = [start];
    let failure: unknown;
    let isKept = false;
    let told = before.progress?.line;
    if (input !== "nothing") {
      const config = {
        configurable: { thread_id: thread, [RUN_KEY]: run, [HISTORY_KEY]: history },
        streamMode: ["custom" as const, "checkpoints" as const],
        ...(signal ? { signal } : {}),
        ...(context ? { context } : {}),
      };
      try {
        const chunks = (await agent.stream(
          toGraphInput(input) as never,
          config as never,
        )) as AsyncIterable<unknown>;
        for await (const chunk of chunks) {
          const [mode, payload] = chunk as [string, unknown];
          const event = toEvent(mode, payload);
          if (event?.type === "checkpoint" && event.id !== before.checkpoint) {
            history.keepValues({ threadId: thread, ns: "", id: event.id }, readValues(payload));
          }
          if (event) held.push(event);
          if (event?.type === "progress") told = event.line;
          isKept ||= !store || (await store.threads.hasThread(thread));
          if (isKept) yield* held.splice(0);
        }
      } catch (error) {
        failure = error;
      }
    }
    yield* held;
    const facts = await readFacts(agent, thread, history);
    // The steps do not know of a question that a caller's own tool asks.
    if (facts.progress && facts.progress.line !== told) yield { type: "progress", ...facts.progress };
    if (facts.request) yield { type: "review-open", request: facts.request };
    yield toRunEnd(facts, {
      failure,
      aborted: signal?.aborted === true,
      moved: facts.checkpoint !== before.checkpoint,
    });
  } finally {
    await closeRun(run);
  }
}

/**
 * What is known of a thread, also of one that has no checkpoint yet.
 *
 * @param history - What the run that holds the thread has read or written of it.
 */
export async function readFacts(
  agent: SkillAgent,
  thread: string,
  history?: KnownHistory,
): Promise<ThreadFacts> {
  const { store } = readAgentFacts(agent);
  const snapshot = await agent.getState({
    configurable: { thread_id: thread, ...(history ? { [HISTORY_KEY]: history } : {}) },
  });
  const { name, program } = (await store?.threads.getThreadInfo(thread)) ?? {};
  return toThreadFacts(thread, snapshot, {
    updatedAt: snapshot.createdAt ?? new Date(0).toISOString(),
    ...(name === undefined ? {} : { name }),
    ...(program === undefined ? {} : { program }),
  });
}

/** True while a run holds the thread, in this process or another. */
export async function isHeld(agent: SkillAgent, thread: string): Promise<boolean> {
  return (await readAgentFacts(agent).leases?.isHeld(thread)) === true;
}

function toGraphInput(input: RunInput) {
  return input !== null && "resume" in input ? new Command({ resume: input.resume }) : input;
}

function toEvent(mode: string, payload: unknown): RuntimeEvent | undefined {
  if (mode === "custom") return isGraphEvent(payload) ? payload : undefined;
  const { config, metadata } = payload as {
    config?: { configurable?: { checkpoint_id?: string } };
    metadata?: { step?: number };
  };
  const id = config?.configurable?.checkpoint_id;
  return id === undefined ? undefined : { type: "checkpoint", id, step: metadata?.step ?? 0 };
}

/** The state at a checkpoint, as the run had it. */
function readValues(payload: unknown): Record<string, unknown> {
  const { values } = payload as { values?: unknown };
  return isRecord(values) ? values : {};
}

/** How the graph came to its end. `moved`: it got as far as to keep something. */
interface Ending {
  failure: unknown;
  aborted: boolean;
  moved: boolean;
}

function toRunEnd(facts: ThreadFacts, { failure, aborted, moved }: Ending): RunEnd {
  const { thread, request, answer, outcome, stop, stage } = facts;
  const progress = toLeftProgress(facts);
  const base = { type: "run-end", thread, ...(progress ? { progress } : {}) } as const;
  if (failure !== undefined && !aborted) return { ...base, status: "failed", error: toError(failure) };
  if (request) return { ...base, status: "waiting", request };
  if (aborted && (facts.status !== "finished" || !moved)) {
    const reason = moved ? "interrupted" : NOT_KEPT;
    return { ...base, status: "stopped", stop: { code: "interrupted", reason } };
  }
  return {
    ...base,
    status: facts.status,
    // The last words of a run that did not come to its end are those of an earlier turn.
    ...(answer === undefined || facts.status !== "finished" ? {} : { answer }),
    ...(outcome === undefined || facts.status !== "finished" ? {} : { outcome }),
    ...(stage === undefined ? {} : { stage }),
    ...(stop ? { stop } : {}),
  };
}

function toError(failure: unknown): { code: string; message: string } {
  const code = failure instanceof SkillgraphError ? failure.code : "failed";
  return { code, message: toMessage(failure) };
}
