import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { findShell } from "./command-words.ts";
import type { Exit } from "./process.ts";
import { REPORT_DESCRIPTOR } from "./process-table.ts";

const MAX_REPORT = 10_000;

/**
 * Runs the words beside itself and says how they ended. It stays until the other side closes the report, since all
 * processes of a sandbox die with its first. The command's streams are its own; what the shell says about a signal
 * goes to the report. A command that stopped is waited for again; `wait -f` would do that by itself, but in bash 5.2 it
 * may never return when the command ends at that moment.
 */
const SUPERVISOR = `
trap : TERM INT HUP
exec 8>&2 2>&${REPORT_DESCRIPTOR}
set -m
echo "pid $$" >&${REPORT_DESCRIPTOR}
"$@" 2>&8 8>&- ${REPORT_DESCRIPTOR}>&- &
while wait $!; status=$?; kill -0 $! 2>/dev/null; do sleep 0.05; done
jobs >&${REPORT_DESCRIPTOR}
echo "exit $status" >&${REPORT_DESCRIPTOR}
read -r _ <&${REPORT_DESCRIPTOR}
`;

/** The words that run others under a supervisor, to be started inside a sandbox. */
export function superviseWords(words: readonly string[]): string[] {
  const shell = findShell();
  return [shell, "-c", SUPERVISOR, shell, ...words];
}

/** What a supervisor tells. */
export interface Report {
  /** Its pid as it sees it; undefined until it runs. */
  pid: () => number | undefined;
  /** Resolves when the command ended; never when its supervisor died. */
  exited: Promise<Exit>;
  /** Lets the supervisor end. */
  close: () => void;
}

/** Reads what a supervisor tells. */
export function readReport(stream: Duplex): Report {
  let text = "";
  const exited = new Promise<Exit>((resolve) => {
    stream.setEncoding("utf8");
    stream.on("data", (piece: string) => {
      text = `${text}${piece}`.slice(0, MAX_REPORT);
      const end = parseEnd(text);
      if (end) resolve(end);
    });
    // It ends with the sandbox, which is seen by the exit of its program.
    stream.on("error", () => stream.destroy());
  });
  return { pid: () => parseNumber(/^pid (\d+)$/m, text), exited, close: () => stream.destroy() };
}

/** The exit code of a program that runs a command for another: 128 and a number mean that a signal ended it. */
export function toExit(code: number): Exit {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name === undefined
    ? { exitCode: code, signal: null }
    : { exitCode: null, signal: name as NodeJS.Signals };
}

/** A shell has one number for a signal and for an exit code above 128; its list of jobs spells out the second. */
function parseEnd(report: string): Exit | undefined {
  const code = parseNumber(/^exit (\d+)$/m, report);
  if (code === undefined) return undefined;
  const isSpelledOut = new RegExp(`^\\[1\\].*\\b${code}\\b`, "m").test(report);
  return isSpelledOut ? { exitCode: code, signal: null } : toExit(code);
}

function parseNumber(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
