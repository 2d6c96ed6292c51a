import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { toCommandWords } from "./command-words.ts";
import { readReport, superviseWords, toExit } from "./confined.ts";
import { type Exit, type StartedProcess, startProcess } from "./process.ts";
import { findConfined, findMembers, type Member } from "./process-group.ts";

const END_MS = 500;

/** A command that was started, confined or not. */
export interface RunningCommand {
  /** Of the process that leads its group. */
  pid: number | undefined;
  /** What both of its streams print, in order. */
  output: StartedProcess["output"];
  exited: Promise<Exit>;
  /** Lets it begin. */
  begin: () => void;
  /** What lives of it now. */
  find: () => Member[];
  /** True when what the command ran in holds its output open until it is closed. */
  holdsOutput: boolean;
  /** False when its sandbox ended before it ran. */
  hasStarted: () => boolean;
  /** Takes down what the command ran in. */
  close: () => Promise<void>;
}

/** What to start. */
interface CommandStart {
  command: string;
  cwd: string;
  environment: Record<string, string>;
  confine?: ((words: string[]) => string[]) | undefined;
}

/**
 * Starts a command, in a sandbox where there is one.
 *
 * @param call - An id without colons that marks every process of this call.
 */
export function startCommand(options: CommandStart, call: string): RunningCommand {
  const words = toCommandWords(options.command, options);
  return options.confine === undefined
    ? startBare(startProcess(words, call, options), call)
    : startConfined(options.confine(superviseWords(words)), call, options);
}

function startBare({ child, output, begin }: StartedProcess, call: string): RunningCommand {
  return {
    pid: child.pid,
    output,
    begin,
    exited: waitForExit(child),
    find: () => findMembers(child.pid ?? 0, (mark) => mark.startsWith(`${call}:`)),
    holdsOutput: false,
    hasStarted: () => true,
    close: () => Promise.resolve(),
  };
}

function startConfined(words: string[], call: string, options: CommandStart): RunningCommand {
  const { child, output, begin, report: stream } = startProcess(words, call, { ...options, reports: true });
  if (stream === undefined) throw new SkillgraphError("tool-failed", "The sandbox has no way to report.");
  const report = readReport(stream);
  const gone = waitForExit(child);
  const unreported = gone.then(async (end) => {
    // The last words of a supervisor can arrive after its end.
    await Promise.race([stream.closed ? undefined : once(stream, "close"), delay(END_MS)]);
    return end.exitCode === null ? end : toExit(end.exitCode);
  });
  return {
    pid: child.pid,
    output,
    begin,
    exited: Promise.race([report.exited, unreported]),
    find: () => findConfined(child.pid ?? 0, report.pid()),
    holdsOutput: true,
    hasStarted: () => report.pid() !== undefined,
    close: async () => {
      report.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      await Promise.race([gone, delay(END_MS)]);
      child.kill("SIGKILL");
    },
  };
}

function waitForExit(child: StartedProcess["child"]): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      const message = `The command could not be started: ${toMessage(error)}.`;
      reject(new SkillgraphError("tool-failed", message, { cause: error }));
    });
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
