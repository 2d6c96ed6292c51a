import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { z } from "zod";
import {
  closeAgent,
  createSkillAgent,
  listThreads,
  type ReviewItem,
  type ReviewReply,
  resumeThread,
  type SkillAgent,
  startThread,
} from "../../src/index.ts";
import { readEffects, readText, type Scene } from "./scene.ts";
import { ShipModel } from "./ship-model.ts";

/** How a run is disturbed. */
export interface Disturbance {
  /** Milliseconds by which each write of the saver is late. */
  delayMs: number;
  /** Called at every place where the process may end: `put:3:before`, `effect:p1:middle`, `event:tool-start:2`. */
  reach: (place: string) => void;
}

/** What is kept in the end, without what differs from run to run. */
export interface Outcome {
  state: string;
  effects: string[];
  /** Calls of which a person was asked whether they happened. */
  asked: string[];
}

/** A place that keeps threads: a URL, or nothing for the file of the scene. */
export interface PlayOptions extends Disturbance {
  scene: Pick<Scene, "folder" | "home">;
  checkpoint?: string | undefined;
}

const MAX_RUNS = 40;
/** Watched places: what a tool does begins and ends there, and each of these follows a write. */
const WATCHED = new Set(["tool-start", "tool-end", "model-end", "stage-start", "review-closed"]);

/** Works a thread to its end, from wherever it was left, and answers what is asked. */
export async function play(options: PlayOptions): Promise<Outcome> {
  const agent = await openAgent(options);
  try {
    let thread = (await listThreads(agent))[0]?.thread;
    const counts = new Map<string, number>();
    if (thread !== undefined && (await readStatus(agent, thread)) === "finished")
      return await readOutcome(agent, thread, options);
    for (let runs = 0; runs < MAX_RUNS; runs += 1) {
      const run =
        thread === undefined
          ? startThread(agent, "/ship")
          : resumeThread(agent, thread, await answer(agent, thread, options));
      let status = "";
      for await (const event of run) {
        if (event.type === "run-start") thread = event.thread;
        if (event.type === "run-end") status = event.status;
        if (event.type === "run-end" && event.status === "failed")
          throw new Error(JSON.stringify(event.error));
        if (!WATCHED.has(event.type)) continue;
        counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
        options.reach(`event:${event.type}:${counts.get(event.type)}`);
      }
      if (status === "finished" && thread !== undefined) return await readOutcome(agent, thread, options);
    }
    throw new Error("The wizard did not come to its end.");
  } finally {
    await closeAgent(agent);
  }
}

