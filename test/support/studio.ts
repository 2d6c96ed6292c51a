import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@langchain/langgraph-sdk";
import { vi } from "vitest";

// A server starts in 4 to 11 seconds on an idle machine, and each run waits for its queue.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a clone needs to serve Studio; a test may change its copy. */
const PARTS = ["src", "skills", "graphs", "scripts", "langgraph.json", "package.json", "tsconfig.json"];

/** A clone of the project, a workspace for its agent and an empty home folder. */
export interface StudioPlace {
  clone: string;
  workspace: string;
  home: string;
  remove: () => void;
}

/** A server that is ready. */
export interface Studio {
  url: string;
  client: Client;
  /** What the launcher printed, and the log so far. */
  stdout: () => string;
  stderr: () => string;
  /** Sends a signal to the launcher and waits for its end; gives its exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

export interface StudioOptions {
  /** Words after `npm run studio --`; by default the workspace. */
  words?: string[];
  /** Added to an environment of PATH, HOME and LANG. */
  env?: Record<string, string>;
}

/**
 * Copies the project to where a test may change it. The workspace is a copy of `examples/inbox`.
 *
 * @param graphs sources of more graphs to serve, by name; each exports `graph`
 */
export function createStudioPlace(graphs: Record<string, string> = {}): StudioPlace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-studio-")));
  const place = { clone: join(folder, "clone"), workspace: join(folder, "work"), home: join(folder, "home") };
  for (const part of PARTS) cpSync(join(root, part), join(place.clone, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(place.clone, "node_modules"));
  cpSync(join(root, "examples/inbox"), place.workspace, { recursive: true });
  mkdirSync(place.home);
  const config = JSON.parse(readFileSync(join(place.clone, "langgraph.json"), "utf8"));
  for (const [name, source] of Object.entries(graphs)) {
    writeFileSync(join(place.clone, `graphs/${name}.ts`), source);
    config.graphs[name] = `./graphs/${name}.ts:graph`;
  }
  writeFileSync(join(place.clone, "langgraph.json"), JSON.stringify(config));
  return { ...place, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the launcher, to its end or until something has happened. */
export function startLauncher(place: StudioPlace, options: StudioOptions = {}) {
  const { words = ["--cwd", place.workspace], env = {} } = options;
  const child = spawn(process.execPath, ["scripts/studio.mjs", ...words], {
    cwd: place.clone,
    env: { PATH: process.env.PATH, HOME: place.home, LANG: "C.UTF-8", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, output, ended };
}

/** Starts a server on a free port and waits until it answers. Stop it at the end of the tests. */
export async function startStudio(place: StudioPlace, options: StudioOptions = {}): Promise<Studio> {
  const { child, output, ended } = startLauncher(place, options);
  while (!output.stdout.includes("Ctrl-C")) {
    if (child.exitCode !== null) throw new Error(`The server did not start:\n${output.stderr}`);
    await wait(50);
  }
  const url = /^API +(\S+)$/m.exec(output.stdout)?.[1] ?? "";
  return {
    url,
    client: new Client({ apiUrl: url }),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: (signal = "SIGTERM") => stop(child, ended, signal),
  };
}

/** Command lines of the processes that serve a clone. */
export function listServers(place: StudioPlace): string[] {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(place.clone) && line.includes("langgraph"));
}

/** The one open question of a thread, as the graph asks it; undefined when nothing is open. */
export async function readQuestion(client: Client, thread: string) {
  const { tasks, next } = await client.threads.getState(thread);
  const interrupts = tasks.flatMap((task) => task.interrupts);
  if (interrupts.length > 1) throw new Error(`${interrupts.length} questions are open.`);
  if (interrupts.length === 1 && next[0] !== "review") throw new Error(`${next[0]} asks.`);
  return interrupts[0]?.value as
    | { id: string; items: { kind: string; id: string; args: Record<string, unknown> }[]; errors?: string[] }
    | undefined;
}

async function stop(child: ChildProcess, ended: Promise<number | null>, signal: NodeJS.Signals) {
  if (child.exitCode === null) child.kill(signal);
  return ended;
}
