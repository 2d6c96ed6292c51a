import { Worker } from "node:worker_threads";

/** One line that matches. */
export interface LineMatch {
  /** One-based. */
  line: number;
  text: string;
}

/** A regular expression at work in a thread of its own, so that a bad one can be stopped. */
export interface LineSearch {
  /** Matching lines of a text; undefined when the time is used up. The search is over then. */
  search(text: string): Promise<LineMatch[] | undefined>;
  close(): Promise<void>;
}

/** Plain text because a bundle has no second file to start; it keeps lines short around the match. */
const WORKER = `
const { parentPort, workerData } = require("node:worker_threads");
const expression = new RegExp(workerData.source, workerData.flags);
const shorten = (line, at) => {
  if (line.length <= workerData.width) return line;
  const start = Math.max(0, Math.min(at - workerData.width / 4, line.length - workerData.width));
  const end = start + workerData.width;
  return (start > 0 ? "…" : "") + line.slice(start, end) + (end < line.length ? "…" : "");
};
parentPort.on("message", (text) => {
  const found = [];
  const lines = text.split("\\n");
  for (let index = 0; index < lines.length && found.length < workerData.most; index += 1) {
    const line = lines[index].endsWith("\\r") ? lines[index].slice(0, -1) : lines[index];
    if (index === lines.length - 1 && line === "") break;
    const at = line.search(expression);
    if (at !== -1) found.push({ line: index + 1, text: shorten(line, at) });
  }
  parentPort.postMessage(found);
});
`;

/**
 * Starts a search. Some expressions take time that grows without bound on a harmless line, and JavaScript cannot
 * interrupt them, but a thread can be ended.
 *
 * @param expression - Matched against each line alone.
 * @param options - `budgetMs`: milliseconds for all texts together. `most`: matches of one text at most.
 *   `width`: characters of a line that are kept.
 */
export function createLineSearch(
  expression: RegExp,
  options: { budgetMs: number; most: number; width: number },
): LineSearch {
  const { source, flags } = expression;
  const worker = new Worker(WORKER, { eval: true, env: {}, workerData: { source, flags, ...options } });
  let left = options.budgetMs;
  return {
    search: async (text) => {
      const started = Date.now();
      const found = await ask(worker, text, left);
      left -= Date.now() - started;
      return found;
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

function ask(worker: Worker, text: string, waitMs: number): Promise<LineMatch[] | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError);
      finish();
    };
    const onMessage = (found: LineMatch[]) => settle(() => resolve(found));
    const onError = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(() => settle(() => resolve(undefined)), Math.max(0, waitMs));
    worker.on("message", onMessage).on("error", onError);
    worker.postMessage(text);
  });
}
