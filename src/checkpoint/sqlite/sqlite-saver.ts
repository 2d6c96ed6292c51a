import { isDeepStrictEqual } from "node:util";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  getCheckpointId,
  type PendingWrite,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { carryToken, findRun, readToken, type Token } from "../fence.ts";
import { encodeValue } from "../values.ts";
import type { Database } from "./database.ts";
import { readDeltaHistory } from "./history.ts";
import { decodeMetadata, findRow, findRowByKey, readStoredTuple, type StoredTuple, toTuple } from "./rows.ts";
import { selectKeys } from "./select-keys.ts";
import { storeCheckpoint, storeWrites } from "./store.ts";
import { deleteThread } from "./threads.ts";

/**
 * Keeps LangGraph's checkpoints in one SQLite file. A channel that did not change is a reference, never a copy;
 * two loops on one thread end in `thread-conflict` for the late one; a locked file is waited for without stopping
 * the event loop. Every method throws SkillgraphError `checkpoint-unavailable` when the file cannot be used.
 */
export class SqliteSaver extends BaseCheckpointSaver {
  readonly #database: Database;
  /** What runs know of threads that they found empty: there was no config to carry a token. */
  readonly #beginnings = new WeakMap<object, Map<string, Token>>();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param database - An open database; the caller closes it.
   * @param serde - How values become text. Default: LangGraph's own JSON.
   */
  constructor(database: Database, serde?: SerializerProtocol) {
    super(serde);
    this.#database = database;
  }

