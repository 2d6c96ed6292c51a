/** A kept thread. */
export interface ThreadEntry {
  threadId: string;
  /** When it last changed, ISO 8601. */
  updatedAt: string;
  /** Its newest checkpoint. */
  checkpointId: string;
}

/** How much is kept. */
export interface StoreSize {
  /** What is in use, without the room that is free for the next thread. */
  bytes: number;
  threads: number;
  checkpoints: number;
}

/** What is known about threads without reading their state, so that a broken thread can be listed and deleted. */
export interface ThreadIndex {
  /** All threads; the one that changed last comes first, by the order of changes and not by the clock. */
  listThreads: () => Promise<ThreadEntry[]>;
  hasThread: (threadId: string) => Promise<boolean>;
  /** Ids that start with `prefix`, in the order of `listThreads`. */
  findThreads: (prefix: string) => Promise<string[]>;
  /** Deletes everything of a thread and frees its room. Not an error when there is no such thread. */
  deleteThread: (threadId: string) => Promise<void>;
  /** Facts about a thread that are not state, such as the name a person gave it. */
  getThreadInfo: (threadId: string) => Promise<Record<string, string>>;
  /** Sets the given facts and keeps the others. */
  setThreadInfo: (threadId: string, info: Record<string, string>) => Promise<void>;
  readSize: () => Promise<StoreSize>;
  /** A random name that the store was given when it was made; 32 hexadecimal digits. */
  readStoreId: () => Promise<string>;
}

/** A thread as the databases keep it. */
export interface ThreadRow {
  thread_id: string;
  /** Milliseconds since 1970. */
  updated_at: number;
  /** Of its newest checkpoint. */
  id: string;
}

export function toEntry(row: ThreadRow): ThreadEntry {
  return {
    threadId: row.thread_id,
    updatedAt: new Date(row.updated_at).toISOString(),
    checkpointId: row.id,
  };
}
