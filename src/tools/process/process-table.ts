import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

const MAX_COMMAND = 100;

/** Every command of a call carries this variable: `<id of the call>:<pid of its shell>`. */
export const CALL_VARIABLE = "SKILLGRAPH_CALL";

/** Every command of a call inherits this open file, too, whose name holds the mark: `env -i` does not close it. */
export const CALL_DESCRIPTOR = 57;

/** A command begins when a byte comes here, and never when the other end closes before; one digit, too. */
export const START_DESCRIPTOR = 7;

/** Where a confined command's supervisor tells how it ended; one digit, as plain shells want it. */
export const REPORT_DESCRIPTOR = 9;

const MARK_FILE = "call-";

/** One living process. */
export interface ProcessEntry {
  pid: number;
  parent: number;
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
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined || /[ZXx]/.test(state)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startTime };
}

/** All living processes but this one. */
export function listEntries(): ProcessEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => readEntry(Number(name)))
    .filter((entry) => entry !== undefined);
}

/** The marks of the call that a process was started by, read in two places; none for processes of others. */
export function readCallMarks(pid: number): string[] {
  const prefix = `${CALL_VARIABLE}=`;
  const variables = readText(`/proc/${pid}/environ`)?.split("\0") ?? [];
  const variable = variables.find((each) => each.startsWith(prefix))?.slice(prefix.length);
  return [variable, readOpenMark(pid)].filter((mark) => mark !== undefined);
}

/** False for processes of others, and for what may not be looked at: whether they bear a mark is not known. */
export function canReadMarks(pid: number): boolean {
  return readText(`/proc/${pid}/environ`) !== undefined;
}

/**
 * The pid of a process as it sees it itself, where it lives in a pid namespace of its own; undefined where it
 * does not, or when it has ended.
 */
export function readInnerPid(pid: number): number | undefined {
  const pids =
    /^NSpid:(.*)$/m
      .exec(readText(`/proc/${pid}/status`) ?? "")?.[1]
      ?.trim()
      .split(/\s+/) ?? [];
  return pids.length > 1 ? Number(pids.at(-1)) : undefined;
}

/** The name of the open file that carries a mark. */
export function toMarkFile(mark: string): string {
  return `${MARK_FILE}${mark}`;
}

function readOpenMark(pid: number): string | undefined {
  try {
    const name = basename(readlinkSync(`/proc/${pid}/fd/${CALL_DESCRIPTOR}`)).replace(/ \(deleted\)$/, "");
    return name.startsWith(MARK_FILE) ? name.slice(MARK_FILE.length) : undefined;
  } catch {
    // It has no such file, ended meanwhile, or belongs to somebody else.
    return undefined;
  }
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
