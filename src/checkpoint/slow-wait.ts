import { channel } from "node:diagnostics_channel";

/** Where a database that is waited for is told, as {@link SlowWait}: `diagnostics_channel.subscribe(slowWaits, …)`. */
export const slowWaits = "skillgraph:checkpoint-wait";

/** A database that does not answer at once: it is locked, restarted, or out of reach. */
export interface SlowWait {
  /** The file, or host and name of the database. */
  place: string;
}

/** How long a wait may be before it is worth a word. */
const NOTICE_MS = 2_000;

const waits = channel(slowWaits);

/** Tells whoever listens when work on a database takes long. */
export async function tellWhenSlow<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  const message: SlowWait = { place };
  const timer = setTimeout(() => waits.publish(message), NOTICE_MS);
  timer.unref();
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
