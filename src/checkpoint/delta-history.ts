import type {
  CheckpointPendingWrite,
  DeltaChannelHistory,
  SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
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
