import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bashTool } from "../../src/tools/bash.ts";
import { call, createPlace } from "./call.ts";

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
});
