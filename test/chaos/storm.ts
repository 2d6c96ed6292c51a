import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import Libsql from "libsql";
import { closeAgent, createSkillAgent, listThreads, readThread, type SkillAgent } from "../../src/index.ts";
import { createRandom } from "./kill.ts";
import { createScene, readText, type Scene } from "./scene.ts";
import { StormModel } from "./storm-model.ts";

/** A storm. */
export interface StormOptions {
  /** URL of the store; empty for a SQLite file. */
  store?: string;
  seconds?: number;
  seed?: number;
  processes?: number;
  threads?: number;
}

/** Lets several processes work on the same threads at once, and prints what went wrong. True when nothing did. */
export async function runStorm(options: StormOptions): Promise<boolean> {
  const { store = "", seconds = 60, seed = 1, processes = 8, threads: count = 40 } = options;
  const scene = createScene();
  const agent = await createSkillAgent({
    cwd: scene.folder,
    environment: { PATH: process.env.PATH, HOME: scene.home },
    model: new StormModel(createRandom(seed)),
    trust: true,
    ...(store === "" ? {} : { checkpoint: store }),
  });
  try {
    const threads = Array.from({ length: count }, () => randomUUID());
    // A thread is there once something is kept of it.
    for (const thread of threads) {
      await agent.updateState({ configurable: { thread_id: thread } }, { messages: [] }, "act");
      appendFileSync(join(scene.folder, "threads"), `${thread}\n`);
    }
    const script = join(import.meta.dirname, "storm-child.mjs");
    const ends = await Promise.all(
      Array.from({ length: processes }, (_, number) =>
        runChild([script, scene.folder, scene.home, store, String(number), String(seed), String(seconds)]),
      ),
    );
    const faults = [
      ...ends.flatMap((end) => (end === undefined ? [] : [`a process failed: ${end}`])),
      ...findOverlaps(scene),
      ...(await findForked(agent, threads)),
      ...(await findLostAnswers(agent, scene)),
      ...(store === "" ? findDamage(scene) : []),
    ];
    report(scene, faults, { processes, seconds, seed });
    return faults.length === 0;
  } finally {
    await closeAgent(agent);
    scene.remove();
  }
}

/** Runs a script to its end; says why it failed. */
function runChild(words: string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (text) => {
      said += String(text);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve(code === 0 ? undefined : said.slice(0, 1_000) || `code ${code}`));
  });
}

/** Between the beginning and the end of a mark no other mark of that thread begins. */
function findOverlaps(scene: Scene): string[] {
  const open = new Map<string, string>();
  return readLines(scene, "marks").flatMap((line) => {
    const [thread = "", what, id = ""] = line.split(" ");
    const before = open.get(thread);
    if (what === "end") open.delete(thread);
    else open.set(thread, id);
    if (what === "begin" ? before === undefined : before === id) return [];
    return [`two runs on thread ${thread} at once`];
  });
}

/** Of one thread each checkpoint is followed by one other at most. */
async function findForked(agent: SkillAgent, threads: string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const thread of threads) {
    const parents = new Map<string, number>();
    const saver = agent.checkpointer as BaseCheckpointSaver;
    for await (const { parentConfig } of saver.list({ configurable: { thread_id: thread } })) {
      const parent = String(parentConfig?.configurable?.checkpoint_id ?? "none");
      parents.set(parent, (parents.get(parent) ?? 0) + 1);
    }
    for (const [parent, times] of parents) {
      if (times > 1) faults.push(`checkpoint ${parent} of thread ${thread} has ${times} children`);
    }
  }
  return faults;
}

/** What was taken stands in the thread once; what was refused does not stand in it. */
async function findLostAnswers(agent: SkillAgent, scene: Scene): Promise<string[]> {
  const faults: string[] = [];
  const texts = new Map<string, string>();
  for (const line of readLines(scene, "answers")) {
    const [thread = "", result, word = ""] = line.split(" ");
    if (!texts.has(thread)) texts.set(thread, JSON.stringify((await readThread(agent, thread)).messages));
    const times = (texts.get(thread) as string).split(word).length - 1;
    if (times !== (result === "taken" ? 1 : 0))
      faults.push(`answer ${word} was ${result} and stands ${times} times`);
  }
  for (const { thread, status } of await listThreads(agent)) {
    if (status === "failed") faults.push(`thread ${thread} cannot be read`);
  }
  return faults;
}

function findDamage({ folder }: Scene): string[] {
  const file = join(folder, ".skillgraph/threads.db");
  if (!existsSync(file)) return [`${file} is not there`];
  const database = new Libsql(file);
  const rows = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
  database.close();
  return rows.map(({ integrity_check: found }) => found).filter((found) => found !== "ok");
}

function report(
  scene: Scene,
  faults: string[],
  { processes, seconds, seed }: { processes: number; seconds: number; seed: number },
): void {
  const acts = new Map<string, number>();
  for (const line of readLines(scene, "acts")) acts.set(line, (acts.get(line) ?? 0) + 1);
  const counts = [...acts].sort().map(([act, times]) => `${act} ${times}`);
  process.stdout.write(
    [
      `processes ${processes} · threads ${readLines(scene, "threads").length} · seconds ${seconds} · seed ${seed}`,
      counts.join(" · "),
      `marks ${readLines(scene, "marks").length / 2} · forks ${readLines(scene, "forks").length} · answers taken ${readLines(scene, "answers").filter((line) => line.includes(" taken ")).length}`,
      ...faults.slice(0, 20),
      `faults ${faults.length}`,
      "",
    ].join("\n"),
  );
}

function readLines({ folder }: Scene, file: string): string[] {
  return readText(folder, file).split("\n").filter(Boolean);
}
