import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bashTool, runBash } from "../../src/tools/bash.ts";
import type { Sandbox, SandboxPlace } from "../../src/tools/sandbox/sandbox.ts";
import { call, createPlace } from "./call.ts";
import { bubble, noSandbox } from "./process/bubble.ts";

describe("Bash", () => {
  it("says the exit code when it is not 0 or when nothing was printed", async () => {
    const { context } = createPlace();
    expect(await call(bashTool, { command: "echo hello" }, context)).toBe("hello");
    expect(await call(bashTool, { command: "true" }, context)).toBe("[No output.]\n[exit code 0]");
    expect(await call(bashTool, { command: "echo no; exit 4" }, context)).toBe("no\n[exit code 4]");
    expect(await call(bashTool, { command: "kill -SEGV $$" }, context)).toContain("[ended by SIGSEGV]");
  });

  it("G1: says that input is empty when a silent command fails", async () => {
    const { context } = createPlace();
    expect(await call(bashTool, { command: "read x" }, context)).toContain("Standard input is empty");
  });

  it("G2: says what it ended", async () => {
    const { context } = createPlace();
    const text = await call(bashTool, { command: "sleep 304.5 & echo ok" }, context);
    expect(text).toMatch(
      /^ok\n\[Left running in the background, and ended because the call ended: \d+ \(sleep 304\.5\)\.]$/,
    );
  });

  it("G3: says that the time limit was met, and when a limit was lowered", async () => {
    const { context } = createPlace();
    const slow = await call(bashTool, { command: "echo begun; sleep 60", block_until_ms: 200 }, context);
    expect(slow).toMatch(/^begun\n\[Stopped at the time limit of 200 ms\./);
    expect(await call(bashTool, { command: "echo x", timeout_ms: 900_000 }, context)).toBe(
      "x\n[Time limit lowered to 600000 ms.]",
    );
  });

  it("runs in a folder of the workspace and in no other", async () => {
    const { root, context } = createPlace({ "sub/a.txt": "" });
    mkdirSync(join(root, "other"));
    expect(await call(bashTool, { command: "ls", working_directory: "sub" }, context)).toBe("a.txt");
    const outside = call(bashTool, { command: "ls", working_directory: "../other" }, context);
    await expect(outside).rejects.toMatchObject({ code: "path-outside" });
    await expect(call(bashTool, { command: "ls", working_directory: "none" }, context)).rejects.toThrow(
      "No folder none",
    );
  });

  it("shows commands no key of the model", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-planted");
    const { context } = createPlace();
    vi.unstubAllEnvs();
    const text = await call(bashTool, { command: "env; tr '\\0' '\\n' </proc/self/environ" }, context);
    expect(text).toContain("PATH=");
    expect(text).not.toContain("sk-planted");
  });

  it("does not run the program that a hostile repository names", async () => {
    const { context } = createPlace();
    const file = join(context.workspace, "P");
    const command = `git init -q . && git config core.fsmonitor "touch ${file}" && git status`;
    expect(await call(bashTool, { command }, context)).toContain("No commits yet");
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(join(context.workspace, ".git/config"), "utf8")).toContain("fsmonitor");
  });

  it("G8: git prints names as they are", async () => {
    const { context } = createPlace({ "src/表/é.ts": "x" });
    const text = await call(
      bashTool,
      { command: "git init -q . && git add . && git status --short" },
      context,
    );
    expect(text).toContain("src/表/é.ts");
  });

  it("G1: an interpreter that reads its input ends at once", async () => {
    const { context } = createPlace();
    for (const command of [
      "cat",
      "python3",
      "git init -q . && git commit --allow-empty",
      "sh -c 'read x </dev/tty'",
    ]) {
      const text = await call(bashTool, { command, timeout_ms: 8_000 }, context);
      expect(text).not.toContain("Stopped at");
    }
  });

  it("a command of 1 MB is a failure that says what to do", async () => {
    const { context } = createPlace();
    const long = `echo ${"x".repeat(1024 * 1024)}`;
    for (const command of [long, `git status ${long}`, `true; ${long}`]) {
      await expect(call(bashTool, { command }, context)).rejects.toThrow(
        /^The command is too long for the system: 1,?0\d\d,?\d{3} bytes\. Write it to a file and run the file\.$/,
      );
    }
  });

  it.each(["echo a\0b", "echo \ud800", "\udfff"])(
    "%j cannot be handed over as it is, and does not run",
    async (command) => {
      const { context } = createPlace();
      await expect(call(bashTool, { command }, context)).rejects.toThrow("NUL or half a surrogate pair");
    },
  );

  it.each(["new\nline", "esc\u001b[31m", "\u202ebidi", "b c", "[1]", "é表", "-x", "'q\"", "$(touch P)"])(
    "G8: runs in a folder named %j, and says when there is none",
    async (name) => {
      const { context } = createPlace({ [`${name}/in.txt`]: "" });
      expect(await call(bashTool, { command: "ls", working_directory: name }, context)).toBe("in.txt");
      expect(
        await call(bashTool, { command: "cat in.txt; ls; true", working_directory: name }, context),
      ).toBe("in.txt");
      const missing = call(bashTool, { command: "ls", working_directory: `${name}none` }, context);
      await expect(missing).rejects.toThrow(/^No folder [^\n\u001b]* to run in\.$/);
      expect(existsSync(join(context.workspace, "P"))).toBe(false);
    },
  );
});

