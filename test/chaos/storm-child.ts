// One of the processes of the storm. Arguments: folder, home, store, its number, seed, seconds, threads by comma.
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import {
  closeAgent,
  createSkillAgent,
  forkThread,
  listThreads,
  type ReviewReply,
  type RuntimeEvent,
  readHistory,
  readThread,
  resumeThread,
  SkillgraphError,
  startThread,
} from "../../src/index.ts";
import { createRandom } from "./kill.ts";
import { StormModel } from "./storm-model.ts";

const [folder = "", home = "", store = "", number = "0", seed = "1", seconds = "1"] = process.argv.slice(2);
const random = createRandom(Number(seed) * 1_000 + Number(number));
/** Also on a busy machine each process does so much. */
const MIN_ACTS = 10;
/** What may come of another process being faster. With leases nobody gets as far as `thread-conflict`. */
const EXPECTED = ["thread-busy", "nothing-pending", "request-unknown", "checkpoint-unknown"];

const agent = await createSkillAgent({
  cwd: folder,
  environment: { PATH: process.env.PATH, HOME: home },
  model: new StormModel(random),
  tools: [createMarkTool()],
  permissions: { allow: ["mark"] },
  trust: true,
  sandbox: "off",
  ...(store === "" ? {} : { checkpoint: store }),
});

const acts: [upTo: number, name: string, act: (thread: string) => Promise<void>][] = [
  [38, "start", (thread) => follow(startThread(agent, `Task ${randomUUID()}`, { thread }))],
  [80, "answer", answerWhatWaits],
  [88, "fork", fork],
  [96, "read", async (thread) => void (await readThread(agent, thread))],
  [100, "list", async () => void (await listThreads(agent))],
];

const until = performance.now() + Number(seconds) * 1_000;
for (let done = 0; performance.now() < until || done < MIN_ACTS; done += 1) {
  const threads = readLines("threads");
  // Some threads are wanted more than others, so that runs meet.
  const thread = threads[Math.floor(random() ** 3 * threads.length)] ?? "";
  const place = random() * 100;
  const [, name, act] = acts.find(([upTo]) => place < upTo) ?? acts[0]!;
  try {
    await act(thread);
    note("acts", `${name} done`);
  } catch (error) {
    if (!(error instanceof SkillgraphError) || !EXPECTED.includes(error.code)) throw error;
    note("acts", `${name} ${error.code}`);
  }
}
await closeAgent(agent);

/** Says that it began, takes a moment, and says that it ended: two runs of one thread must never do so at once. */
function createMarkTool() {
  return tool(
    async (_input, config) => {
      const thread = String(config.configurable?.thread_id);
      const id = randomUUID();
      note("marks", `${thread} begin ${id}`);
      await wait(20 + random() * 130);
      note("marks", `${thread} end ${id}`);
      return "marked";
    },
    { name: "mark", description: "Marks.", schema: z.object({}) },
  );
}

async function answerWhatWaits(thread: string): Promise<void> {
  const { request } = await readThread(agent, thread);
  const [item] = request?.items ?? [];
  if (!request || !item) return follow(startThread(agent, `Task ${randomUUID()}`, { thread }));
  const word = `answer ${randomUUID()}`;
  const reply: ReviewReply =
    item.kind === "stage" && random() < 0.1 && item.back?.[0] !== undefined
      ? { goto: item.back[0] }
      : item.kind === "question"
        ? { decisions: request.items.map(() => ({ type: "respond" as const, value: word })) }
        : { decisions: request.items.map(() => ({ type: "reject" as const, message: word })) };
  const run = resumeThread(agent, thread, { reply, request: request.id });
  let isTaken = false;
  try {
    await follow(run);
    isTaken = !("goto" in (reply as object));
  } finally {
    // Refused answers are noted, too: they must have changed nothing.
    note("answers", `${thread} ${isTaken ? "taken" : "refused"} ${word.slice(7)}`);
  }
}

async function fork(thread: string): Promise<void> {
  const history = await readHistory(agent, thread);
  const entry = history[Math.floor(random() * history.length)];
  if (!entry) return;
  note("forks", await forkThread(agent, thread, entry.checkpoint));
}

async function follow(run: AsyncIterable<RuntimeEvent>): Promise<void> {
  for await (const event of run) {
    if (event.type !== "run-end" || event.status !== "failed") continue;
    throw new SkillgraphError(event.error?.code as "thread-conflict", event.error?.message ?? "");
  }
}

/** One line is one write, so lines of several processes do not mix. */
function note(file: string, line: string): void {
  appendFileSync(join(folder, file), `${line}\n`);
}

function readLines(file: string): string[] {
  return readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
}
