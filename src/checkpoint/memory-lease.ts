import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createBusyError, type HolderFacts, type Leases } from "./lease.ts";

/** Leases for threads that are kept in memory and so cannot be reached by another process. */
export function createMemoryLeases(): Leases {
  const holders = new Map<string, HolderFacts & { life: string }>();
  return {
    isHeld: async (threadId) => holders.has(threadId),
    async acquire(threadId, { signal, who, request } = {}) {
      signal?.throwIfAborted();
      const held = holders.get(threadId);
      if (held !== undefined) throw createBusyError(threadId, held);
      const life = randomUUID();
      holders.set(threadId, { life, pid: process.pid, host: hostname(), since: Date.now(), who, request });
      return {
        life,
        // Nobody will be there to end what this process leaves: the threads die with it.
        addGroup: async () => undefined,
        removeGroup: () => undefined,
        async release() {
          if (holders.get(threadId)?.life === life) holders.delete(threadId);
        },
      };
    },
  };
}
