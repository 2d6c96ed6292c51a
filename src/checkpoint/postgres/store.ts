import { type Checkpoint, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { assertMayPut, assertMayWrite, type LineState } from "../fence.ts";
import type { NewCheckpoint, NewWrites } from "../saver-store.ts";
import type { Encoded } from "../values.ts";
import type { PostgresDatabase, Session } from "./database.ts";
import { putShipped } from "./shipped.ts";

interface Named {
  key: number;
  id: string;
  parent: number | null;
  refs: Record<string, string>;
  versions: Record<string, number | string>;
}

/** A line, locked; it was made just now when there is no state of it. */
interface LockedLine {
  key: number;
  line: LineState | undefined;
}

/** Makes the line where it is missing, and locks it until the transaction ends. */
const LOCK_LINE = `
  INSERT INTO skillgraph_line (thread_id, ns, updated_at) VALUES ($1, $2, $3)
  ON CONFLICT (thread_id, ns) DO UPDATE SET ns = excluded.ns RETURNING key, head, stamp, xmax = 0 AS is_new`;

const SELECT_NAMED = `
  SELECT c.key, c.id, c.parent, c.refs, s.checkpoint -> 'channel_versions' AS versions
  FROM skillgraph_checkpoint c JOIN checkpoints s
    ON s.thread_id = $1 AND s.checkpoint_ns = $2 AND s.checkpoint_id = c.id
  WHERE c.line = $3 AND c.id = ANY($4::text[])`;

const ADD_CHECKPOINT = `
  WITH added AS (
    INSERT INTO skillgraph_checkpoint (line, id, parent, refs) VALUES ($1, $2, $3, $4) RETURNING key)
  UPDATE skillgraph_line SET head = added.key, stamp = stamp + 1, updated_at = $5 FROM added
  WHERE skillgraph_line.key = $1 RETURNING stamp`;

const BLOB_ROWS = "unnest($3::text[], $4::text[], $5::text[], $6::bytea[]) n (channel, version, type, blob)";

const ADD_BLOBS = `
  INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
  SELECT $1, $2, n.* FROM ${BLOB_ROWS}`;

const SELECT_EQUAL = `
  SELECT b.channel FROM ${BLOB_ROWS} JOIN checkpoint_blobs b ON b.thread_id = $1 AND b.checkpoint_ns = $2
    AND b.channel = n.channel AND b.version = n.version AND b.type = n.type AND b.blob = n.blob`;

const ADD_WRITE = `
  INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)`;

const REPLACE_WRITE = "DO UPDATE SET channel = excluded.channel, type = excluded.type, blob = excluded.blob";

const ADD_TASK = `
  INSERT INTO skillgraph_task (line, id, task_id, task_path) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`;

/** Stores a checkpoint and makes it the head of its line, in one transaction. */
export async function storeCheckpoint(database: PostgresDatabase, added: NewCheckpoint): Promise<void> {
  const { threadId, ns, checkpoint, parentId, token } = added;
  const moved = await database.write(async (session) => {
    const { key: lineKey, line } = await lockLine(session, threadId, ns);
    const ids = [checkpoint.id, ...(parentId === undefined ? [] : [parentId])];
    const named =
      line === undefined ? [] : await session.all<Named>(SELECT_NAMED, threadId, ns, lineKey, ids);
    const existing = named.find(({ id }) => id === checkpoint.id);
    const parent = named.find(({ id }) => id === parentId);
    assertMayPut({
      ...added,
      line: asSeenBy(existing, line),
      parent: parent?.key,
      isTaken: existing !== undefined && existing.key !== line?.head,
    });

    const refs = await storeValues(session, added, parent);
    const config = { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: parentId } };
    await putShipped(session, database.schema, config, checkpoint, added.metadata);
    // Removed and added again: keys grow in the order of the puts.
    if (existing !== undefined) {
      await session.run("DELETE FROM skillgraph_checkpoint WHERE key = $1", existing.key);
    }
    const cells = [lineKey, checkpoint.id, parent?.key ?? null, JSON.stringify(refs), Date.now()];
    const stamp = (await session.get<{ stamp: number }>(ADD_CHECKPOINT, ...cells))?.stamp as number;
    return { line: lineKey, stamp };
  });
  if (token !== undefined) Object.assign(token, moved);
}

