import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Workspace } from "./workspace.ts";

/** The CLI as it is installed. */
export const cliPath = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface CliOptions {
  cwd: string;
  /** Home folder; nothing of this machine's settings is seen. */
  home: string;
  /** Added to an environment of PATH, HOME and LANG. */
  env?: Record<string, string | undefined>;
  /** Standard input; empty by default. */
  input?: string;
  /** Options of Node itself. */
  nodeOptions?: string[];
  timeoutMs?: number;
}

export interface CliResult {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A CLI process that is running. */
export interface CliProcess {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<CliResult>;
  /** Waits until standard output or standard error holds a text, and gives both. */
  waitFor: (text: string) => Promise<string>;
}

/** Starts the CLI. It is killed when the test ends. */
export function startCli(words: string[], options: CliOptions): CliProcess {
  const { cwd, home, env = {}, nodeOptions = [], timeoutMs = 25_000 } = options;
  const child = spawn(process.execPath, [...nodeOptions, cliPath, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ...env },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8");
    child[name].on("data", (text: string) => {
      output[name] += text;
      for (const watch of watchers) watch();
    });
  }
  // A process that ended early has closed its input.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, ...output });
      for (const watch of watchers) watch();
    });
  });
  const waitFor = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const watch = () => {
        const all = output.stdout + output.stderr;
        if (all.includes(text)) resolve(all);
        else if (child.exitCode !== null) reject(new Error(`The CLI ended without "${text}":\n${all}`));
        else return;
        watchers.delete(watch);
      };
      watchers.add(watch);
      watch();
    });
  return { child, ended, waitFor };
}

/** Runs the CLI to its end. */
export async function runCli(words: string[], options: CliOptions): Promise<CliResult> {
  const { child, ended } = startCli(words, options);
  child.stdin.end(options.input ?? "");
  return ended;
}

/** The CLI in a workspace. */
export function createCli(workspace: Workspace) {
  const place = { cwd: workspace.folder, home: workspace.home };
  return {
    run: (words: string[], options: Partial<CliOptions> = {}) => runCli(words, { ...place, ...options }),
    start: (words: string[], options: Partial<CliOptions> = {}) => startCli(words, { ...place, ...options }),
  };
}

/** The events of `--json`. */
export function parseLines(stdout: string): ({ type: string } & Record<string, unknown>)[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