async function openAgent(options: PlayOptions): Promise<SkillAgent> {
  const { scene, checkpoint } = options;
  const agent = await createSkillAgent({
    cwd: scene.folder,
    environment: { PATH: process.env.PATH, HOME: scene.home, LANG: "C.UTF-8" },
    model: new ShipModel(),
    tools: [createPayTool(options)],
    permissions: { allow: ["Write", "Edit", "Bash(bash effect.sh:*)", "pay"] },
    trust: true,
    sandbox: "off",
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
  disturb(agent.checkpointer as BaseCheckpointSaver, options);
  return agent;
}

/** Each write comes late, and the process may end before and after it. */
function disturb(saver: BaseCheckpointSaver, { delayMs, reach }: Disturbance): void {
  const put = saver.put.bind(saver);
  const putWrites = saver.putWrites.bind(saver);
  const counts = { put: 0, writes: 0 };
  const around = async <Result>(kind: "put" | "writes", store: () => Promise<Result>): Promise<Result> => {
    counts[kind] += 1;
    const place = `${kind}:${counts[kind]}`;
    if (delayMs > 0) await wait(delayMs);
    reach(`${place}:before`);
    const result = await store();
    reach(`${place}:after`);
    return result;
  };
  saver.put = (...words) => around("put", () => put(...words));
  saver.putWrites = (...words) => around("writes", () => putWrites(...words));
}

/** A tool of the caller's, with an effect of two lines. */
function createPayTool({ scene, reach }: PlayOptions) {
  const log = join(scene.folder, "log");
  return tool(
    async ({ id }) => {
      reach(`effect:${id}:before`);
      appendFileSync(log, `${id}:1\n`);
      reach(`effect:${id}:middle`);
      await wait(1);
      appendFileSync(log, `${id}:2\n`);
      reach(`effect:${id}:after`);
      return `did ${id}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ id: z.string() }) },
  );
}

async function readStatus(agent: SkillAgent, thread: string) {
  return (await listThreads(agent)).find((each) => each.thread === thread)?.status;
}

/** What a person says to what is open: the same in every run. An answer that the thread kept is not given again. */
async function answer(
  agent: SkillAgent,
  thread: string,
  { scene }: PlayOptions,
): Promise<{ reply?: ReviewReply }> {
  if ((await readStatus(agent, thread)) !== "waiting") return {};
  const { tasks } = await agent.getState({ configurable: { thread_id: thread } });
  const open = tasks.flatMap(({ interrupts }) => interrupts)[0]?.value as { items: ReviewItem[] } | undefined;
  if (open === undefined) return {};
  if (open.items[0]?.kind === "outcome") {
    return { reply: { decisions: open.items.map((item) => sayWhatHappened(item.id, scene.folder)) } };
  }
  switch (open.items[0]?.summary) {
    case "Summary s1.":
      return { reply: { type: "reject", message: "Pay first." } };
    case "Summary s3.":
      return { reply: { goto: "look" } };
    case "Summary s6.":
      return { reply: { days: 3, note: "soon" } };
    default:
      return { reply: true };
  }
}

/** Retry what did not happen; of what was half done a person does the rest. A check may always be run again. */
function sayWhatHappened(
  id: string,
  folder: string,
): { type: "approve" } | { type: "respond"; value: string } {
  if (id === "e1") {
    return readText(folder, "todo.txt").includes("edited") ? happened(id) : { type: "approve" };
  }
  const effects = readEffects(folder);
  if (id.startsWith("s") || !effects.includes(`${id}:1`)) return { type: "approve" };
  if (!effects.includes(`${id}:2`)) appendFileSync(join(folder, "log"), `${id}:2\n`);
  return happened(id);
}

function happened(id: string): { type: "respond"; value: string } {
  return { type: "respond", value: `did ${id}` };
}

async function readOutcome(agent: SkillAgent, thread: string, { scene }: PlayOptions): Promise<Outcome> {
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  const state = values as {
    messages: { getType: () => string; text: string; tool_calls?: unknown; tool_call_id?: string }[];
    audit: { kind: string; id: string; verdict: string; by: string; reason: string }[];
    active: { name: string; wizard?: Record<string, unknown> }[];
    calls: { id: string; status: string }[];
    [name: string]: unknown;
  };
  const asked = [...new Set(state.audit.filter(({ kind }) => kind === "outcome").map(({ id }) => id))];
  const kept = {
    messages: state.messages.map((message) => ({
      type: message.getType(),
      // What was asked about has the person's words as its result.
      text:
        asked.includes(message.tool_call_id ?? "") && !message.tool_call_id?.startsWith("s")
          ? "asked"
          : message.text,
      calls: message.tool_calls,
      call: message.tool_call_id,
    })),
    // A survey of the workspace holds times of files.
    wizards: state.active.map(({ name, wizard }) => ({ name, wizard: { ...wizard, survey: undefined } })),
    progress: state.progress,
    calls: state.calls,
    stop: state.stop,
    usage: state.usage,
    answers: state.audit
      .filter(({ kind, by }) => kind !== "outcome" && by === "person")
      .map(({ kind, id, verdict, reason }) => ({ kind, id, verdict, reason })),
    todo: readText(scene.folder, "todo.txt"),
    note: readText(scene.folder, "note.txt"),
  };
  return { state: normalise(kept, scene.folder), effects: readEffects(scene.folder), asked };
}

/** Ids that are drawn for a run are numbered in the order in which they appear. */
function normalise(kept: unknown, folder: string): string {
  const names = new Map<string, string>();
  const text = JSON.stringify(kept, null, 1)
    .replaceAll(folder, "<workspace>")
    // A write may run twice, and then finds what it wrote.
    .replaceAll("Replaced note.txt", "Created note.txt");
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
    names.set(id, names.get(id) ?? `<id ${names.size}>`);
    return names.get(id) as string;
  });
}

/** Ends this process as a power cut would. */
export function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Lets the script of a command end this process at a place. */
export function armScript(folder: string, place: string): void {
  writeFileSync(join(folder, "kill"), `${place} ${process.pid}\n`);
}
