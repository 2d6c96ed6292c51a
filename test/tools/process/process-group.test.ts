import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { findShell } from "../../../src/tools/process/command-words.ts";
import { startProcess } from "../../../src/tools/process/process.ts";
import { endGroup, endMembers, readStartTime } from "../../../src/tools/process/process-group.ts";
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

describe("endMembers", () => {
  it("G3: tells a group that is born after the first look to end, and does not wait two seconds for it", async () => {
    const start = (script: string) => spawn("sh", ["-c", script], { detached: true, stdio: "ignore" });
    const deaf = start("trap '' TERM; sleep 313.5 & wait; sleep 313.5");
    const late = start("sleep 313.5");
    await delay(150);
    let looks = 0;
    const begun = performance.now();
    const ended = once(late, "exit").then(() => performance.now() - begun);
    await endMembers(() => {
      looks += 1;
      return [deaf, ...(looks > 1 ? [late] : [])]
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map(({ pid = 0 }) => ({ pid, group: pid }));
    });
    expect(await ended).toBeLessThan(1_500);
    expect(late.signalCode).toBe("SIGTERM");
    expect(deaf.signalCode).toBe("SIGKILL");
  });
});
