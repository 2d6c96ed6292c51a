import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { SkillgraphError } from "../../errors.ts";
import { endGroup as endProcessGroup, readStartTime } from "../../tools/process/process-group.ts";
import type { ProcessGroup } from "../../tools/tool.ts";
import { giveBack, type LeaseOptions, type LeaseRequest, type Leases } from "../lease.ts";
import { createLease, findLeft, isDead, type LeaseRow, type LeaseStatements } from "../lease-holder.ts";
import { readMachine } from "../machine.ts";
import type { PostgresDatabase, Session } from "./database.ts";

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

/** Leases that are kept beside the checkpoints, so that every process with the same database respects them. */
export function createLeases(database: PostgresDatabase, options: LeaseOptions = {}): Leases {
  const { endGroup = endProcessGroup } = options;
  const machine = readMachine();
  return {
    async acquire(threadId, { signal, ...request } = {}) {
      const waiting = signal === undefined ? {} : { signal };
      const life = randomUUID();
      const statements = createStatements(database, threadId, life);
      for (;;) {
        const take = (session: Session) => takeLease(session, threadId, { life, machine }, request);
        const dead = await database.write(take, waiting).catch((error: SkillgraphError) => {
          // The thread may have been taken all the same, when the network was cut before the answer came.
          if (error.code === "checkpoint-unavailable")
            giveBack(life, statements.remove).catch(() => undefined);
          throw error;
        });
        if (dead === undefined) return createLease(life, statements);
        // The row is replaced only when nothing is left to end, so that dying in here loses no process group.
        for (const group of dead.left) await endGroup(group);
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
): Promise<{ life: string; left: ProcessGroup[] } | undefined> {
  // There may be no row to lock yet.
  await session.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", threadId);
  const held = await session.get<LeaseRow>(FIND, threadId);
  const left = findLeft(threadId, held, machine);
  if (held !== undefined && left.length > 0) return { life: held.life, left };
  const startTime = readStartTime(process.pid) ?? "";
  const cells = [life, machine, hostname(), process.pid, startTime, who ?? null, request ?? null];
  await session.run(TAKE, threadId, ...cells);
  return undefined;
}

function createStatements(database: PostgresDatabase, threadId: string, life: string): LeaseStatements {
  const run = (sql: string, cells: () => unknown[] = () => []) =>
    database.write((session) => session.run(`${sql} ${OWN}`, threadId, life, ...cells()));
  return {
    beat: () => run(`UPDATE skillgraph_lease SET beat = ${NOW}`),
    groups: (groups) => run("UPDATE skillgraph_lease SET groups = $3", () => [groups()]),
    remove: () => run("DELETE FROM skillgraph_lease"),
  };
}
