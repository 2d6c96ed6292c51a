import { type Checkpoint, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { assertMayPut, assertMayWrite, type LineState } from "../fence.ts";
import type { NewCheckpoint, NewWrites } from "../saver-store.ts";
import { type Body, parseBody } from "../stored-tuple.ts";
import { storeBlob, storeText } from "./blob.ts";
import type { Database } from "./database.ts";
import { toWhole } from "./rows.ts";
import { toShaped } from "./shape.ts";

interface Named {
  key: number;
  id: string;
  parent: number | null;
  body: string | null;
  shape: string | null;
  refs: string | null;
}

const INSERT_CHECKPOINT = `
  INSERT INTO checkpoint (line, id, parent, shape, body, refs, metadata_type, metadata)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING key`;

const INSERT_WRITE = `
  INSERT INTO pending (checkpoint, task_id, idx, task_path, channel, blob) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (checkpoint, task_id, idx)`;

/** Stores a checkpoint and makes it the head of its line, in one transaction. */
export async function storeCheckpoint(database: Database, added: NewCheckpoint): Promise<void> {
  const { threadId, ns, checkpoint, parentId, token } = added;
  const moved = await database.write(() => {
    const line = findLine(database, threadId, ns);
    const existing = line === undefined ? undefined : findNamed(database, line.key, checkpoint.id);
    const parent =
      line === undefined || parentId === undefined ? undefined : findNamed(database, line.key, parentId);
    const isStored = parent !== undefined && parent.body !== null;
    assertMayPut({
      ...added,
      line: asSeenBy(existing, line),
      parent: isStored ? parent.key : undefined,
      isTaken: existing !== undefined && existing.body !== null && existing.key !== line?.head,
    });

    const lineKey = line?.key ?? addLine(database, threadId, ns);
    const refs = toRefs(database, lineKey, added, parent);
    const isText = added.metadata.type === "json" && typeof added.metadata.value === "string";
    const { shape, fill } = toShaped([
      toBody(checkpoint),
      ...(isText ? [JSON.parse(added.metadata.value as string)] : []),
    ]);
    // Removed and added again: keys grow in the order of the puts, and a mere name was given its key too early.
    if (existing !== undefined) database.run("DELETE FROM checkpoint WHERE key = ?", existing.key);
    const key = database.get<{ key: number }>(
      INSERT_CHECKPOINT,
      lineKey,
      checkpoint.id,
      parent?.key ?? null,
      storeText(database, lineKey, "shape", shape),
      fill,
      JSON.stringify(refs),
      added.metadata.type,
      isText ? null : added.metadata.value,
    )?.key as number;
    if (existing !== undefined) {
      database.run("UPDATE pending SET checkpoint = ? WHERE checkpoint = ?", key, existing.key);
    }
    return touch(database, lineKey, key);
  });
  if (token !== undefined) Object.assign(token, moved);
}

/** Stores what a task wrote. A task's ordinary writes are kept as they came first, its state is replaced. */
export async function storeWrites(database: Database, added: NewWrites): Promise<void> {
  const { threadId, ns, id, token } = added;
  const moved = await database.write(() => {
    const line = findLine(database, threadId, ns);
    const named = line === undefined ? undefined : findNamed(database, line.key, id);
    assertMayWrite({ threadId, ns, token, line }, named?.body == null ? undefined : named);

    const lineKey = line?.key ?? addLine(database, threadId, ns);
    const checkpoint = named?.key ?? addName(database, lineKey, id);
    for (const [position, { channel, value }] of added.rows.entries()) {
      // A pause or an error has a place of its own, so that it never takes the place of a finished result.
      const place = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
      const rule = place === undefined ? "DO NOTHING" : "DO UPDATE SET blob = excluded.blob";
      const blob = storeBlob(database, lineKey, value);
      const cells = [checkpoint, added.taskId, place ?? position, added.taskPath, channel, blob] as const;
      database.run(`${INSERT_WRITE} ${rule}`, ...cells);
    }
    return touch(database, lineKey, line?.head ?? null);
  });
  if (token !== undefined) Object.assign(token, moved);
}

/** Changed values are stored, all others are taken over from the parent when it has the same version. */
function toRefs(
  database: Database,
  line: number,
  { checkpoint, values, threadId }: NewCheckpoint,
  parent: Named | undefined,
): Record<string, number> {
  const known = new Map<string, number>(Object.entries(JSON.parse(parent?.refs ?? "{}")));
  const versions =
    parent?.body == null
      ? {}
      : parseBody(toWhole({ ...parent, body: parent.body, thread_id: threadId })).channel_versions;
  const refs = new Map<string, number>();
  for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
    if (value === undefined) continue;
    const encoded = values.get(channel);
    const kept = versions[channel] === checkpoint.channel_versions[channel] ? known.get(channel) : undefined;
    if (encoded !== undefined) refs.set(channel, storeBlob(database, line, encoded));
    else if (kept !== undefined) refs.set(channel, kept);
  }
  return Object.fromEntries(refs);
}

function toBody({ id: _id, channel_values: _values, ...body }: Checkpoint): Body {
  return body;
}

/** A checkpoint that is put once more stands where it stood: its parent counts as the head. */
function asSeenBy(existing: Named | undefined, line: LineState | undefined): LineState | undefined {
  if (existing?.body == null || line === undefined || existing.key !== line.head) return line;
  return { ...line, head: existing.parent };
}

function findLine(database: Database, threadId: string, ns: string): LineState | undefined {
  return database.get("SELECT key, head, stamp FROM line WHERE thread_id = ? AND ns = ?", threadId, ns);
}

function findNamed(database: Database, line: number, id: string): Named | undefined {
  const sql = `SELECT c.key, c.id, c.parent, c.body, s.value AS shape, c.refs
    FROM checkpoint c LEFT JOIN blob s ON s.key = c.shape WHERE c.line = ? AND c.id = ?`;
  return database.get(sql, line, id);
}

function addLine(database: Database, threadId: string, ns: string): number {
  const sql = "INSERT INTO line (thread_id, ns, updated_at) VALUES (?, ?, ?) RETURNING key";
  return database.get<{ key: number }>(sql, threadId, ns, Date.now())?.key as number;
}

function addName(database: Database, line: number, id: string): number {
  const sql = "INSERT INTO checkpoint (line, id) VALUES (?, ?) RETURNING key";
  return database.get<{ key: number }>(sql, line, id)?.key as number;
}

function touch(database: Database, line: number, head: number | null): { line: number; stamp: number } {
  const sql = "UPDATE line SET head = ?, stamp = stamp + 1, updated_at = ? WHERE key = ? RETURNING stamp";
  return { line, stamp: database.get<{ stamp: number }>(sql, head, Date.now(), line)?.stamp as number };
}
