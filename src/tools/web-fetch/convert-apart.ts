import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { convertPage, type MarkdownPage } from "./convert-page.ts";

const HEAP_MB = 256;

/** Runs in the worker. The bundler names functions with a helper that is not there. */
const SOURCE = `
const __name = (value) => value;
const { parentPort, workerData } = require("node:worker_threads");
const { createRequire } = require("node:module");
const load = createRequire(workerData.converter);
const { parse } = load("node-html-parser");
const { NodeHtmlMarkdown } = load(workerData.converter);
const raw = { lowerCaseTagName: true, blockTextElements: { script: false, style: false } };
const convertPage = ${convertPage.toString()};
const page = convertPage(
  workerData.html,
  workerData.url,
  (html) => parse(html, raw),
  (html) => NodeHtmlMarkdown.translate(html),
);
parentPort.postMessage(page);
`;

/**
 * Turns a page into Markdown in a thread of its own, within bounds of time and memory: a page can be built so that
 * the conversion never ends, and the program must not wait for it.
 *
 * @returns the page, or why there is none.
 * @throws the signal's reason.
 */
export function convertApart(
  html: string,
  url: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<MarkdownPage | { fault: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(SOURCE, {
      eval: true,
      env: {},
      execArgv: [],
      workerData: { html, url, converter: createRequire(import.meta.url).resolve("node-html-markdown") },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 },
    });
    let isEnded = false;
    const end = (settle: () => void) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // Settled when the thread has gone, so that none is left behind.
      worker.terminate().then(settle, settle);
    };
    const timer = setTimeout(() => end(() => resolve({ fault: "it took too long" })), timeoutMs);
    const stop = () => end(() => reject(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    worker.once("message", (page: MarkdownPage) => end(() => resolve(page)));
    worker.once("error", () => end(() => resolve({ fault: "its structure is too large" })));
    worker.once("exit", () => end(() => resolve({ fault: "it could not be read" })));
  });
}
