import { randomBytes } from "node:crypto";
import type pg from "pg";
import { createUnavailable } from "../unavailable.ts";
import type { PostgresDatabase, Session } from "./database.ts";
import { loadShipped } from "./shipped.ts";

/** Eight programs that start at once set the tables up one after the other. */
const LOCK = 0x736b6c67;

/**
 * Our own tables, beside those of LangGraph's saver, which hold checkpoints, values and writes. One entry a schema
 * version; never change one that was released, add the next.
 *
 * A line is the history of one namespace of a thread: `head` is its newest checkpoint and `stamp` counts its changes.
 * `refs` names, for each channel that a checkpoint holds, the version under which its value is stored.
 */
const MIGRATIONS = [
  `CREATE TABLE skillgraph_store (id text NOT NULL, format integer NOT NULL);
   CREATE TABLE skillgraph_line (
     key bigserial PRIMARY KEY, thread_id text NOT NULL, ns text NOT NULL, head bigint,
     stamp bigint NOT NULL DEFAULT 0, updated_at bigint NOT NULL, UNIQUE (thread_id, ns));
   CREATE TABLE skillgraph_checkpoint (
     key bigserial PRIMARY KEY, line bigint NOT NULL, id text NOT NULL, parent bigint, refs jsonb NOT NULL,
     UNIQUE (line, id));
   CREATE INDEX skillgraph_checkpoint_id ON skillgraph_checkpoint (id);
   CREATE TABLE skillgraph_task (
     line bigint NOT NULL, id text NOT NULL, task_id text NOT NULL, task_path text NOT NULL,
     PRIMARY KEY (line, id, task_id));
   CREATE TABLE skillgraph_thread_info (
     thread_id text NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (thread_id, name));
   CREATE TABLE skillgraph_lease (
     thread_id text PRIMARY KEY, life text NOT NULL, machine text NOT NULL, host text NOT NULL, pid integer NOT NULL,
     start_time text NOT NULL, since timestamptz NOT NULL, beat timestamptz NOT NULL, groups text NOT NULL,
     who text, request text);`,
];

/**
 * Makes the tables where they are missing, and brings older ones up to date.
 *
 * @returns True when they were not there before.
 * @throws SkillgraphError `checkpoint-unavailable` when a newer version wrote them, or the database cannot be used.
 */
export async function prepareSchema(database: PostgresDatabase): Promise<boolean> {
  const format = await database.read(readFormat);
  if (format > MIGRATIONS.length) {
    const known = `format ${format}, this one knows ${MIGRATIONS.length}`;
    const reason = `it was written by a newer skillgraph (${known}); update skillgraph`;
    throw createUnavailable(database.name, reason);
  }
  if (format === MIGRATIONS.length) return false;
  return database.write((session) => migrate(database, session));
}

async function migrate({ schema }: PostgresDatabase, session: Session): Promise<boolean> {
  await session.run("SELECT pg_advisory_xact_lock($1)", LOCK);
  const isThere = await session.get("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema);
  if (isThere === undefined) await session.run(`CREATE SCHEMA "${schema}"`);
  const format = await readFormat(session);
  if (format === 0) await setUpShipped(session, schema);
  for (const sql of MIGRATIONS.slice(format)) await session.run(sql);
  if (format === 0) {
    const insert = "INSERT INTO skillgraph_store (id, format) VALUES ($1, $2)";
    await session.run(insert, randomBytes(16).toString("hex"), MIGRATIONS.length);
  } else await session.run("UPDATE skillgraph_store SET format = $1", MIGRATIONS.length);
  return format === 0;
}

/** The version of the tables; 0 when there are none. */
export async function readFormat(session: Session): Promise<number> {
  const table = await session.get<{ name: string | null }>(
    "SELECT to_regclass('skillgraph_store')::text AS name",
  );
  if (table?.name == null) return 0;
  return (await session.get<{ format: number }>("SELECT format FROM skillgraph_store"))?.format ?? 0;
}

/** Lets LangGraph's saver make its tables inside our transaction. */
async function setUpShipped(session: Session, schema: string): Promise<void> {
  const query = async (text: string, values: unknown[] = []) => {
    // It would ask for the right to make schemas even when this one is there.
    if (text.startsWith("CREATE SCHEMA")) return { rows: [] };
    // It finds out by an error that there is nothing yet, which would end the transaction.
    await session.run("SAVEPOINT step");
    try {
      return { rows: await session.all(text, ...values) };
    } catch (error) {
      await session.run("ROLLBACK TO SAVEPOINT step");
      throw error;
    }
  };
  const pool = { connect: async () => ({ query, release: () => undefined }) } as unknown as pg.Pool;
  const PostgresSaver = await loadShipped();
  await new PostgresSaver(pool, undefined, { schema }).setup();
}