/** Stores what a task wrote. A task's ordinary writes are kept as they came first, its state is replaced. */
export async function storeWrites(database: PostgresDatabase, added: NewWrites): Promise<void> {
  const { threadId, ns, id, token, taskId, taskPath } = added;
  const moved = await database.write(async (session) => {
    const { key: lineKey, line } = await lockLine(session, threadId, ns);
    const find = "SELECT key, id FROM skillgraph_checkpoint WHERE line = $1 AND id = $2";
    const stored = await session.get<{ key: number; id: string }>(find, lineKey, id);
    assertMayWrite({ threadId, ns, token, line }, stored);

    if (taskPath !== "") await session.run(ADD_TASK, lineKey, id, taskId, taskPath);
    for (const [position, { channel, value }] of added.rows.entries()) {
      // A pause or an error has a place of its own, so that it never takes the place of a finished result.
      const place = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
      const rule = place === undefined ? "DO NOTHING" : REPLACE_WRITE;
      const cells = [threadId, ns, id, taskId, place ?? position, channel, value.type, toBytes(value)];
      await session.run(`${ADD_WRITE} ${rule}`, ...cells);
    }
    const touch =
      "UPDATE skillgraph_line SET stamp = stamp + 1, updated_at = $2 WHERE key = $1 RETURNING stamp";
    const stamp = (await session.get<{ stamp: number }>(touch, lineKey, Date.now()))?.stamp as number;
    return { line: lineKey, stamp };
  });
  if (token !== undefined) Object.assign(token, moved);
}

/**
 * Stores changed values; all others are taken over from the parent when it has the same version. Versions are plain
 * numbers, so two branches of a thread may use one for different values: the later one gets a name of its own.
 */
async function storeValues(
  session: Session,
  { threadId, ns, checkpoint, values }: NewCheckpoint,
  parent: Named | undefined,
): Promise<Record<string, string>> {
  const { channel_versions: versions } = checkpoint;
  const refs = new Map<string, string>();
  const changed: { channel: string; version: string; value: Encoded }[] = [];
  for (const channel of findChannels(checkpoint)) {
    const value = values.get(channel);
    const version = String(versions[channel] ?? "");
    const kept = parent?.versions[channel] === versions[channel] ? parent?.refs[channel] : undefined;
    if (value !== undefined) changed.push({ channel, version, value });
    if (value !== undefined) refs.set(channel, version);
    else if (kept !== undefined) refs.set(channel, kept);
  }

  const toCells = (rows: typeof changed) => [
    threadId,
    ns,
    rows.map(({ channel }) => channel),
    rows.map(({ version }) => version),
    rows.map(({ value }) => value.type),
    rows.map(({ value }) => toBytes(value)),
  ];
  if (changed.length === 0) return Object.fromEntries(refs);
  const count = await session.run(`${ADD_BLOBS} ON CONFLICT DO NOTHING`, ...toCells(changed));
  if (count === changed.length) return Object.fromEntries(refs);

  const equal = await session.all<{ channel: string }>(SELECT_EQUAL, ...toCells(changed));
  const known = new Set(equal.map(({ channel }) => channel));
  const other = changed
    .filter(({ channel }) => !known.has(channel))
    .map((row) => ({ ...row, version: `${row.version}/${checkpoint.id}` }));
  for (const { channel, version } of other) refs.set(channel, version);
  if (other.length > 0) {
    const replace =
      "ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO UPDATE SET type = excluded.type, blob = excluded.blob";
    await session.run(`${ADD_BLOBS} ${replace}`, ...toCells(other));
  }
  return Object.fromEntries(refs);
}

function findChannels({ channel_values: values }: Checkpoint): string[] {
  return Object.keys(values).filter((channel) => values[channel] !== undefined);
}

function toBytes({ value }: Encoded): Buffer {
  return typeof value === "string" ? Buffer.from(value, "utf8") : Buffer.from(value);
}

async function lockLine(session: Session, threadId: string, ns: string): Promise<LockedLine> {
  const row = await session.get<LineState & { is_new: boolean }>(LOCK_LINE, threadId, ns, Date.now());
  if (row === undefined) throw new TypeError("A line that was just made is gone.");
  const { key, head, stamp, is_new: isNew } = row;
  return { key, line: isNew ? undefined : { key, head, stamp } };
}

/** A checkpoint that is put once more stands where it stood: its parent counts as the head. */
function asSeenBy(existing: Named | undefined, line: LineState | undefined): LineState | undefined {
  if (existing === undefined || line === undefined || existing.key !== line.head) return line;
  return { ...line, head: existing.parent };
}