  /** The checkpoint that `config` names, or the head of its thread: what was put last, not what has the newest id. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const target = toTarget(config);
    if (target === undefined) return undefined;
    const { threadId, ns, id } = target;
    const found = await this.#database.read(() => {
      const row = findRow(this.#database, threadId, ns, id);
      const line = "SELECT key AS line, stamp FROM line WHERE thread_id = ? AND ns = ?";
      return row === undefined
        ? { empty: this.#database.get<{ line: number; stamp: number }>(line, threadId, ns) }
        : { stored: readStoredTuple(this.#database, row) };
    });
    const run = findRun(config);
    if (run !== undefined) this.#rememberBeginning(run, target, found.empty, found.stored);
    if (found.stored === undefined) return undefined;
    const tuple = await toTuple(this.serde, found.stored);
    // Outside of a run only somebody who names an old checkpoint needs a token: he may fork the history there.
    const isTimeTravel = id !== undefined && found.stored.row.key !== found.stored.row.head;
    return run !== undefined || isTimeTravel ? withToken(tuple, found.stored) : tuple;
  }

  /** Checkpoints, the one that was put last first. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { limit = Number.POSITIVE_INFINITY, filter = {} } = options;
    const isFiltered = Object.keys(filter).length > 0;
    const keys = await this.#database.read(() =>
      selectKeys(this.#database, config, options.before, isFiltered ? undefined : options.limit),
    );
    let given = 0;
    for (const key of keys) {
      if (given >= limit) return;
      const stored = await this.#database.read(() => {
        const row = findRowByKey(this.#database, key);
        return row === undefined ? undefined : readStoredTuple(this.#database, row);
      });
      if (stored === undefined) continue;
      if (isFiltered && !isMatch(await decodeMetadata(this.serde, stored.row), filter)) continue;
      given += 1;
      const tuple = await toTuple(this.serde, stored);
      yield findRun(config) === undefined ? tuple : withToken(tuple, stored);
    }
  }

  /**
   * Stores a checkpoint after the one that `config` names and makes it the head.
   *
   * @throws SkillgraphError `thread-conflict` when the thread went on without the caller.
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, ns, id: parentId } = requireTarget(config);
    const token = this.#findToken(config, threadId, ns);
    // A copy of a checkpoint names no new versions, yet its parent may hold none of the copied values.
    const isCopy = metadata.source === "fork";
    const changed = Object.entries(checkpoint.channel_values).filter(
      ([channel, value]) => value !== undefined && (isCopy || Object.hasOwn(newVersions, channel)),
    );
    const encoded = Promise.all([
      encodeValue(this.serde, metadata),
      Promise.all(
        changed.map(async ([channel, value]) => [channel, await encodeValue(this.serde, value)] as const),
      ),
    ]);
    await this.#inOrder(encoded, ([encodedMetadata, values]) =>
      storeCheckpoint(this.#database, {
        threadId,
        ns,
        token,
        parentId,
        source: metadata.source,
        isRun: findRun(config) !== undefined,
        isReplay: config.configurable?.__pregel_replay_state !== undefined,
        checkpoint,
        metadata: encodedMetadata,
        values: new Map(values),
      }),
    );
    return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
  }

  /**
   * Stores what a task wrote before its checkpoint was followed by the next.
   *
   * @throws SkillgraphError `thread-conflict` when the thread went on without the caller.
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { threadId, ns, id } = requireTarget(config);
    if (id === undefined) throw new TypeError('Writes need a "checkpoint_id" in "configurable".');
    const token = this.#findToken(config, threadId, ns);
    const encoded = Promise.all(
      writes.map(async ([channel, value]) => ({ channel, value: await encodeValue(this.serde, value) })),
    );
    await this.#inOrder(encoded, (rows) =>
      storeWrites(this.#database, { threadId, ns, token, id, taskId, taskPath, rows }),
    );
  }

  /** Deletes everything of a thread; it need not be readable. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#inOrder(Promise.resolve(), () => deleteThread(this.#database, threadId));
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const target = toTarget(options.config);
    if (target === undefined || options.channels.length === 0) return {};
    return readDeltaHistory(this.#database, this.serde, target, options.channels);
  }

  /**
   * Changes are stored in the order of the calls: writes of a task that waited for a locked file must not arrive
   * after the checkpoint that follows them. Values are serialised at once, before anybody can change them.
   */
  #inOrder<Prepared>(
    prepared: Promise<Prepared>,
    store: (prepared: Prepared) => Promise<void>,
  ): Promise<void> {
    const turn = Promise.all([prepared, this.#last]).then(([value]) => store(value));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #findToken(config: RunnableConfig, threadId: string, ns: string): Token | undefined {
    const run = findRun(config);
    const beginning = run === undefined ? undefined : this.#beginnings.get(run)?.get(`${threadId}\n${ns}`);
    return beginning ?? readToken(config, threadId, ns);
  }

  #rememberBeginning(
    run: object,
    { threadId, ns }: Target,
    { line, stamp } = { line: 0, stamp: 0 },
    stored: StoredTuple | undefined,
  ): void {
    const known = this.#beginnings.get(run) ?? new Map<string, Token>();
    this.#beginnings.set(run, known);
    const name = `${threadId}\n${ns}`;
    if (stored === undefined) known.set(name, { threadId, ns, line, stamp });
    // One run reads its own beginning again; another one, with the same control, finds more than this one left.
    else if (known.get(name)?.stamp !== stored.row.stamp) known.delete(name);
  }
}

interface Target {
  threadId: string;
  ns: string;
  id: string | undefined;
}

function toTarget(config: RunnableConfig): Target | undefined {
  const { thread_id: threadId, checkpoint_ns: ns = "" } = config.configurable ?? {};
  if (threadId === undefined || threadId === null) return undefined;
  return { threadId: String(threadId), ns: String(ns), id: getCheckpointId(config) || undefined };
}

function requireTarget(config: RunnableConfig): Target {
  const target = toTarget(config);
  if (target === undefined) throw new TypeError('A checkpointer needs a "thread_id" in "configurable".');
  return target;
}

function withToken(tuple: CheckpointTuple, { row }: StoredTuple): CheckpointTuple {
  const token = { threadId: row.thread_id, ns: row.ns, line: row.line, stamp: row.stamp };
  carryToken(tuple.config.configurable ?? {}, token);
  return tuple;
}

function isMatch(metadata: CheckpointMetadata, filter: Record<string, unknown>): boolean {
  const known = new Map<string, unknown>(Object.entries(metadata));
  return Object.entries(filter).every(([name, value]) => isDeepStrictEqual(known.get(name), value));
}
