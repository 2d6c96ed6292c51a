import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { SkillgraphError } from "../../errors.ts";
import type { ProcessGroup } from "../tool.ts";
import { type CollectedOutput, createOutputCollector } from "./collector.ts";
import type { Exit, StartedProcess } from "./process.ts";
import { endMembers, type Member, readStartTime } from "./process-group.ts";
import { readCommandLine } from "./process-table.ts";
import { type RunningCommand, startCommand } from "./running-command.ts";

const DRAIN_MS = 300;
const SETTLE_MS = 100;

/** What to run, and for how long. */
export interface CommandOptions {
  command: string;
  /** An existing folder. */
  cwd: string;
  /** All that the command sees of the environment. */
  environment: Record<string, string>;
  /** Milliseconds until everything the command started is ended. */
  timeoutMs: number;
  /** Where the whole output goes when it is long. */
  outputFolder: string;
  /** Makes of the words to start those that start them in a sandbox. */
  confine?: ((words: string[]) => string[]) | undefined;
  signal?: AbortSignal | undefined;
  /** The command begins when this has ended. */
  onStart?: ((group: ProcessGroup) => void | Promise<void>) | undefined;
  onEnd?: ((group: ProcessGroup) => void) | undefined;
}

/** How a command ended. */
export interface CommandResult extends Exit {
  output: CollectedOutput;
  timedOut: boolean;
  aborted: boolean;
  /** Processes that outlived the command. They were ended with the call. */
  leftBehind: { pid: number; command: string }[];
}

/**
 * Runs a command without input and without a terminal. Both output streams are one, in order.
 *
 * The call ends soon after the command does: whatever the command left in the background is reported and ended.
 * At the time limit or when the signal aborts, everything gets SIGTERM and after two seconds SIGKILL.
 *
 * @param options - See {@link CommandOptions}.
 * @returns How it ended; a command that fails is a result, too.
 * @throws SkillgraphError `tool-failed` when it cannot be started, or its sandbox cannot.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const collector = createOutputCollector(options.outputFolder);
  if (options.signal?.aborted === true) {
    return { ...NOT_ENDED, output: collector.finish(), timedOut: false, aborted: true, leftBehind: [] };
  }
  const command = startCommand(options, randomUUID());
  const { output, find } = command;
  const closed = waitForClose(output, (chunk) => collector.push(chunk));
  const stop = createStop(options, command);
  const group = toGroup(command.pid);
  try {
    const noted = group === undefined ? undefined : options.onStart?.(group);
    // The stop need not wait for a note that is slow, as on a locked file.
    await Promise.race([noted, command.exited]);
    if (stop.reason() === undefined) {
      stop.arm();
      command.begin();
    }
    const end = await command.exited;
    stop.disarm();
    if (command.holdsOutput && find().length === 0) await command.close();
    await Promise.race([closed, delay(DRAIN_MS)]);
    await stop.done();
    const reason = stop.reason();
    const leftBehind = reason === undefined ? await findLeft(find) : [];
    if (leftBehind.length > 0) await endMembers(find);
    await command.close();
    await Promise.race([closed, delay(DRAIN_MS)]);
    const collected = collector.finish();
    if (reason === undefined && !command.hasStarted()) throw toSandboxError(collected);
    return {
      ...end,
      output: collected,
      timedOut: reason === "time",
      aborted: reason === "signal",
      leftBehind,
    };
  } finally {
    stop.disarm();
    await command.close();
    output.destroy();
    if (group !== undefined) options.onEnd?.(group);
  }
}

const NOT_ENDED: Exit = { exitCode: null, signal: null };

function toGroup(pid: number | undefined): ProcessGroup | undefined {
  return pid === undefined ? undefined : { pid, startTime: readStartTime(pid) ?? "" };
}

interface Stop {
  reason(): "time" | "signal" | undefined;
  /** Resolves when what was stopped has ended; at once when nothing was. */
  done(): Promise<void>;
  /** Begins to count the time. */
  arm(): void;
  disarm(): void;
}

/** Ends everything at the time limit or at the signal, whichever comes first. */
function createStop(options: CommandOptions, { find, close }: RunningCommand): Stop {
  let reason: "time" | "signal" | undefined;
  let ending: Promise<void> = Promise.resolve();
  const stop = (why: "time" | "signal") => {
    if (reason !== undefined) return;
    reason = why;
    ending = endMembers(find).then(close);
  };
  const onAbort = () => stop("signal");
  let timer: NodeJS.Timeout | undefined;
  options.signal?.addEventListener("abort", onAbort, { once: true });
  return {
    reason: () => reason,
    done: () => ending,
    arm: () => {
      timer = setTimeout(() => stop("time"), options.timeoutMs);
    },
    disarm: () => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
    },
  };
}

function toSandboxError({ text }: CollectedOutput): SkillgraphError {
  return new SkillgraphError("tool-failed", `The sandbox could not start the command: ${text.trim()}`);
}

function waitForClose(output: StartedProcess["output"], onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    output.on("data", onChunk);
    output.once("error", () => resolve());
    output.once("close", () => resolve());
  });
}

/** Looks twice: a process that is just ending is not one that was left. */
async function findLeft(find: () => Member[]): Promise<CommandResult["leftBehind"]> {
  if (find().length === 0) return [];
  await delay(SETTLE_MS);
  return find().map(({ pid }) => ({ pid, command: readCommandLine(pid) }));
}
