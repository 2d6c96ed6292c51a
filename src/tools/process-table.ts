import { existsSync, readdirSync, readFileSync } from "node:fs";

const MAX_COMMAND = 100;

/** Every command of a call carries this variable: `<id of the call>:<pid of its shell>`. */
export const CALL_VARIABLE = "SKILLGRAPH_CALL";

/** One living process. */
export interface ProcessEntry {
  pid: number;
  group: number;
  session: number;
  /** Clock ticks since the machine started. */
  startTime: string;
}

/** True where processes can be read as files, as on Linux. */
export function hasProcessTable(): boolean {
  return existsSync("/proc/self/stat");
}

/** A process by its id; undefined when there is none or when it has ended and only waits to be collected. */
export function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The program's name stands in parentheses and may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, , group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined || /[ZXx]/.test(state)) return undefined;
  return { pid, group: Number(group), session: Number(session), startTime };
}

/** All living processes but this one. */
export function listEntries(): ProcessEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => readEntry(Number(name)))
    .filter((entry) => entry !== undefined);
}

/** The mark of the call that a process was started by; undefined for processes of others. */
export function readCallMark(pid: number): string | undefined {
  const prefix = `${CALL_VARIABLE}=`;
  const variables = readText(`/proc/${pid}/environ`)?.split("\0");
  return variables?.find((variable) => variable.startsWith(prefix))?.slice(prefix.length);
}

/** What a process runs, on one short line; empty when that cannot be read. */
export function readCommandLine(pid: number): string {
  const line = (readText(`/proc/${pid}/cmdline`) ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND)}…` : line;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return undefined;
  }
}
