import { vi } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { CliOptions, CliResult } from "./cli.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The command line in a workspace, within this process: what it prints and its exit code, without the start of a
 * process. Nothing is on standard input.
 */
export function createInsideCli(workspace: Workspace) {
  const run = async (words: string[], { env = {} }: Pick<CliOptions, "env"> = {}): Promise<CliResult> => {
    const output = { stdout: "", stderr: "" };
    const leave = enter(workspace.folder, { ...workspace.environment, ...env });
    const spies = (["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text, ...rest) => {
        output[name] += String(text);
        const done = rest.find((each) => typeof each === "function");
        if (done) queueMicrotask(() => done());
        return true;
      }),
    );
    try {
      return { code: await runCommandLine(words), ...output };
    } finally {
      for (const spy of spies) spy.mockRestore();
      leave();
    }
  };
  return { run };
}

/** Where the tests run. Asked once: the folder of a test that took too long is gone when the next one begins. */
const before = { folder: process.cwd(), environment: { ...process.env } };

/** Goes into a folder with an environment; the way back is returned. */
function enter(folder: string, environment: Record<string, string | undefined>): () => void {
  process.chdir(folder);
  replaceEnvironment(environment);
  return () => {
    process.chdir(before.folder);
    replaceEnvironment(before.environment);
  };
}

function replaceEnvironment(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
}
