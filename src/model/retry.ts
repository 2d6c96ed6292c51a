import { setTimeout as wait } from "node:timers/promises";
import { isRecord } from "../skills/record.ts";
import { isConnectionFailure, isQuotaUsedUp, isTimeout, readStatus } from "./failure.ts";

/** Options of {@link callWithRetries}. */
export interface RetryOptions {
  /** Requests after the first one. */
  maxRetries: number;
  signal?: AbortSignal | undefined;
}

const firstWaitMs = 500;
const longestWaitMs = 60_000;

/**
 * Calls until it succeeds, a failure is final or the retries are used up. The only layer that retries:
 * LangChain's and the client's own are off, since two layers multiply.
 */
export async function callWithRetries<Result>(
  call: (attempt: number) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(attempt);
    } catch (error) {
      const waitMs = attempt > options.maxRetries ? undefined : decideWait(error, attempt);
      if (waitMs === undefined || options.signal?.aborted) throw error;
      await wait(waitMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  }
}

/** How long to wait before the next attempt, in milliseconds; undefined when the failure is final. */
export function decideWait(error: unknown, attempt: number): number | undefined {
  // A server that was silent for the whole time limit would be silent again: the run can be resumed instead.
  if (isTimeout(error)) return undefined;
  const status = readStatus(error);
  const advised = readHeader(error, "x-should-retry");
  const transient =
    status === undefined ? isConnectionFailure(error) : status === 408 || status === 429 || status >= 500;
  if (!transient || advised === "false") return undefined;
  const hint = readHint(error);
  // Only the code tells a quota that is used up: some hosts say "quota" in words for a limit of seconds.
  if (hint === undefined && isQuotaUsedUp(error)) return undefined;
  if (hint !== undefined) return hint <= longestWaitMs ? hint : undefined;
  return firstWaitMs * 2 ** (attempt - 1) * (1 + Math.random() / 4);
}

function readHint(error: unknown): number | undefined {
  const exact = Number.parseFloat(readHeader(error, "retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const given = readHeader(error, "retry-after")?.trim();
  if (given === undefined || given === "") return undefined;
  const seconds = Number(given);
  if (seconds >= 0) return seconds * 1000;
  const until = Date.parse(given) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

function readHeader(error: unknown, name: string): string | undefined {
  if (!isRecord(error) || !(error.headers instanceof Headers)) return undefined;
  return error.headers.get(name) ?? undefined;
}
