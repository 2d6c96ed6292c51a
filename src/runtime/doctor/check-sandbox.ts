import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import { reduceEnvironment } from "../../tools/process/environment.ts";
import { runCommand } from "../../tools/process/run-command.ts";
import { findSandbox } from "../sandbox.ts";
import type { Settings } from "../settings.ts";
import type { Check } from "./check.ts";

const name = "sandbox";
const RUNS = 2;
const TIMEOUT_MS = 10_000;

/** Whether commands are confined, by what, what that costs, and why they are not where they are not. */
export async function checkSandbox(settings: Settings): Promise<Check> {
  const { mode, from, writable } = settings.sandbox;
  if (mode === "off") {
    const who = from === "flag" ? "--sandbox" : "the settings";
    return { name, status: "ok", text: `off by ${who}: commands are not confined` };
  }
  const found = await findSandbox(settings);
  if ("fault" in found) {
    return mode === "required"
      ? { name, status: "error", text: `required, and there is none: no command can run: ${found.fault}` }
      : { name, status: "warning", text: `auto: commands are not confined: ${found.fault}` };
  }
  const { sandbox, version } = found;
  const places = ["the workspace", ...writable].join(" and ");
  const network = sandbox.network ? "the network is reached" : "no network";
  const what = `${mode}: bubblewrap ${version} at ${sandbox.program} confines commands: only ${places} can be written; ${network}`;
  try {
    return { name, status: "ok", text: `${what}; ${await measureCost(settings)} ms a command` };
  } catch (error) {
    return { name, status: "error", text: `${what}; it fails: ${toMessage(error)}` };
  }
}

/** Milliseconds that a command takes longer, by the fastest of a few runs, in a folder that is removed again. */
async function measureCost(settings: Settings): Promise<number> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-cost-")));
  try {
    const workspace = join(root, "work");
    mkdirSync(workspace);
    const found = await findSandbox({ ...settings, workspace, stateFolder: join(root, "state") });
    if ("fault" in found) throw new Error(found.fault);
    const environment = reduceEnvironment(settings.environment, settings.workspace);
    const place = { workspace, cwd: workspace, readable: [], environment, approved: false };
    const run = async (confine?: (words: string[]) => string[]) => {
      const started = performance.now();
      const { exitCode, output, timedOut } = await runCommand({
        command: "true",
        cwd: workspace,
        environment,
        timeoutMs: TIMEOUT_MS,
        outputFolder: join(root, "output"),
        confine,
      });
      if (timedOut) return TIMEOUT_MS;
      if (exitCode !== 0) throw new Error(output.text.trim());
      return performance.now() - started;
    };
    const times: number[] = [];
    for (let round = 0; round < RUNS; round += 1) {
      const bare = await run();
      times.push((await run((words) => found.sandbox.wrap(words, place))) - bare);
    }
    return Math.max(0, Math.round(Math.min(...times)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
