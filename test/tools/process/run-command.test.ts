import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hasProcessTable, listEntries, readCommandLine } from "../../../src/tools/process/process-table.ts";
import {
  type CommandOptions,
  type CommandResult,
  runCommand,
} from "../../../src/tools/process/run-command.ts";
import type { ProcessGroup } from "../../../src/tools/tool.ts";
import { createPlace } from "../call.ts";

function run(command: string, options: Partial<CommandOptions> = {}): Promise<CommandResult> {
  const { context } = createPlace();
  const { workspace: cwd, environment, outputFolder } = context;
  return runCommand({ command, cwd, environment, outputFolder, timeoutMs: 10_000, ...options });
}

function findCommand(text: string): string[] {
  return listEntries()
    .map(({ pid }) => readCommandLine(pid))
    .filter((line) => line.includes(text));
}

describe("runCommand", () => {
  it("returns output of both streams in order, and the exit code", async () => {
    const result = await run("echo one; echo two >&2; echo three; exit 3");
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      timedOut: false,
      aborted: false,
      leftBehind: [],
    });
    expect(result.output.text).toBe("one\ntwo\nthree\n");
  });

  it("lets a command open /dev/stdout and /dev/stderr", async () => {
    const result = await run("echo a > /dev/stderr; echo b | tee /dev/stdout");
    expect(result.output.text).toBe("a\nb\nb\n");
  });

  it.each([
    "cat",
    "read x",
    "node -i < /dev/stdin",
    'sh -c "read x </dev/tty"',
    "git init -q . && git commit --allow-empty",
  ])("G1: %s does not wait for input", async (command) => {
    const started = Date.now();
    const result = await run(command, { timeoutMs: 5_000 });
    expect(result.timedOut).toBe(false);
    expect(Date.now() - started).toBeLessThan(4_000);
  });

  it("G1: there is no terminal to open", async () => {
    expect((await run("echo x > /dev/tty")).output.text).toContain("/dev/tty: No such device");
  });

  it.each([
    "sleep 301.5 & echo ok",
    "setsid sleep 301.5 & echo ok",
    "nohup sleep 301.5 >/dev/null 2>&1 & echo ok",
    "(sleep 301.5 & ) ; echo ok",
    "setsid sh -c 'sleep 301.5 & sleep 301.5' >/dev/null 2>&1 & sleep 0.1; echo ok",
    "env -i sleep 301.5 & sleep 0.1; echo ok",
    "env -i setsid sleep 301.5 & echo ok",
    "env -i setsid sleep 301.5 >/dev/null 2>&1 </dev/null & sleep 0.05; echo ok",
    "unset SKILLGRAPH_CALL; setsid sleep 301.5 & echo ok",
    "SKILLGRAPH_CALL=x:1 setsid setsid sleep 301.5 >/dev/null 2>&1 & sleep 0.1; echo ok",
  ])("G2: %s returns at once, and what it left is reported and ended", async (command) => {
    const started = Date.now();
    const result = await run(command);
    expect(Date.now() - started).toBeLessThan(3_000);
    expect(result.output.text).toContain("ok");
    expect(result.exitCode).toBe(0);
    expect(result.leftBehind.map((left) => left.command).join()).toContain("sleep 301.5");
    expect(findCommand("sleep 301.5")).toEqual([]);
  });

  it("G2: output of a child that outlives the shell for a moment is kept, and it is not called left", async () => {
    const result = await run("(sleep 0.05; echo late) & echo early");
    expect(result.output.text).toBe("early\nlate\n");
    expect(result.leftBehind).toEqual([]);
  });

  it("G3: the time limit ends grandchildren before they change a file", async () => {
    const { context } = createPlace();
    const file = join(context.workspace, "P");
    const result = await run(`(sleep 1; touch ${file}) & sleep 60`, { timeoutMs: 300 });
    expect(result).toMatchObject({ timedOut: true, aborted: false });
    await delay(1_200);
    expect(existsSync(file)).toBe(false);
  });

  it("G3: what ignores TERM is killed", async () => {
    const started = Date.now();
    const result = await run(`sh -c "trap '' TERM; sleep 302.5; sleep 302.5"`, { timeoutMs: 200 });
    expect(result.timedOut).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(findCommand("sleep 302.5")).toEqual([]);
  });

  it("G3: a cancelled run ends its command, also one in another session, with one result", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const result = await run("setsid sleep 303.5 & sleep 303.5", { signal: controller.signal });
    expect(result).toMatchObject({ aborted: true, timedOut: false });
    expect(findCommand("sleep 303.5")).toEqual([]);
  });

  it.each([
    "env -i setsid sleep 305.5 >/dev/null 2>&1 & sleep 305.5",
    "(unset SKILLGRAPH_CALL; exec 57>&-; setsid sh -c 'sleep 305.5; true') & sleep 305.5",
    `node -e 'require("child_process").spawn("sleep", ["305.5"], { env: {}, detached: true, stdio: "ignore" }).unref(); setTimeout(() => {}, 60000)'`,
  ])("G3: the time limit ends what left the session and dropped its variables: %s", async (command) => {
    const result = await run(command, { timeoutMs: 400 });
    expect(result.timedOut).toBe(true);
    expect(findCommand("sleep 305.5")).toEqual([]);
  });

  it("gives a command no open file but its own streams and one that marks it", async () => {
    const open = (await run("ls /proc/self/fd")).output.text.trim().split("\n").map(Number);
    // 3 is the folder that is listed; what has a high number came with this process.
    expect(open.filter((descriptor) => descriptor < 100).sort((left, right) => left - right)).toEqual([
      0, 1, 2, 3, 57,
    ]);
  });

  it("G3: nothing starts when the run is cancelled before", async () => {
    const { context } = createPlace();
    const file = join(context.workspace, "P");
    const result = await run(`touch ${file}`, { signal: AbortSignal.abort() });
    expect(result.aborted).toBe(true);
    expect(existsSync(file)).toBe(false);
  });

  it("tells when its process group starts and ends, with the start time of the leader", async () => {
    const seen: [string, ProcessGroup][] = [];
    const onStart = (group: ProcessGroup) => void seen.push(["start", group]);
    const onEnd = (group: ProcessGroup) => seen.push(["end", group]);
    const result = await run("echo $$; sleep 0.3", { onStart, onEnd });
    expect(seen.map(([change]) => change)).toEqual(["start", "end"]);
    expect(seen[0]?.[1].pid).toBe(Number(result.output.text));
    expect(seen[0]?.[1].startTime).not.toBe("");
    expect(seen[1]?.[1]).toEqual(seen[0]?.[1]);
  });

  it("G4: 200 MB pass in bounded memory, and the whole is kept in a file of its owner", async () => {
    const before = process.memoryUsage().rss;
    const { output } = await run("echo first; yes | head -c 200M; echo; echo last", { timeoutMs: 60_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    expect(output.bytes).toBe(6 + 200 * 1024 * 1024 + 6);
    expect(output.text.length).toBeLessThan(31_000);
    expect(output.text.startsWith("first\n")).toBe(true);
    expect(output.text.endsWith("last\n")).toBe(true);
    expect(output.text).toContain("209,715,212 bytes");
    expect(output.text).toContain(output.file);
    expect(statSync(output.file ?? "").size).toBe(output.bytes);
    expect(statSync(output.file ?? "").mode & 0o777).toBe(0o600);
  });

  it("G4: endless output ends at the time limit", async () => {
    const { output, timedOut } = await run("yes", { timeoutMs: 300 });
    expect(timedOut).toBe(true);
    expect(output.text.length).toBeLessThan(31_000);
  });

  it("G4: 5 MB on one line are cut in the middle", async () => {
    const { output } = await run("head -c 5000000 /dev/zero | tr '\\0' x; echo END");
    expect(output.text.length).toBeLessThan(31_000);
    expect(output.text).toMatch(/^x+\n[\s\S]*5,000,004 bytes[\s\S]*xEND\n$/);
  });

  it("G8: binary output is reported, text that is not UTF-8 is marked", async () => {
    expect((await run("cat /usr/bin/env")).output.text).toMatch(
      /^\[Binary output, not shown\. All .* bytes are in /,
    );
    const gbk = await run("printf '\\xc4\\xe3\\xba\\xc3\\n'");
    expect(gbk.output.text).toContain("not UTF-8");
    expect((await run("printf 'one\\0two\\0'")).output.text).toContain("one␀two␀");
  });

  it("reports a command that is too long for the system", async () => {
    await expect(run(`echo ${"x".repeat(200_000)}`)).rejects.toMatchObject({ code: "tool-failed" });
  });

  it("has the process table that these tests look at", () => {
    expect(hasProcessTable()).toBe(process.platform === "linux");
  });
});
