import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { reduceEnvironment } from "../../../src/tools/process/environment.ts";
import { type BubblewrapOptions, createBubblewrap } from "../../../src/tools/sandbox/bubblewrap.ts";
import { findBubblewrap } from "../../../src/tools/sandbox/find-bubblewrap.ts";
import { probeBubblewrap } from "../../../src/tools/sandbox/probe.ts";
import type { SandboxPlace } from "../../../src/tools/sandbox/sandbox.ts";

const program = findBubblewrap(process.env, "/nowhere") ?? "";
const probe =
  program === ""
    ? { fault: "bwrap is not on the PATH" }
    : await probeBubblewrap(program, reduceEnvironment(process.env));

/** Why tests of a real sandbox are skipped; empty when they run. */
export const whyNot = "fault" in probe ? `no sandbox: ${probe.fault}` : "";

export interface Confined {
  root: string;
  workspace: string;
  home: string;
  state: string;
  write: (path: string, text: string) => void;
  /** Runs a script of bash in the sandbox. */
  run: (script: string, change?: Change) => Outcome;
}

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
  /** What was removed when it had ended. */
  removed: string[];
}

interface Change {
  options?: Partial<BubblewrapOptions>;
  place?: Partial<SandboxPlace>;
}

/** A workspace `work`, a home folder `home` and what lies beside them, removed when the test ends. */
export function createConfined(files: Record<string, string> = {}, parent: string = tmpdir()): Confined {
  const root = realpathSync(mkdtempSync(join(parent, "confined-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [workspace, home, state] = [
    join(root, "work"),
    join(root, "home"),
    join(root, "work", ".skillgraph"),
  ];
  for (const folder of [workspace, home]) mkdirSync(folder);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const environment = { ...reduceEnvironment(process.env, workspace), HOME: home };
  const run = (script: string, { options = {}, place = {} }: Change = {}) => {
    const sandbox = createBubblewrap({
      program,
      version: "version" in probe ? probe.version : "",
      network: false,
      writable: [],
      stateFolder: state,
      accountHome: home,
      ...options,
    });
    const full = { workspace, cwd: workspace, readable: [], environment, approved: false, ...place };
    const [first = "", ...rest] = sandbox.wrap(["bash", "-c", script], full);
    const { status, stdout, stderr } = spawnSync(first, rest, { env: full.environment, encoding: "utf8" });
    return { code: status, stdout, stderr, removed: sandbox.settle?.(full) ?? [] };
  };
  return { root, workspace, home, state, write, run };
}
