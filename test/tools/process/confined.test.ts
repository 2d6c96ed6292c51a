import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listEntries, readCommandLine } from "../../../src/tools/process/process-table.ts";
import { type CommandOptions, runCommand } from "../../../src/tools/process/run-command.ts";
import type { Sandbox } from "../../../src/tools/sandbox/sandbox.ts";
import { createPlace } from "../call.ts";
import { noSandbox, ways } from "./bubble.ts";

function createRunner(sandbox: Sandbox | undefined) {
  const { context } = createPlace();
  const { workspace, environment, outputFolder } = context;
  const place = { workspace, cwd: workspace, readable: [], environment, approved: false };
  const confine = sandbox && ((words: string[]) => sandbox.wrap(words, place));
  const base = { cwd: workspace, environment, outputFolder, timeoutMs: 10_000, confine };
  return {
    workspace,
    run: (command: string, options: Partial<CommandOptions> = {}) =>
      runCommand({ ...base, command, ...options }),
  };
}

function findCommand(text: string): string[] {
  return listEntries()
    .map(({ pid }) => readCommandLine(pid))
    .filter((line) => line.includes(text));
}

it.skipIf(noSandbox === undefined)(`runs nothing in a sandbox here: ${noSandbox}`, () => {
  expect(ways).toHaveLength(1);
});

describe.each(ways)("a command %s", (_way, sandbox) => {
  it.each([
    ["sh -c 'exit 3'", 3, null],
    ["exit 130", 130, null],
    ["exit 137", 137, null],
    ["exit 143; true", 143, null],
    ["exit 200", 200, null],
    ["kill -KILL $$", null, "SIGKILL"],
    ["kill -TERM $$", null, "SIGTERM"],
    ["kill -INT $$", null, "SIGINT"],
    ["kill -PIPE $$", null, "SIGPIPE"],
    ["kill -SEGV $$", null, "SIGSEGV"],
    ["kill -USR1 $$", null, "SIGUSR1"],
    ["sh -c 'kill -9 $$'", null, "SIGKILL"],
    ["no-such-program", 127, null],
    ["git --version", 0, null],
  ])("%s ends with %s and %s", async (command, exitCode, signal) => {
    const result = await createRunner(sandbox).run(command);
    expect(result).toMatchObject({ exitCode, signal, timedOut: false, leftBehind: [] });
  });

  it("has the same words for what is not found, and no words of its own", async () => {
    const { run } = createRunner(sandbox);
    const missing = await run("no-such-program --flag");
    expect(missing.output.text).toMatch(/^\/\S*sh: line 1: no-such-program: command not found\n$/);
    expect((await run("sh -c 'kill -SEGV $$'")).output.text).toBe("");
    expect((await run("git status")).output.text).toMatch(/^fatal: not a git repository/);
    expect((await run("echo one; echo two >&2; echo three")).output.text).toBe("one\ntwo\nthree\n");
  });

  it("lets a command open /dev/stdout and /dev/stderr", async () => {
    const { run } = createRunner(sandbox);
    expect((await run("echo a > /dev/stderr; echo b | tee /dev/stdout")).output.text).toBe("a\nb\nb\n");
  });

  it("gives a command no open file but its own streams and one that marks it", async () => {
    const listed = await createRunner(sandbox).run("ls /proc/self/fd");
    const open = listed.output.text.trim().split("\n").map(Number);
    expect(open.filter((descriptor) => descriptor < 100).sort((left, right) => left - right)).toEqual([
      0, 1, 2, 3, 57,
    ]);
  });

  it.each([
    ["cat", 0],
    ["read x", 1],
    ["python3", 0],
    ['sh -c "read x </dev/tty"', 2],
    ["bash -c 'read x </dev/tty'", 1],
    ["git init -q . && git -c user.name=x -c user.email=x@x commit --allow-empty", 1],
    [
      "git init -q . && git -c user.name=x -c user.email=x@x commit --allow-empty -qm x && git rebase -i --root",
      0,
    ],
  ])("G1: %s does not wait for input, and ends with %i", async (command, code) => {
    const started = Date.now();
    const result = await createRunner(sandbox).run(command);
    expect(result).toMatchObject({ timedOut: false, exitCode: code });
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it.each([
    "sleep 321.5 & echo ok",
    "setsid sleep 321.5 & echo ok",
    "nohup sleep 321.5 >/dev/null 2>&1 & echo ok",
    "(sleep 321.5 & ) ; echo ok",
    "env -i setsid sleep 321.5 >/dev/null 2>&1 </dev/null & sleep 0.1; echo ok",
  ])("G2: %s returns at once, and what it left is named and ended", async (command) => {
    const started = Date.now();
    const result = await createRunner(sandbox).run(command);
    expect(Date.now() - started).toBeLessThan(3_500);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.output.text).toContain("ok");
    expect(result.leftBehind.map((left) => left.command)).toContain("sleep 321.5");
    expect(findCommand("sleep 321.5")).toEqual([]);
  });

  it("G2: a server in the background is named and ended", async () => {
    const result = await createRunner(sandbox).run(
      "nohup python3 -m http.server 0 --bind 127.0.0.1 & sleep 0.5",
    );
    expect(result.leftBehind.map((left) => left.command).join()).toContain("python3 -m http.server");
    expect(findCommand("http.server 0")).toEqual([]);
  });

  it("G2: output of a child that outlives the shell for a moment is kept, and it is not called left", async () => {
    const result = await createRunner(sandbox).run("(sleep 0.05; echo late) & echo early");
    expect(result.output.text).toBe("early\nlate\n");
    expect(result.leftBehind).toEqual([]);
  });

  it("G2: what is left gets TERM before KILL", async () => {
    const { run, workspace } = createRunner(sandbox);
    await run(`sh -c 'trap "echo tidy > done; exit" TERM; while :; do sleep 0.05; done' & sleep 0.2`);
    expect(readFileSync(join(workspace, "done"), "utf8")).toBe("tidy\n");
  });

  it("G3: the time limit ends grandchildren before they change a file", async () => {
    const { run, workspace } = createRunner(sandbox);
    const result = await run("(sleep 1.5; touch P) & sleep 322.5", { timeoutMs: 600 });
    expect(result).toMatchObject({ timedOut: true, aborted: false });
    expect(findCommand("sleep 322.5")).toEqual([]);
    await delay(1_500);
    expect(existsSync(join(workspace, "P"))).toBe(false);
  });

  it("G3: at the time limit a command may tidy up, and what ignores TERM is killed", async () => {
    const { run, workspace } = createRunner(sandbox);
    await run(`trap "echo tidy > done; exit" TERM; while :; do sleep 0.05; done`, { timeoutMs: 600 });
    expect(readFileSync(join(workspace, "done"), "utf8")).toBe("tidy\n");
    const started = Date.now();
    const stubborn = await run(`sh -c "trap '' TERM; sleep 323.5; sleep 323.5"`, { timeoutMs: 600 });
    expect(stubborn.timedOut).toBe(true);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(findCommand("sleep 323.5")).toEqual([]);
  });

  it("G3: a time limit that is over before the command began leaves nothing", async () => {
    const { run, workspace } = createRunner(sandbox);
    const result = await run("sleep 0.3; touch P; sleep 324.5", { timeoutMs: 1 });
    expect(result.timedOut).toBe(true);
    await delay(500);
    expect(existsSync(join(workspace, "P"))).toBe(false);
    expect(findCommand("sleep 324.5")).toEqual([]);
  });

  it("G3: a cancelled run ends its command, with one result", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 500);
    const result = await createRunner(sandbox).run("setsid sleep 325.5 & sleep 325.5", {
      signal: controller.signal,
    });
    expect(result).toMatchObject({ aborted: true, timedOut: false });
    expect(findCommand("sleep 325.5")).toEqual([]);
  });

  it("G3: a command that stops itself is ended at the time limit", async () => {
    const result = await createRunner(sandbox).run("sh -c 'kill -STOP $$; sleep 326.5'", { timeoutMs: 500 });
    expect(result.timedOut).toBe(true);
    expect(findCommand("kill -STOP $$; sleep 326.5")).toEqual([]);
  });

  it("G4: 200 MB in the pipe are drained, and endless output ends at the time limit", async () => {
    const { run } = createRunner(sandbox);
    const long = await run("yes | head -c 200M; echo END", { timeoutMs: 60_000 });
    expect(long.output.bytes).toBe(200 * 1024 * 1024 + 4);
    expect(long.output.text.endsWith("END\n")).toBe(true);
    const endless = await run("yes", { timeoutMs: 800 });
    expect(endless.timedOut).toBe(true);
    expect(endless.output.text.length).toBeLessThan(31_000);
  });
});

