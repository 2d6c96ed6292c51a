import { setTimeout as delay } from "node:timers/promises";
import type { BusyOptions } from "../busy-options.ts";
import { tellWhenSlow } from "../slow-wait.ts";
import { createUnavailable } from "../unavailable.ts";
import { isBusy } from "./faults.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;

type WaitOptions = BusyOptions & { signal?: AbortSignal };

/**
 * Runs a short piece of database work and tries again while another process holds the file. SQLite's own wait
 * would stop the whole program, so it is switched off and the pauses are made here.
 *
 * @param file - Named in the error.
 * @param attempt - Must leave nothing behind when it throws.
 * @throws SkillgraphError `checkpoint-unavailable` when the file stays locked; the signal's reason when aborted.
 */
export async function whenFree<T>(file: string, attempt: () => T, options: WaitOptions = {}): Promise<T> {
  options.signal?.throwIfAborted();
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  return tellWhenSlow(file, () => tryOften(file, attempt, options));
}

async function tryOften<T>(
  file: string,
  attempt: () => T,
  { busyTimeoutMs = 30_000, signal }: WaitOptions,
): Promise<T> {
  // A clock that is set back or forward must neither prolong nor cut the wait.
  const giveUpAt = performance.now() + busyTimeoutMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= giveUpAt) {
        const waited = `waited ${busyTimeoutMs / 1000} s`;
        throw createUnavailable(file, `the file is locked by another process (${waited})`, error);
      }
    }
    // Two processes that wait for each other's file in step would go on colliding.
    await delay(pause * (0.5 + Math.random() / 2), undefined, signal === undefined ? {} : { signal });
  }
}
