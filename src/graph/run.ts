import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Leases } from "../checkpoint/lease.ts";
import type { ToolContext } from "../tools/tool.ts";
import { toWho } from "./audit/who.ts";

/** Where a run's facts travel. A leading `__` keeps a key out of checkpoint metadata. */
export const RUN_KEY = "__skillgraph_run";

/** One run of the graph on a thread, from its start to its end, pause or death. */
export interface Run {
  /** Differs for every run, so that a call which another run began is recognised. */
  life: string;
  /** Who started it, which is who answers. */
  who: string;
  /** Id of the request that it answers, where that is known. */
  request?: string;
  onProcessGroup?: NonNullable<ToolContext["onProcessGroup"]>;
  /** True when the run began with an answer to an open question. */
  answers?: boolean;
  /** True within a run of another graph, whose context is not ours. */
  nested?: boolean;
  /** Ids of the calls whose bodies were entered. */
  entered: Set<string>;
  /** Calls whose bodies are still at work. */
  working: Set<Promise<unknown>>;
  /** Gives the thread back. */
  release: () => Promise<void>;
}

/** What a run takes hold of; without leases or a thread it takes nothing. */
export interface RunPlace {
  leases?: Leases | undefined;
  thread?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Who starts the run. Default: `user@host` of this process. */
  by?: string | undefined;
  /** Id of the request that the run answers. */
  request?: string | undefined;
}

/** How long a run that was stopped waits for its calls to end, in milliseconds: a command has 2 s to obey. */
const SETTLE_MS = 5_000;

/** How many ended runs are remembered. */
const MAX_ENDED = 1_000;

/** Runs made here: what a client puts under {@link RUN_KEY} is none. */
const runs = new WeakSet<Run>();
/** Runs of this process that hold a thread. */
const live = new Set<{ thread: string; signal: AbortSignal | undefined; ended: Promise<void> }>();
/** Calls that runs of this process entered, by the life of the run, once it ended in order. */
const ended = new Map<string, Set<string>>();
const ofProcess: Run = {
  life: randomUUID(),
  who: toWho(undefined),
  entered: new Set(),
  working: new Set(),
  release: async () => undefined,
};

/**
 * Begins a run and takes its thread.
 *
 * @throws SkillgraphError `thread-busy` when another run holds the thread; `usage` for a `by` that is no name
 */
export async function openRun({ leases, thread, signal, by, request }: RunPlace): Promise<Run> {
  const who = toWho(by);
  const run: Run = { ...ofProcess, life: randomUUID(), who, entered: new Set(), working: new Set() };
  if (request !== undefined) run.request = request;
  runs.add(run);
  if (!leases || thread === undefined) return run;
  // An aborted graph gives up at once, before its finally has run: the thread is about to be free.
  const dying = [...live].filter((other) => other.thread === thread && other.signal?.aborted);
  await Promise.all(dying.map((other) => other.ended));
  const lease = await leases.acquire(thread, {
    who,
    ...(signal ? { signal } : {}),
    ...(request === undefined ? {} : { request }),
  });
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const entry = { thread, signal, ended };
  live.add(entry);
  run.life = lease.life;
  run.onProcessGroup = (change, group) =>
    change === "start" ? lease.addGroup(group) : lease.removeGroup(group);
  run.release = async () => {
    try {
      await lease.release();
    } finally {
      live.delete(entry);
      end?.();
    }
  };
  return run;
}

/** Ends a run. Who has the thread next must not meet a command that is still dying, so the calls end first. */
export async function closeRun(run: Run): Promise<void> {
  if (run.working.size > 0) {
    const given = new AbortController();
    const timeout = wait(SETTLE_MS, undefined, { signal: given.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.allSettled(run.working), timeout]);
    given.abort();
  }
  ended.set(run.life, run.entered);
  for (const life of ended.keys()) if (ended.size > MAX_ENDED) ended.delete(life);
  await run.release();
}

/** Notes that a call's body is entered; also under the run that marked it, which may have ended before. */
export function noteEntered(run: Run, markedBy: string | undefined, callId: string): void {
  run.entered.add(callId);
  if (markedBy !== undefined) ended.get(markedBy)?.add(callId);
}

/**
 * True when it is known that a call was marked by a run and never entered: the run ended in order in between, as
 * it does at a breakpoint. Of a run that died nothing is known.
 */
export function wasNeverEntered(life: string, callId: string): boolean {
  return ended.get(life)?.has(callId) === false;
}

/** True for a run that {@link openRun} began. */
export function isRun(value: unknown): value is Run {
  return typeof value === "object" && value !== null && runs.has(value as Run);
}

/** The run that a node belongs to. Outside of any, the process itself is the run. */
export function readRun(config: LangGraphRunnableConfig): Run {
  const run: unknown = config.configurable?.[RUN_KEY];
  return isRun(run) ? run : ofProcess;
}