describe.skipIf(noSandbox)("a sandbox", () => {
  it("that cannot start the command is a failure that says why", async () => {
    const { run } = createRunner({
      program: "bwrap",
      network: false,
      wrap: (words) => ["bwrap", "--bind", "/not/there", "/x", "--", ...words],
    });
    await expect(run("echo x")).rejects.toThrow(
      /^The sandbox could not start the command: bwrap: .*\/not\/there/,
    );
  });

  it("G2: ends what closed all files and dropped its variables and its parent", async () => {
    const [, sandbox] = ways[1] ?? ["", undefined];
    const result = await createRunner(sandbox).run(
      "(unset SKILLGRAPH_CALL; exec 57>&-; setsid setsid sleep 328.5) >/dev/null 2>&1 & sleep 0.1; echo ok",
    );
    expect(result.leftBehind.map((left) => left.command)).toContain("sleep 328.5");
    expect(findCommand("sleep 328.5")).toEqual([]);
  });

  it("in which the command kills all it can ends with the signal", async () => {
    const [, sandbox] = ways[1] ?? ["", undefined];
    const result = await createRunner(sandbox).run("kill -9 -1; sleep 5");
    expect(result).toMatchObject({ signal: "SIGKILL", exitCode: null, timedOut: false });
  });

  it("in which the command forges the supervisor's report ends all the same", async () => {
    const [, sandbox] = ways[1] ?? ["", undefined];
    const result = await createRunner(sandbox).run(
      "for file in /proc/[0-9]*/fd/9; do echo 'exit 0' > $file; done 2>/dev/null; sleep 327.5",
      { timeoutMs: 1_000 },
    );
    expect(result.timedOut || result.leftBehind.length > 0).toBe(true);
    expect(findCommand("sleep 327.5")).toEqual([]);
  });
});
