import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { toCommandWords } from "../../../src/tools/process/command-words.ts";
import type { Sandbox } from "../../../src/tools/sandbox/sandbox.ts";

/** Why tests of a sandbox cannot run here; undefined when they can. */
export const noSandbox = hasProgram("bwrap") ? undefined : "bwrap is not on the PATH";

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

function hasProgram(name: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