describe("Bash with a sandbox", () => {
  const outside = (sandbox: Partial<Sandbox>): Sandbox => ({
    program: "box",
    network: false,
    wrap: (words) => words,
    ...sandbox,
  });

  it("refuses every command where one is required and missing, also in a check of a stage", async () => {
    const { context } = createPlace();
    const missing = { ...context, sandboxMissing: "No command can run: a sandbox is required." };
    for (const command of ["ls", "touch P", "ls | cat"]) {
      await expect(call(bashTool, { command }, missing)).rejects.toThrow("a sandbox is required");
      await expect(runBash({ command }, missing)).rejects.toMatchObject({ code: "tool-failed" });
    }
    expect(existsSync(join(context.workspace, "P"))).toBe(false);
  });

  it("hands it where the command runs, what is readable, and whether a person agreed", async () => {
    const { context } = createPlace({ "sub/a.txt": "" });
    const places: SandboxPlace[] = [];
    const sandbox = outside({
      wrap: (words, place) => {
        places.push(place);
        return words;
      },
    });
    const seen = { ...context, readableFolders: ["/skill"], sandbox };
    expect(await call(bashTool, { command: "ls", working_directory: "sub" }, seen)).toBe("a.txt");
    await call(bashTool, { command: "ls" }, { ...seen, approved: true });
    const { workspace, environment } = context;
    const place = { workspace, cwd: workspace, readable: ["/skill"], environment };
    expect(places).toEqual([
      { ...place, cwd: join(workspace, "sub"), approved: false },
      { ...place, approved: true },
    ]);
  });

  it.each([
    ["echo x: Read-only file system; exit 1", false, true],
    ["echo bash: /etc/x: Permission denied >&2; exit 1", false, true],
    ["echo Error: EROFS: read-only; exit 1", true, true],
    ["echo curl: Could not resolve host: a.example; exit 6", false, true],
    ["echo getaddrinfo EAI_AGAIN registry.npmjs.org; exit 1", false, true],
    ["echo Could not resolve host: a.example; exit 6", true, false],
    ["echo connect ECONNREFUSED 127.0.0.1:5432; exit 1", false, true],
    ["echo Cannot connect to the Docker daemon at unix:///var/run/docker.sock; exit 1", false, true],
    ["echo connect ECONNREFUSED 127.0.0.1:5432; exit 1", true, false],
    ["echo \"fatal: '/srv/bare.git' does not appear to be a git repository\"; exit 128", false, true],
    ["echo \"fatal: repository '/srv/bare.git' does not exist\"; exit 128", true, true],
    ["echo cat: /srv/x: No such file or directory; exit 1", true, true],
    ["echo cat: srv/x: No such file or directory; exit 1", false, false],
    ["echo cat: $PWD/x: No such file or directory; exit 1", false, false],
    ["echo /bin/bash: line 1: x: No such file or directory; exit 127", false, false],
    ["echo Read-only file system", false, false],
    ["echo other trouble; exit 1", false, false],
    ["echo SEROFSX; exit 1", false, false],
  ])("%s, with network %s: says that it ran in one: %s", async (command, network, says) => {
    const { context } = createPlace();
    const text = await call(bashTool, { command }, { ...context, sandbox: outside({ network }) });
    expect(text.includes("[It ran in a sandbox (box): only the workspace can be written")).toBe(says);
    expect(text.includes("no network is reached")).toBe(says && !network);
    expect(await call(bashTool, { command }, context)).not.toContain("sandbox");
  });

  it
    .skipIf(noSandbox)
    .each(["echo no; exit 4", "kill -SEGV $$", "true", "cat no-such-file", "read x", "no-such"])(
    "%s says the same as without",
    async (command) => {
      const { context } = createPlace();
      const bare = await call(bashTool, { command }, context);
      expect(await call(bashTool, { command }, { ...context, sandbox: bubble })).toBe(bare);
    },
  );

  it.skipIf(noSandbox)("G2, G3: says what was left, and that the time limit was met", async () => {
    const { context } = createPlace();
    const boxed = { ...context, sandbox: bubble };
    const left = await call(bashTool, { command: "sleep 304.5 & echo ok" }, boxed);
    expect(left).toMatch(/^ok\n\[Left running .* the call ended: \d+ \(sleep 304\.5\)\.]$/);
    const slow = await call(bashTool, { command: "echo begun; sleep 60", timeout_ms: 1_500 }, boxed);
    expect(slow).toMatch(/^begun\n\[Stopped at the time limit of 1,500 ms\./);
  });

  it.skipIf(noSandbox)("a write outside fails, and the result says why", async () => {
    const { root, context } = createPlace();
    const boxed = { ...context, sandbox: bubble };
    const text = await call(bashTool, { command: `touch ${root}/P` }, boxed);
    expect(text).toMatch(/Read-only file system\n\[It ran in a sandbox \(bwrap\).*\n\[exit code 1]$/);
    expect(existsSync(join(root, "P"))).toBe(false);
  });
});
