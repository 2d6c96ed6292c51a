import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { endGroup as endProcessGroup, readStartTime } from "../../tools/process/process-group.ts";
import type { ProcessGroup } from "../../tools/tool.ts";
import {
  createBusyError,
  giveBack,
  type HolderFacts,
  isOver,
  type Lease,
  type LeaseOptions,
  type Leases,
} from "../lease.ts";
import { readMachine } from "../machine.ts";
import type { Database } from "./database.ts";

const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 15_000;

const TAKE = `
  INSERT INTO lease (thread_id, life, machine, host, pid, start_time, since, beat, groups, who, request)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)
  ON CONFLICT (thread_id) DO UPDATE SET life = excluded.life, machine = excluded.machine, host = excluded.host,
    pid = excluded.pid, start_time = excluded.start_time, since = excluded.since, beat = excluded.beat, groups = '[]',
    who = excluded.who, request = excluded.request`;

interface LeaseRow extends HolderFacts {
  life: string;
  machine: string;
  start_time: string;
  beat: number;
  groups: string;
}

/** Leases that are kept beside the checkpoints, so that every process with the same file respects them. */
export function createLeases(database: Database, options: LeaseOptions = {}): Leases {
  const { endGroup = endProcessGroup } = options;
  const machine = readMachine();
  return {
    async acquire(threadId, { signal, who, request } = {}) {
      // Whoever holds a thread does not outlive a power cut, so its lease need not.
      const waiting = { mayFade: true, ...(signal === undefined ? {} : { signal }) };
      for (;;) {
        const life = randomUUID();
        const taker = { life, machine, who, request };
        const dead = await database.write(() => takeLease(database, threadId, taker), waiting);
        if (dead === undefined) return createLease(database, threadId, life);
        // The row is replaced only when nothing is left to end, so that dying in here loses no process group.
        for (const group of parseGroups(dead)) await endGroup(group);
        const sql = "UPDATE lease SET groups = '[]' WHERE thread_id = ? AND life = ?";
        await database.write(() => database.run(sql, threadId, dead.life), waiting);
      }
    },
    async isHeld(threadId) {
      const held = await database.read(() => findHolder(database, threadId));
      return held !== undefined && !isDead(held, machine);
    },
  };
}

/** Takes the thread, or gives back a dead holder whose process groups must be ended first. */
function takeLease(
  database: Database,
  threadId: string,
  { life, machine, who, request }: Pick<LeaseRow, "life" | "machine" | "who" | "request">,
): LeaseRow | undefined {
  const held = findHolder(database, threadId);
  if (held !== undefined && !isDead(held, machine)) throw createBusyError(threadId, held);
  // Processes of another machine cannot be reached from here.
  if (held !== undefined && held.machine === machine && parseGroups(held).length > 0) return held;
  const now = Date.now();
  const startTime = readStartTime(process.pid) ?? "";
  const holder = [life, machine, hostname(), process.pid, startTime, now, now] as const;
  database.run(TAKE, threadId, ...holder, who ?? null, request ?? null);
  return undefined;
}

function findHolder(database: Database, threadId: string): LeaseRow | undefined {
  return database.get<LeaseRow>("SELECT * FROM lease WHERE thread_id = ?", threadId);
}

function isDead(held: LeaseRow, machine: string): boolean {
  if (isOver(held.life)) return true;
  if (held.machine === machine && held.start_time !== "") return readStartTime(held.pid) !== held.start_time;
  return Date.now() - held.beat > SILENCE_MS;
}

function createLease(database: Database, threadId: string, life: string): Lease {
  const groups = new Map<number, ProcessGroup>();
  let last: Promise<void> = Promise.resolve();
  let released: Promise<void> | undefined;

  // A note that cannot be made must not stop the run: the thread's history is guarded by the saver itself.
  const note = (column: string, cell: () => string | number) => {
    const sql = `UPDATE lease SET ${column} = ? WHERE thread_id = ? AND life = ?`;
    const written = database.write(() => database.run(sql, cell(), threadId, life));
    last = Promise.all([last, written]).then(
      () => undefined,
      () => undefined,
    );
    return last;
  };
  const noteGroups = () => note("groups", () => JSON.stringify([...groups.values()]));

  const heart = setInterval(() => void note("beat", () => Date.now()), HEARTBEAT_MS);
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
      const sql = "DELETE FROM lease WHERE thread_id = ? AND life = ?";
      const remove = () => database.write(() => database.run(sql, threadId, life), { mayFade: true });
      released ??= last.then(() => giveBack(life, remove));
      return released;
    },
  };
}

function parseGroups(row: LeaseRow): ProcessGroup[] {
  return JSON.parse(row.groups) as ProcessGroup[];
}
