import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdtempSync, openSync, renameSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { CALL_DESCRIPTOR, CALL_VARIABLE, toMarkFile } from "./process-table.ts";

const BASHES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];
/** The mark holds the shell's pid, so that a later run finds what a dead one left by the group it recorded. */
const WRAPPER = `export ${CALL_VARIABLE}="$1:$$"; exec "$0" -c "$2"`;

/** A started shell; `output` carries both of its streams in order. */
export interface ShellProcess {
  child: ChildProcess;
  output: Socket;
}

/**
 * Starts `bash -c`, or `sh -c` where there is no bash, in a session of its own: no terminal, and one process
 * group for whatever it starts. Standard input is closed.
 *
 * @param command - The text of the command.
 * @param call - An id without colons that marks every process of this call; see `readCallMarks`.
 * @param options - An existing folder, and all that the command sees of the environment.
 * @throws SkillgraphError `tool-failed` when the system refuses.
 */
export function startShell(
  command: string,
  call: string,
  options: { cwd: string; environment: Record<string, string> },
): ShellProcess {
  const shell = BASHES.find((path) => existsSync(path)) ?? "/bin/sh";
  const folder = mkdtempSync(join(tmpdir(), "skillgraph-"));
  const opened: number[] = [];
  const keep = (descriptor: number) => {
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const { reader, writer } = openPipe(folder, keep);
    const mark = keep(openSync(join(folder, "mark"), "wx", 0o600));
    const unused = Array<"ignore">(CALL_DESCRIPTOR - 3).fill("ignore");
    const child = spawn(shell, ["-c", WRAPPER, shell, call, command], {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: ["ignore", writer, writer, ...unused, mark],
    });
    // An open file keeps the name it had when it was removed, for all who hold it.
    renameSync(join(folder, "mark"), join(folder, toMarkFile(`${call}:${child.pid ?? 0}`)));
    opened.splice(opened.indexOf(reader), 1);
    return { child, output: new Socket({ fd: reader, readable: true, writable: false }) };
  } catch (error) {
    throw new SkillgraphError("tool-failed", `The command could not be started: ${toMessage(error)}.`, {
      cause: error,
    });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines that `ps` prints, trimmed; for systems whose processes cannot be read as files. */
export function readProcessList(options: readonly string[]): string[] {
  const { stdout } = spawnSync("ps", [...options], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Node's own pipes are sockets, and a command that opens `/dev/stderr` fails on those. */
function openPipe(folder: string, keep: (descriptor: number) => number): { reader: number; writer: number } {
  const path = join(folder, "output");
  const made = spawnSync("mkfifo", ["-m", "600", path], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`no pipe could be made: ${toMessage(made.error ?? made.stderr)}`);
  // The reader comes first and does not wait: a writer without a reader would block.
  const reader = keep(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  return { reader, writer: keep(openSync(path, constants.O_WRONLY)) };
}
