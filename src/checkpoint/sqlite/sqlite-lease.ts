import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { endGroup as endProcessGroup, readStartTime } from "../../tools/process/process-group.ts";
import type { ProcessGroup } from "../../tools/tool.ts";
import type { LeaseOptions, LeaseRequest, Leases } from "../lease.ts";
import { createLease, findLeft, isDead, type LeaseRow, type LeaseStatements } from "../lease-holder.ts";
import { readMachine } from "../machine.ts";
import type { Database } from "./database.ts";

const FIND = "SELECT *, ? - beat AS silence FROM lease WHERE thread_id = ?";

const TAKE = `
  INSERT INTO lease (thread_id, life, machine, host, pid, start_time, since, beat, groups, who, request)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)
  ON CONFLICT (thread_id) DO UPDATE SET life = excluded.life, machine = excluded.machine, host = excluded.host,
    pid = excluded.pid, start_time = excluded.start_time, since = excluded.since, beat = excluded.beat, groups = '[]',
    who = excluded.who, request = excluded.request`;

const OWN = "WHERE thread_id = ? AND life = ?";

/** Leases that are kept beside the checkpoints, so that every process with the same file respects them. */
export function createLeases(database: Database, options: LeaseOptions = {}): Leases {
  const { endGroup = endProcessGroup } = options;
  const machine = readMachine();
  return {
    async acquire(threadId, { signal, ...request } = {}) {
      // Whoever holds a thread does not outlive a power cut, so its lease need not.
      const waiting = { mayFade: true, ...(signal === undefined ? {} : { signal }) };
      const life = randomUUID();
      for (;;) {
        const take = () => takeLease(database, threadId, { life, machine }, request);
        const dead = await database.write(take, waiting);
        if (dead === undefined) return createLease(life, createStatements(database, threadId, life));
        // The row is replaced only when nothing is left to end, so that dying in here loses no process group.
        for (const group of dead.left) await endGroup(group);
        const sql = `UPDATE lease SET groups = '[]' ${OWN}`;
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
  { life, machine }: { life: string; machine: string },
  { who, request }: LeaseRequest,
): { life: string; left: ProcessGroup[] } | undefined {
  const held = findHolder(database, threadId);
  const left = findLeft(threadId, held, machine);
  if (held !== undefined && left.length > 0) return { life: held.life, left };
  const now = Date.now();
  const startTime = readStartTime(process.pid) ?? "";
  const holder = [life, machine, hostname(), process.pid, startTime, now, now] as const;
  database.run(TAKE, threadId, ...holder, who ?? null, request ?? null);
  return undefined;
}

function findHolder(database: Database, threadId: string): LeaseRow | undefined {
  return database.get<LeaseRow>(FIND, Date.now(), threadId);
}

function createStatements(database: Database, threadId: string, life: string): LeaseStatements {
  const set = (column: string, cell: () => string | number) =>
    database.write(() => database.run(`UPDATE lease SET ${column} = ? ${OWN}`, cell(), threadId, life));
  return {
    beat: () => set("beat", Date.now),
    groups: (groups) => set("groups", groups),
    remove: () =>
      database.write(() => database.run(`DELETE FROM lease ${OWN}`, threadId, life), { mayFade: true }),
  };
}
