import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { toCommandWords } from "../../../src/tools/process/command-words.ts";
import type { Sandbox } from "../../../src/tools/sandbox/sandbox.ts";

/** A plain sandbox: its own processes, everything read-only but the workspace, no network. */
export const bubble: Sandbox = {
  program: "bwrap",
  network: false,
  wrap: (words, { workspace, cwd }) => [
    ...["bwrap", "--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", workspace, workspace],
    ...["--chdir", cwd, "--", ...words],
  ],
};

/** Why tests of a sandbox cannot run here; undefined when they can. */
export const noSandbox = tryBubble();

/** Both ways to run a command; the second one only where there is a sandbox. */
export const ways: [string, Sandbox | undefined][] = [
  ["bare", undefined],
  ...(noSandbox === undefined ? [["in a sandbox", bubble] as [string, Sandbox]] : []),
];

/** True when a command is started without a shell. */
export function isDirect(
  command: string,
  place: { cwd: string; environment: Record<string, string> },
): boolean {
  return toCommandWords(command, place)[1] !== "-c";
}

function tryBubble(): string | undefined {
  const workspace = tmpdir();
  const place = { workspace, cwd: workspace, readable: [], environment: {}, approved: false };
  const [program = "", ...words] = bubble.wrap(["true"], place);
  const { error, status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (error !== undefined) return "bwrap is not on the PATH";
  return status === 0 ? undefined : stderr.trim();
}
