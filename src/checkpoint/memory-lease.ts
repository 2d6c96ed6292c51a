import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createBusyError, type HolderFacts, type LeaseRequest, type Leases } from "./lease.ts";

/** What a run of ours is of a larger run, several of which may be under way side by side. */
export interface RunPart {
  /** Stands for the larger run. */
  whole: object;
  /** Where in it this one is. */
  place: string;
  /** Stands for this visit of the place: a run has one at a time. */
  visit: object;
}

/** Leases that cannot be seen by another process. */
export interface MemoryLeases extends Leases {
  /** As everywhere. The parts of one run share a thread, which is free when the last of them gives it back. */
  acquire: (threadId: string, options?: LeaseRequest & { part?: RunPart }) => ReturnType<Leases["acquire"]>;
}

/** Who has a thread: the lives of the runs that share it, and what they are parts of. */
interface Holder extends HolderFacts {
  runs: Map<string, RunPart | undefined>;
}

/** A saver of the caller's own knows no leases; whatever uses it in this process shares these. */
const leasesOfSavers = new WeakMap<BaseCheckpointSaver, MemoryLeases>();

/** Leases for threads that are kept in memory and so cannot be reached by another process. */
export function createMemoryLeases(): MemoryLeases {
  const holders = new Map<string, Holder>();
  return {
    isHeld: async (threadId) => holders.has(threadId),
    async acquire(threadId, { signal, who, request, part } = {}) {
      signal?.throwIfAborted();
      const held = holders.get(threadId);
      if (held !== undefined && !mayShare(held, part)) throw createBusyError(threadId, held);
      const life = randomUUID();
      const facts = { pid: process.pid, host: hostname(), since: Date.now(), who, request };
      const holder = held ?? { ...facts, runs: new Map() };
      holder.runs.set(life, part);
      holders.set(threadId, holder);
      return {
        life,
        // Nobody will be there to end what this process leaves: the threads die with it.
        addGroup: async () => undefined,
        removeGroup: () => undefined,
        async release() {
          holder.runs.delete(life);
          if (holder.runs.size === 0 && holders.get(threadId) === holder) holders.delete(threadId);
        },
      };
    },
  };
}

/** The leases of a saver of the caller's own, within this process; `part`: what they are taken for. */
export function findLeases(saver: BaseCheckpointSaver, part?: RunPart): Leases {
  const leases = leasesOfSavers.get(saver) ?? createMemoryLeases();
  leasesOfSavers.set(saver, leases);
  if (part === undefined) return leases;
  return { ...leases, acquire: (thread, options) => leases.acquire(thread, { ...options, part }) };
}

function mayShare({ runs }: Holder, part: RunPart | undefined): boolean {
  return [...runs.values()].every(
    (held) =>
      held !== undefined &&
      held.whole === part?.whole &&
      (held.place !== part.place || held.visit === part.visit),
  );
}
