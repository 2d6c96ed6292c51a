import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, DeltaChannelHistory, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Change, PutChange } from "./fence.ts";
import type { StoredTuple } from "./stored-tuple.ts";
import type { Encoded } from "./values.ts";

/** Names a checkpoint, or the head of a line when there is no id. */
export interface Target {
  threadId: string;
  ns: string;
  id: string | undefined;
}

/** What was found of a target: the checkpoint, or what is known of the line without it. */
export interface Found {
  stored?: StoredTuple | undefined;
  empty?: { line: number; stamp: number } | undefined;
}

/** A checkpoint to store, its changed values serialised. */
export interface NewCheckpoint extends Omit<PutChange, "line" | "parent" | "isTaken"> {
  checkpoint: Checkpoint;
  metadata: Encoded;
  values: ReadonlyMap<string, Encoded>;
}

/** What a task wrote, serialised. */
export interface NewWrites extends Omit<Change, "line"> {
  id: string;
  taskId: string;
  taskPath: string;
  rows: readonly { channel: string; value: Encoded }[];
}

/** What a database does for a saver. Each change is one transaction that asks the fence. */
export interface SaverStore {
  findTuple: (target: Target) => Promise<Found>;
  /** The keys of the checkpoints that a listing asks for, the newest put first. */
  selectKeys: (
    config: RunnableConfig,
    before: RunnableConfig | undefined,
    limit: number | undefined,
  ) => Promise<number[]>;
  /** The checkpoint with this key; undefined when it is gone. */
  readTuple: (key: number) => Promise<StoredTuple | undefined>;
  storeCheckpoint: (added: NewCheckpoint) => Promise<void>;
  storeWrites: (added: NewWrites) => Promise<void>;
  deleteThread: (threadId: string) => Promise<void>;
  readDeltaHistory: (
    serde: SerializerProtocol,
    target: Target,
    channels: readonly string[],
  ) => Promise<Record<string, DeltaChannelHistory>>;
}
