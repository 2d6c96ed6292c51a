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
import { carryHistory, readOnce } from "./delta-history.ts";
import { findRun, readToken, type Token } from "./fence.ts";
import { assertPlain } from "./plain.ts";
import type { SaverStore, Target } from "./saver-store.ts";
import { createSerializer } from "./serializer.ts";
import { decodeMetadata, giveToken, type StoredTuple, toTuple } from "./stored-tuple.ts";
import { encodeValue } from "./values.ts";

/**
 * Keeps LangGraph's checkpoints in a database. Two loops on one thread end in `thread-conflict` for the late one.
 * Every method throws SkillgraphError `checkpoint-unavailable` when the database cannot be used.
 */
export class FencedSaver extends BaseCheckpointSaver {
  readonly #store: SaverStore;
  /** What runs know of threads that they found empty: there was no config to carry a token. */
  readonly #beginnings = new WeakMap<object, Map<string, Token>>();
  /** The tokens that runs were given last, by line. */
  readonly #tokens = new WeakMap<object, Map<string, Token>>();
  /** Runs of which a change was not stored, and why. */
  readonly #failed = new WeakMap<object, unknown>();
  /** The last change of each thread that is under way. */
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * @param store - The database.
   * @param serde - How values become text. Default: LangGraph's own JSON.
   */
  constructor(store: SaverStore, serde: SerializerProtocol = createSerializer()) {
    super(serde);
    this.#store = store;
  }

  /** The checkpoint that `config` names, or the head of its thread: what was put last, not what has the newest id. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const target = toTarget(config);
    if (target === undefined) return undefined;
    const { stored, empty } = await this.#store.findTuple(target);
    const run = findRun(config);
    if (run !== undefined) this.#rememberBeginning(run, target, empty, stored);
    if (stored === undefined) return undefined;
    const tuple = carryHistory(config, await toTuple(this.serde, stored));
    // Outside of a run only somebody who names an old checkpoint needs a token: he may fork the history there.
    const isTimeTravel = target.id !== undefined && stored.row.key !== stored.row.head;
    if (run === undefined && !isTimeTravel) return tuple;
    const token = giveToken(tuple, stored);
    const name = `${token.threadId}\n${token.ns}`;
    if (run !== undefined) this.#tokens.set(run, new Map(this.#tokens.get(run)).set(name, token));
    return tuple;
  }

  /** Checkpoints, the one that was put last first. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { limit = Number.POSITIVE_INFINITY, filter = {} } = options;
    const isFiltered = Object.keys(filter).length > 0;
    const most = isFiltered ? undefined : options.limit;
    const keys = await this.#store.selectKeys(config, options.before, most);
    let given = 0;
    for (const key of keys) {
      if (given >= limit) return;
      const stored = await this.#store.readTuple(key);
      if (stored === undefined) continue;
      if (isFiltered && !isMatch(await decodeMetadata(this.serde, stored.row), filter)) continue;
      given += 1;
      const tuple = await toTuple(this.serde, stored);
      if (findRun(config) !== undefined) giveToken(tuple, stored);
      yield tuple;
    }
  }

  /**
   * Stores a checkpoint after the one that `config` names and makes it the head.
   *
   * @throws SkillgraphError `thread-conflict` when the thread went on without the caller, `state-not-plain` when a
   * value is no plain JSON
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
    for (const [channel, value] of changed) assertPlain(channel, value);
    const encoded = Promise.all([
      encodeValue(this.serde, metadata),
      Promise.all(
        changed.map(async ([channel, value]) => [channel, await encodeValue(this.serde, value)] as const),
      ),
    ]);
    await this.#inOrder(config, encoded, ([encodedMetadata, values]) =>
      this.#store.storeCheckpoint({
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
   * @throws SkillgraphError `thread-conflict` when the thread went on without the caller, `state-not-plain` when a
   * value is no plain JSON
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { threadId, ns, id } = requireTarget(config);
    if (id === undefined) throw new TypeError('Writes need a "checkpoint_id" in "configurable".');
    for (const [channel, value] of writes) assertPlain(channel, value);
    // What is run inside of a run may write beside it: with the same token, so that both may go on.
    const beside = this.#tokens.get(findRun(config) ?? this)?.get(`${threadId}\n${ns}`);
    const token = this.#findToken(config, threadId, ns) ?? beside;
    const encoded = Promise.all(
      writes.map(async ([channel, value]) => ({ channel, value: await encodeValue(this.serde, value) })),
    );
    await this.#inOrder(config, encoded, (rows) =>
      this.#store.storeWrites({ threadId, ns, token, id, taskId, taskPath, rows }),
    );
  }

  /** Deletes everything of a thread; it need not be readable. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#inOrder(onThread(threadId), Promise.resolve(), () => this.#store.deleteThread(threadId));
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const target = toTarget(options.config);
    if (target === undefined || options.channels.length === 0) return {};
    const read = () => this.#store.readDeltaHistory(this.serde, target, options.channels);
    return readOnce(options, target, read);
  }

  /**
   * Changes of a thread are stored in the order of the calls: writes of a task that waited for a locked database must
   * not arrive after the checkpoint that follows them. Values are serialised at once, before anybody can change them.
   */
  #inOrder<Prepared>(
    config: RunnableConfig,
    prepared: Promise<Prepared>,
    store: (prepared: Prepared) => Promise<void>,
  ): Promise<void> {
    const threadId = String(config.configurable?.thread_id);
    const turn = Promise.all([prepared, this.#last.get(threadId)]).then(([value]) =>
      this.#storeUnlessFailed(findRun(config), () => store(value)),
    );
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(threadId, ended);
    void ended.then(() => {
      if (this.#last.get(threadId) === ended) this.#last.delete(threadId);
    });
    return turn;
  }

  /**
   * A run that lost a change is out: it must not win a subgraph of a thread that it lost, since then the other one would
   * lose, too; and what still waits for its turn must not arrive when the thread has gone on.
   */
  async #storeUnlessFailed(run: object | undefined, store: () => Promise<void>): Promise<void> {
    if (run !== undefined && this.#failed.has(run)) throw this.#failed.get(run);
    try {
      await store();
    } catch (error) {
      if (run !== undefined) this.#failed.set(run, error);
      throw error;
    }
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

function toTarget(config: RunnableConfig): Target | undefined {
  const { thread_id: threadId, checkpoint_ns: ns = "" } = config.configurable ?? {};
  if (threadId === undefined || threadId === null) return undefined;
  return { threadId: String(threadId), ns: String(ns), id: getCheckpointId(config) || undefined };
}

function onThread(threadId: string): RunnableConfig {
  return { configurable: { thread_id: threadId } };
}

function requireTarget(config: RunnableConfig): Target {
  const target = toTarget(config);
  if (target === undefined) throw new TypeError('A checkpointer needs a "thread_id" in "configurable".');
  return target;
}

function isMatch(metadata: CheckpointMetadata, filter: Record<string, unknown>): boolean {
  const known = new Map<string, unknown>(Object.entries(metadata));
  return Object.entries(filter).every(([name, value]) => isDeepStrictEqual(known.get(name), value));
}
