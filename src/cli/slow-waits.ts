import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type SlowWait, slowWaits } from "../checkpoint/slow-wait.ts";
import { toSafeLine } from "./safe-text.ts";

/** One wait has many parts, each of which tells of itself. */
const QUIET_MS = 30_000;
const MAX_LENGTH = 300;

/**
 * Says on standard error that a database is waited for, since nothing else moves meanwhile.
 *
 * @returns ends it
 */
export function watchSlowWaits(write: (text: string) => void): () => void {
  let quietUntil = 0;
  const tell = (message: unknown) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    write(`${toSafeLine(`Waiting for the checkpoints in "${(message as SlowWait).place}" …`, MAX_LENGTH)}\n`);
  };
  subscribe(slowWaits, tell);
  return () => void unsubscribe(slowWaits, tell);
}
