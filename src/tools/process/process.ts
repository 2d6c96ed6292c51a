import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, renameSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { toCount } from "../output.ts";
import { isCode } from "../workspace.ts";
import { findShell } from "./command-words.ts";
import {
  CALL_DESCRIPTOR,
  CALL_VARIABLE,
  REPORT_DESCRIPTOR,
  START_DESCRIPTOR,
  toMarkFile,
} from "./process-table.ts";

/**
 * The mark holds the leader's pid, so that a later run finds what a dead one left by the group it recorded. Until it
 * is recorded the program waits: when this process dies before that, the program never begins.
 */
const WRAPPER = [
  `read -r go <&${START_DESCRIPTOR} || exit 125`,
  `exec ${START_DESCRIPTOR}<&-`,
  `export ${CALL_VARIABLE}="$1:$$"; shift; exec "$@"`,
].join("; ");

/** How a process ended. */
export interface Exit {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** A started command; `output` carries both of its streams in order. */
export interface StartedProcess {
  child: ChildProcess;
  output: Socket;
  /** Lets the program begin; without it nothing does. */
  begin: () => void;
  /** The other end of {@link REPORT_DESCRIPTOR}, where one was asked for. */
  report?: Duplex;
}

/**
 * Starts a program in a session of its own: no terminal, and one process group for whatever it starts. It waits for
 * `begin`. Standard input is empty. A shell with a fixed text marks the process and becomes the program; it reads none of the words.
 *
 * @param words - The program and its arguments.
 * @param call - An id without colons that marks every process of this call; see `readCallMarks`.
 * @param options - An existing folder, all that the program sees of the environment, and whether it reports.
 * @throws SkillgraphError `tool-failed` when the system refuses.
 */
export function startProcess(
  words: readonly string[],
  call: string,
  options: { cwd: string; environment: Record<string, string>; reports?: boolean },
): StartedProcess {
  const shell = findShell();
  const folder = mkdtempSync(join(tmpdir(), "skillgraph-"));
  const opened: number[] = [];
  const keep = (descriptor: number) => {
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const { reader, writer } = openPipe(folder, keep);
    const mark = keep(openSync(join(folder, "mark"), "wx", 0o600));
    const passed = Array.from({ length: CALL_DESCRIPTOR + 1 }, (): "ignore" | "pipe" | number => "ignore");
    passed[1] = writer;
    passed[2] = writer;
    passed[CALL_DESCRIPTOR] = mark;
    passed[START_DESCRIPTOR] = "pipe";
    if (options.reports) passed[REPORT_DESCRIPTOR] = "pipe";
    const child = spawn(shell, ["-c", WRAPPER, shell, call, ...words], {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: passed,
    });
    // An open file keeps the name it had when it was removed, for all who hold it.
    renameSync(join(folder, "mark"), join(folder, toMarkFile(`${call}:${child.pid ?? 0}`)));
    opened.splice(opened.indexOf(reader), 1);
    const output = new Socket({ fd: reader, readable: true, writable: false });
    const report = findStream(child, REPORT_DESCRIPTOR);
    const begin = createBegin(findStream(child, START_DESCRIPTOR));
    return { child, output, begin, ...(report ? { report } : {}) };
  } catch (error) {
    throw new SkillgraphError("tool-failed", toRefusal(words, error), { cause: error });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  }
}

function findStream(child: ChildProcess, descriptor: number): Duplex | undefined {
  const stream: unknown = Array.from(child.stdio)[descriptor];
  return stream instanceof Duplex ? stream : undefined;
}

function createBegin(gate: Duplex | undefined): () => void {
  // It may have been ended while it waited.
  gate?.on("error", () => gate.destroy());
  return () => void gate?.end("\n");
}

/** Lines that `ps` prints, trimmed; for systems whose processes cannot be read as files. */
export function readProcessList(options: readonly string[]): string[] {
  const { stdout } = spawnSync("ps", [...options], { encoding: "utf8" });
  return (stdout ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function toRefusal(words: readonly string[], error: unknown): string {
  if (!isCode(error, "E2BIG")) return `The command could not be started: ${toMessage(error)}.`;
  const bytes = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  return `The command is too long for the system: ${toCount(bytes)} bytes. Write it to a file and run the file.`;
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
