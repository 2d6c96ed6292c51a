import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findShell } from "../../../src/tools/process/command-words.ts";
import { startProcess } from "../../../src/tools/process/process.ts";
import { endGroup, readStartTime } from "../../../src/tools/process/process-group.ts";
import { listEntries, readCommandLine } from "../../../src/tools/process/process-table.ts";
import type { ProcessGroup } from "../../../src/tools/tool.ts";
import { isAlive } from "../../support/process-group.ts";

const environment = { PATH: process.env.PATH ?? "" };

/** Starts a command as a run does that dies afterwards: nobody waits for it. */
async function leave(command: string): Promise<ProcessGroup> {
  const words = [findShell(), "-c", command];
  const { child, output, begin } = startProcess(words, "call", { cwd: "/", environment });
  begin();
  output.resume();
  output.unref();
  const group = { pid: child.pid ?? 0, startTime: readStartTime(child.pid ?? 0) ?? "" };
  await delay(150);
  return group;
}

function count(text: string): number {
  return listEntries().filter(({ pid }) => readCommandLine(pid).includes(text)).length;
}

describe("endGroup", () => {
  it("G3: ends what an earlier run left, its shell alive or not, also in another session", async () => {
    for (const command of [
      "sleep 311.5; true",
      "sleep 311.5 & true",
      "setsid sleep 311.5 & sleep 0.05",
      "env -i setsid sleep 311.5 & true",
    ]) {
      const group = await leave(command);
      expect(count("sleep 311.5")).toBeGreaterThan(0);
      expect(isAlive(group)).toBe(true);
      await endGroup(group);
      expect(isAlive(group)).toBe(false);
      expect(count("sleep 311.5")).toBe(0);
    }
  });

  it("G3: leaves a process alone that only has the same number", async () => {
    const child = spawn("sleep", ["312.5"], { detached: true });
    const group = { pid: child.pid ?? 0, startTime: "1" };
    await endGroup(group);
    expect(readStartTime(group.pid)).toBeDefined();
    child.kill("SIGKILL");
    await once(child, "exit");
  });

  it("knows no start time of what does not run", () => {
    expect(readStartTime(2 ** 30)).toBeUndefined();
    expect(readStartTime(process.pid)).toBe(readStartTime(process.pid));
  });
});
