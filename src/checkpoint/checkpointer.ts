import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { Leases } from "./lease.ts";
import type { ThreadIndex } from "./thread-index.ts";

/** Where threads are kept, with all that belongs to it. */
export interface Checkpointer {
  /** Goes into LangGraph's `compile({ checkpointer })`. */
  saver: BaseCheckpointSaver;
  /** One run for a thread, across processes. */
  leases: Leases;
  threads: ThreadIndex;
  /** True when the file, or the tables, were not there before. */
  isNew: boolean;
  /** Closes the file or the connections. Leases are released before. */
  close: () => Promise<void>;
}
