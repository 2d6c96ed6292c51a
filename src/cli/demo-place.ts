import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SkillgraphError } from "../errors.ts";
import { findPackage } from "../runtime/project.ts";
import { loadSettings } from "../runtime/settings.ts";
import { quoteWord } from "../skills/arguments/apply-arguments.ts";
import { reduceEnvironment } from "../tools/process/environment.ts";
import { type CommandResult, runCommand } from "../tools/process/run-command.ts";

/** How long a process of the demo may take. */
const TIMEOUT_MS = 120_000;

/** A temporary folder with a copy of the example, and this very program to run in it. */
export interface DemoPlace {
  folder: string;
  /** Paths of the files in the inbox, relative to it. */
  listFiles: () => string[];
  /** Runs the program to its end, in a process of its own. */
  run: (words: string[]) => Promise<{ code: number; out: string }>;
  /** Starts the program with one line to read, and keeps it running. */
  start: (words: string[], line: string) => DemoProcess;
  remove: () => void;
}

/** A process that waits for more to read. */
export interface DemoProcess {
  /** Waits for an event of this type. */
  waitFor: (type: string) => Promise<DemoEvent[]>;
  /** Kills it and everything it started with SIGKILL, which no program can catch. */
  kill: () => Promise<{ pid: number; isDead: boolean }>;
}

/** One line of `--json`. */
export type DemoEvent = { type: string } & Record<string, unknown>;

/** Copies the example to a temporary folder. Its processes see no key and no settings of the person's. */
export function createDemoPlace(program: string, signal: AbortSignal): DemoPlace {
  const { folder: own } = findPackage();
  if (own === undefined)
    throw new SkillgraphError("usage", "The demo needs the folder of the package: install skillgraph.");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-demo-")));
  const work = join(folder, "work");
  const home = join(folder, "home");
  cpSync(join(own, "examples", "inbox"), work, { recursive: true });
  mkdirSync(home);
  // Marks the project's root: nothing above it is looked at, whatever lies in the folder for temporary files.
  mkdirSync(join(work, ".git"));
  const environment = { ...reduceEnvironment(loadSettings({ cwd: work }).environment), HOME: home };
  const base = {
    cwd: work,
    environment,
    timeoutMs: TIMEOUT_MS,
    outputFolder: join(folder, "output"),
    signal,
  };
  const toCommand = (words: string[]) => [process.execPath, program, ...words].map(quoteWord).join(" ");
  return {
    folder,
    listFiles: () => listFiles(join(work, "inbox")),
    run: async (words) => {
      // Notices go elsewhere: both streams of a command are one.
      const { exitCode, output } = await runCommand({
        ...base,
        command: `${toCommand(words)} 2>>../notices.txt`,
      });
      if (exitCode === null)
        throw new SkillgraphError("tool-failed", `"skillgraph ${words[0]}" was stopped.`);
      return { code: exitCode, out: output.text };
    },
    start: (words, line) => {
      const file = join(folder, "events.jsonl");
      const input = `{ printf '%s\\n' ${quoteWord(line)}; sleep 300; }`;
      let pid = 0;
      const ended = runCommand({
        ...base,
        command: `${input} | ${toCommand(words)} >${quoteWord(file)} 2>>../notices.txt`,
        onStart: (group) => {
          pid = group.pid;
        },
      });
      return { waitFor: (type) => waitForEvent(file, type, ended), kill: () => kill(pid, ended) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The events in a text of JSON lines; a line that is still being written is left for later. */
export function parseEvents(text: string): DemoEvent[] {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as DemoEvent);
}

async function waitForEvent(file: string, type: string, ended: Promise<CommandResult>): Promise<DemoEvent[]> {
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  for (;;) {
    const isLast = isOver;
    const events = existsSync(file) ? parseEvents(readFileSync(file, "utf8")) : [];
    if (events.some((event) => event.type === type)) return events;
    if (isLast) throw new SkillgraphError("tool-failed", `The process ended before it told of "${type}".`);
    await Promise.race([over, delay(30)]);
  }
}

async function kill(pid: number, ended: Promise<CommandResult>): Promise<{ pid: number; isDead: boolean }> {
  process.kill(-pid, "SIGKILL");
  const { signal } = await ended;
  return { pid, isDead: signal === "SIGKILL" };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith("."))
    .sort();
}
