import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { findShell } from "../../../src/tools/process/command-words.ts";
import { startProcess } from "../../../src/tools/process/process.ts";
import { endGroup, endMembers, readStartTime } from "../../../src/tools/process/process-group.ts";
import { listEntries, readCommandLine } from "../../../src/tools/process/process-table.ts";
import type { ProcessGroup } from "../../../src/tools/tool.ts";
import { isAlive } from "../../support/process-group.ts";
import { bubble, noSandbox } from "./bubble.ts";

const environment = { PATH: process.env.PATH ?? "" };

/** Starts a command as a run does that dies afterwards: nobody waits for it. */
async function leave(
  command: string,
  { begins = true, wrap = (words: string[]) => words } = {},
): Promise<ProcessGroup> {
  const words = wrap([findShell(), "-c", command]);
  const { child, output, begin } = startProcess(words, "call", { cwd: "/", environment });
  if (begins) begin();
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

  it("G3: leaves a process alone that was recorded and bears no mark of a call, or that of another", async () => {
    for (const marked of [{}, { SKILLGRAPH_CALL: "call:1" }]) {
      const env = { ...environment, ...marked };
      const { pid = 0 } = spawn("sh", ["-c", "sleep 314.5; true"], { detached: true, env });
      await vi.waitFor(() => expect(count("sleep 314.5")).toBe(2));
      await endGroup({ pid, startTime: readStartTime(pid) ?? "" });
      expect(count("sleep 314.5")).toBe(2);
      process.kill(-pid, "SIGKILL");
      await vi.waitFor(() => expect(count("sleep 314.5")).toBe(0));
    }
  });

  it("G3: ends a command that has not begun, one that hides a mark, and what bears one below one that hides both", async () => {
    const waiting = await leave("sleep 315.5", { begins: false });
    expect(isAlive(waiting)).toBe(true);
    await endGroup(waiting);
    expect(isAlive(waiting)).toBe(false);
    for (const command of [
      "exec env -i sleep 315.5",
      "exec 57>&-; exec sleep 315.5",
      `sleep 315.5 & exec 57>&-; exec env -i PATH="$PATH" sh -c 'sleep 315.5; true'`,
    ]) {
      const group = await leave(command);
      expect(count("sleep 315.5")).toBeGreaterThan(0);
      await endGroup(group);
      expect(count("sleep 315.5")).toBe(0);
    }
  });

  it.skipIf(noSandbox)("G3: ends what an earlier run left in a sandbox", async () => {
    const place = { workspace: "/tmp", cwd: "/tmp", readable: [], environment, approved: false };
    const group = await leave("sleep 316.5 & env -i setsid sleep 316.5; true", {
      wrap: (words) => bubble.wrap(words, place),
    });
    expect(count("sleep 316.5")).toBeGreaterThan(1);
    await endGroup(group);
    await vi.waitFor(() => expect(count("sleep 316.5")).toBe(0));
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
