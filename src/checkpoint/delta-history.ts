import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type DeltaChannelHistory,
  DeltaSnapshot,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { Target } from "./saver-store.ts";
import { type StoredWrite, toPendingWrite } from "./stored-tuple.ts";
import { decodeValue, type StoredValue } from "./values.ts";

/** What the ancestors of a checkpoint hold of its delta channels, not yet deserialised. */
export interface StoredHistory {
  /** Names the checkpoint, for the error. */
  place: string;
  /** All writes since the seeds, oldest first. */
  writes: StoredWrite[];
  /** For each channel the nearest stored value. */
  seeds: StoredValue[];
}

/**
 * Turns stored writes and seeds into what LangGraph rebuilds delta channels from.
 *
 * @param found - Undefined when there is no such checkpoint: then nothing was written.
 */
export async function toDeltaHistory(
  serde: SerializerProtocol,
  names: readonly string[],
  found: StoredHistory | undefined,
): Promise<Record<string, DeltaChannelHistory>> {
  const histories = new Map<string, { writes: CheckpointPendingWrite[]; seed?: unknown }>(
    names.map((name) => [name, { writes: [] }]),
  );
  const { place = "", writes = [], seeds = [] } = found ?? {};
  const loaded = await Promise.all(writes.map((write) => toPendingWrite(serde, write, place)));
  for (const write of loaded) histories.get(write[1])?.writes.push(write);
  for (const seed of seeds) {
    const history = histories.get(seed.channel);
    if (history !== undefined) history.seed = await decodeValue(serde, seed, place);
  }
  return Object.fromEntries(histories);
}

/** Where a config carries what is known of a history. A leading `__` keeps a key out of checkpoint metadata. */
export const HISTORY_KEY = "__skillgraph_history";

type Histories = Record<string, DeltaChannelHistory>;

/**
 * What the reads of one run share, so that the history of a long thread is read once. What a checkpoint says of delta
 * channels never changes: only the newest one takes writes, and no other is given its id. It is for the config of
 * one run alone, since its reads get the same messages, which somebody else might change in place.
 */
export class KnownHistory {
  readonly #known = new Map<string, Histories>();

  /** Notes the values of channels at a checkpoint that the run put, which is the newest one now. */
  keepValues(target: Target, values: Record<string, unknown>): void {
    const histories: Histories = {};
    for (const [channel, value] of Object.entries(values)) {
      if (value !== undefined) histories[channel] = { seed: new DeltaSnapshot(value), writes: [] };
    }
    // What came before is not asked for again, and each state of a long thread has a list of its messages.
    this.#known.clear();
    this.#known.set(toKey(target), histories);
  }

  /** What is known of these channels; it is read first where something of it is not. */
  async find(target: Target, names: readonly string[], read: () => Promise<Histories>): Promise<Histories> {
    const key = toKey(target);
    const known = new Map(Object.entries(this.#known.get(key) ?? {}));
    const isWhole = names.every((name) => known.has(name));
    const histories = isWhole ? Object.fromEntries(known) : await read();
    if (!isWhole) this.#known.set(key, histories);
    return Object.fromEntries(Object.entries(histories).filter(([name]) => names.includes(name)));
  }
}

/** Reads a history, or takes it from what the config carries. */
export function readOnce(
  { config, channels }: { config: RunnableConfig; channels: readonly string[] },
  target: Target,
  read: () => Promise<Histories>,
): Promise<Histories> {
  const history: unknown = config.configurable?.[HISTORY_KEY];
  // Without an id it is the newest checkpoint, whichever that is by then.
  const isKept = history instanceof KnownHistory && target.id !== undefined;
  return isKept ? history.find(target, channels, read) : read();
}

/** Lets what was read under a config carry on what that config carries. */
export function carryHistory(config: RunnableConfig, tuple: CheckpointTuple): CheckpointTuple {
  const history: unknown = config.configurable?.[HISTORY_KEY];
  if (history instanceof KnownHistory)
    Object.assign(tuple.config.configurable ?? {}, { [HISTORY_KEY]: history });
  return tuple;
}

function toKey({ threadId, ns, id }: Target): string {
  return `${threadId}\n${ns}\n${id}`;
}
