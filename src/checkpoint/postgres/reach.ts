import type pg from "pg";
import { isLost } from "./faults.ts";

const PROBE_MS = 2_000;

/** Whether the server answers, as far as this process knows. */
export interface Reach {
  /**
   * Waits for the answer to a statement. When it does not come for as long as a lock is waited for, the server is asked
   * on a new connection: the answer is given up when it is silent there, too.
   */
  listen: <T>(answer: Promise<T>) => Promise<T>;
  /** Remembers that the server was waited for in vain. */
  giveUp: (error: unknown) => void;
  /** Remembers that the server answered. */
  restore: () => void;
  /**
   * Why nothing should be tried now: the server was waited for in vain a short while ago, and is still silent. Undefined
   * when it may be tried.
   */
  findFault: () => Promise<unknown>;
}

/**
 * Remembers for one database whether its server can be reached, so that only the first statement waits for one that is gone.
 *
 * @param connectOnce - Makes a connection within the given milliseconds and closes it.
 * @param patienceMs - How long the server is waited for, and how long it then counts as gone.
 */
export function createReach(connectOnce: (withinMs: number) => Promise<void>, patienceMs: number): Reach {
  let gone: { error: unknown; since: number } | undefined;
  let probing: Promise<boolean> | undefined;

  const probe = () => {
    probing ??= connectOnce(Math.min(PROBE_MS, patienceMs))
      .then(
        () => true,
        // A refusal is an answer.
        (error: unknown) => !isLost(error),
      )
      .finally(() => {
        probing = undefined;
      });
    return probing;
  };

  const reach: Reach = {
    async listen(answer) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        const ask = async () => {
          if (await probe()) return;
          const error = new Error("read timeout");
          reach.giveUp(error);
          reject(error);
        };
        timer = setTimeout(() => void ask(), patienceMs);
      });
      try {
        return await Promise.race([answer, silence]);
      } finally {
        clearTimeout(timer);
      }
    },
    giveUp(error) {
      gone = { error, since: performance.now() };
    },
    restore() {
      gone = undefined;
    },
    async findFault() {
      // One that is slow to connect to would never be found by the probe alone.
      if (gone === undefined || performance.now() - gone.since >= patienceMs) return undefined;
      const { error } = gone;
      if (!(await probe())) return error;
      reach.restore();
      return undefined;
    },
  };
  return reach;
}

/** Connects to a server and lets go of it again. */
export async function connectOnce(driver: typeof pg, url: string, withinMs: number): Promise<void> {
  const client = new driver.Client({
    connectionString: url,
    application_name: "skillgraph",
    connectionTimeoutMillis: withinMs,
  });
  // What happens to a connection that nobody uses any more need not be known.
  const ignore = () => undefined;
  client.on("error", ignore);
  try {
    await client.connect();
  } finally {
    void client.end().catch(ignore);
  }
}
