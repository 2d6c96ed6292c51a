import { readStartTime } from "../tools/process/process-group.ts";
import type { ProcessGroup } from "../tools/tool.ts";
import { createBusyError, giveBack, type HolderFacts, isOver, type Lease } from "./lease.ts";

const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 15_000;

/** Who holds a thread, as a store keeps it. */
export interface LeaseRow extends HolderFacts {
  life: string;
  /** Where the process runs. */
  machine: string;
  /** When the process started; empty when that could not be read. */
  start_time: string;
  /** The process groups that the run started, as JSON. */
  groups: string;
  /** Milliseconds since the holder's heart beat. */
  silence: number;
}

/** What a store does with the row of one run; each does nothing when the thread is another run's by now. */
export interface LeaseStatements {
  beat: () => Promise<unknown>;
  /** @param groups - Tells what is true when it is written, as JSON. */
  groups: (groups: () => string) => Promise<unknown>;
  remove: () => Promise<unknown>;
}

/** True when whoever is in the row holds the thread no more. */
export function isDead(held: LeaseRow, machine: string): boolean {
  if (isOver(held.life)) return true;
  if (held.machine === machine && held.start_time !== "") return readStartTime(held.pid) !== held.start_time;
  return held.silence > SILENCE_MS;
}

/**
 * Looks at who holds a thread that is to be taken.
 *
 * @returns The process groups that a dead holder left; they must be ended before the thread is taken.
 * @throws SkillgraphError `thread-busy` when the holder lives.
 */
export function findLeft(threadId: string, held: LeaseRow | undefined, machine: string): ProcessGroup[] {
  if (held === undefined) return [];
  if (!isDead(held, machine)) throw createBusyError(threadId, held);
  // Processes of another machine cannot be reached from here.
  return held.machine === machine ? parseGroups(held.groups) : [];
}

/** The lease of a run whose row was just written: its heart beats until it is released. */
export function createLease(life: string, statements: LeaseStatements): Lease {
  const groups = new Map<number, ProcessGroup>();
  let last: Promise<void> = Promise.resolve();
  let released: Promise<void> | undefined;
  let isBeating = false;

  // A note that cannot be made must not stop the run: the thread's history is guarded by the saver itself.
  const note = (write: () => Promise<unknown>) => {
    last = last.then(write).then(
      () => undefined,
      () => undefined,
    );
    return last;
  };
  const noteGroups = () => note(() => statements.groups(() => JSON.stringify([...groups.values()])));
  const beat = () => {
    // A beat that waits for the store stands for those that would follow it.
    if (isBeating) return;
    isBeating = true;
    void note(statements.beat).then(() => {
      isBeating = false;
    });
  };

  const heart = setInterval(beat, HEARTBEAT_MS);
  heart.unref();

  return {
    life,
    addGroup(group) {
      groups.set(group.pid, group);
      return noteGroups();
    },
    removeGroup(group) {
      if (groups.delete(group.pid)) void noteGroups();
    },
    release() {
      clearInterval(heart);
      released ??= last.then(() => giveBack(life, statements.remove));
      return released;
    },
  };
}

/** What is no list of process groups names none: a row that was damaged must not keep its thread for ever. */
function parseGroups(text: string): ProcessGroup[] {
  try {
    const groups: unknown = JSON.parse(text);
    return Array.isArray(groups) ? groups.filter(isGroup) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isGroup(value: unknown): value is ProcessGroup {
  if (typeof value !== "object" || value === null || !("pid" in value) || !("startTime" in value))
    return false;
  return Number.isSafeInteger(value.pid) && typeof value.startTime === "string";
}
