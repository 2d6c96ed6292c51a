import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { SkillgraphError } from "../../errors.ts";
import { endGroup as endProcessGroup, readStartTime } from "../../tools/process/process-group.ts";
import type { ProcessGroup } from "../../tools/tool.ts";
import {
  createBusyError,
  giveBack,
  type HolderFacts,
  isOver,
  type Lease,
  type LeaseOptions,
  type LeaseRequest,
  type Leases,
} from "../lease.ts";
import { readMachine } from "../machine.ts";
import type { PostgresDatabase, Session } from "./database.ts";

const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 15_000;

/** The clock of the database alone is asked, so that those of the machines may differ. */
const NOW = "clock_timestamp()";

const FIND = `
  SELECT life, machine, host, pid, start_time, groups, who, request,
    (extract(epoch FROM since) * 1000)::float8 AS since,
    (extract(epoch FROM ${NOW} - beat) * 1000)::float8 AS silence
  FROM skillgraph_lease WHERE thread_id = $1`;

const TAKE = `
  INSERT INTO skillgraph_lease (thread_id, life, machine, host, pid, start_time, who, request, since, beat, groups)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${NOW}, ${NOW}, '[]')
  ON CONFLICT (thread_id) DO UPDATE SET life = excluded.life, machine = excluded.machine, host = excluded.host,
    pid = excluded.pid, start_time = excluded.start_time, since = excluded.since, beat = excluded.beat, groups = '[]',
    who = excluded.who, request = excluded.request`;

const OWN = "WHERE thread_id = $1 AND life = $2";

interface LeaseRow extends HolderFacts {
  life: string;
  machine: string;
  start_time: string;
  groups: string;
  /** Milliseconds since the holder's heart beat. */
  silence: number;
}

/** Leases that are kept beside the checkpoints, so that every process with the same database respects them. */
export function createLeases(database: PostgresDatabase, options: LeaseOptions = {}): Leases {
  const { endGroup = endProcessGroup } = options;
  const machine = readMachine();
  return {
    async acquire(threadId, { signal, ...request } = {}) {
      const waiting = signal === undefined ? {} : { signal };
      const life = randomUUID();
      for (;;) {
        const take = (session: Session) => takeLease(session, threadId, { life, machine }, request);
        const dead = await database.write(take, waiting).catch((error: SkillgraphError) => {
          // The thread may have been taken all the same, when the network was cut before the answer came.
          if (error.code === "checkpoint-unavailable")
            giveBack(life, () => remove(database, threadId, life)).catch(() => undefined);
          throw error;
        });
        if (dead === undefined) return createLease(database, threadId, life);
        // The row is replaced only when nothing is left to end, so that dying in here loses no process group.
        for (const group of parseGroups(dead)) await endGroup(group);
        const sql = `UPDATE skillgraph_lease SET groups = '[]' ${OWN}`;
        await database.write((session) => session.run(sql, threadId, dead.life), waiting);
      }
    },
    async isHeld(threadId) {
      const held = await database.read((session) => session.get<LeaseRow>(FIND, threadId));
      return held !== undefined && !isDead(held, machine);
    },
  };
}

/** Takes the thread, or gives back a dead holder whose process groups must be ended first. */
async function takeLease(
  session: Session,
  threadId: string,
  { life, machine }: { life: string; machine: string },
  { who, request }: LeaseRequest,
): Promise<LeaseRow | undefined> {
  // There may be no row to lock yet.
  await session.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", threadId);
  const held = await session.get<LeaseRow>(FIND, threadId);
  if (held !== undefined && !isDead(held, machine)) throw createBusyError(threadId, held);
  // Processes of another machine cannot be reached from here.
  if (held !== undefined && held.machine === machine && parseGroups(held).length > 0) return held;
  const startTime = readStartTime(process.pid) ?? "";
  const cells = [life, machine, hostname(), process.pid, startTime, who ?? null, request ?? null];
  await session.run(TAKE, threadId, ...cells);
  return undefined;
}

function isDead(held: LeaseRow, machine: string): boolean {
  if (isOver(held.life)) return true;
  if (held.machine === machine && held.start_time !== "") return readStartTime(held.pid) !== held.start_time;
  return held.silence > SILENCE_MS;
}

function createLease(database: PostgresDatabase, threadId: string, life: string): Lease {
  const groups = new Map<number, ProcessGroup>();
  let last: Promise<void> = Promise.resolve();
  let released: Promise<void> | undefined;
  let isBeating = false;

  // A note that cannot be made must not stop the run: the thread's history is guarded by the saver itself.
  const note = (change: string, cells: () => unknown[] = () => []) => {
    const sql = `UPDATE skillgraph_lease SET ${change} ${OWN}`;
    const write = () => database.write((session) => session.run(sql, threadId, life, ...cells()));
    last = last.then(write).then(
      () => undefined,
      () => undefined,
    );
    return last;
  };
  const noteGroups = () => note("groups = $3", () => [JSON.stringify([...groups.values()])]);
  const beat = () => {
    // A beat that waits for the database stands for those that would follow it.
    if (isBeating) return;
    isBeating = true;
    void note(`beat = ${NOW}`).then(() => {
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
      released ??= last.then(() => giveBack(life, () => remove(database, threadId, life)));
      return released;
    },
  };
}

function remove(database: PostgresDatabase, threadId: string, life: string): Promise<number> {
  return database.write((session) => session.run(`DELETE FROM skillgraph_lease ${OWN}`, threadId, life));
}

function parseGroups(row: LeaseRow): ProcessGroup[] {
  return JSON.parse(row.groups) as ProcessGroup[];
}
