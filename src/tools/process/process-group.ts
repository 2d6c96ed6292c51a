import { setTimeout as delay } from "node:timers/promises";
import type { ProcessGroup } from "../tool.ts";
import { isCode } from "../workspace.ts";
import { readProcessList } from "./process.ts";
import {
  canReadMarks,
  hasProcessTable,
  listEntries,
  type ProcessEntry,
  readCallMarks,
  readEntry,
  readInnerPid,
} from "./process-table.ts";

const GRACE_MS = 2_000;
const LAST_LOOK_MS = 1_000;

/** A process that belongs to a call. */
export type Member = Pick<ProcessEntry, "pid" | "group">;

/** When a process started, in a form to compare; undefined when there is no such process. */
export function readStartTime(pid: number): string | undefined {
  if (hasProcessTable()) return readEntry(pid)?.startTime;
  return readProcessList(["-o", "lstart=", "-p", String(pid)])[0];
}

/**
 * Ends what lives of a process group that an earlier run recorded: SIGTERM, then SIGKILL after two seconds. A process
 * that only has the same number is left alone, and where it can be seen, so is one that no call started.
 */
export async function endGroup(group: ProcessGroup): Promise<void> {
  await endMembers(() => findRecorded(group));
}

/**
 * What lives of a call: the group and session of its shell, whatever left both but kept a mark, and the children
 * of these. Where processes cannot be read as files it is the group alone.
 *
 * @param leader - Pid of the shell; it may have ended.
 * @param isMarked - True for the mark of this call.
 */
export function findMembers(leader: number, isMarked: (mark: string) => boolean): Member[] {
  if (!hasProcessTable()) return listGroup(leader);
  const entries = listEntries();
  const own = entries.filter(
    ({ pid, group, session }) => group === leader || session === leader || readCallMarks(pid).some(isMarked),
  );
  return withDescendants(own, entries);
}

/**
 * What lives of a confined call: all below the sandbox's program, without that, the first process inside and
 * the supervisor, which die last.
 *
 * @param leader - Pid of the sandbox's program.
 * @param supervisor - Pid of the supervisor as it sees it itself; undefined before it runs.
 */
export function findConfined(leader: number, supervisor: number | undefined): Member[] {
  const entries = listEntries();
  const program = entries.filter(({ pid }) => pid === leader);
  return withDescendants(program, entries).filter(({ pid }) => {
    const inner = readInnerPid(pid);
    return pid !== leader && inner !== 1 && (inner ?? pid) !== supervisor;
  });
}

/** Children of what was found, also those that dropped every mark. */
function withDescendants(found: ProcessEntry[], entries: readonly ProcessEntry[]): ProcessEntry[] {
  const pids = new Set(found.map(({ pid }) => pid));
  const children = entries.filter(({ pid, parent }) => pids.has(parent) && !pids.has(pid));
  return children.length === 0 ? found : withDescendants([...found, ...children], entries);
}

/**
 * Ends processes: SIGTERM at once, also to each group that is born meanwhile, since a stop may come before the command
 * has begun; SIGKILL after two seconds, and again for whatever is born then. What a group starts to clean up is left its
 * time.
 *
 * @param find - Looks what lives now.
 */
export async function endMembers(find: () => Member[]): Promise<void> {
  const started = Date.now();
  const waited = () => Date.now() - started;
  const told = new Set<number>();
  const tell = (members: readonly Member[]) => {
    send(
      "SIGTERM",
      members.filter(({ group }) => !told.has(group)),
    );
    for (const { group } of members) told.add(group);
  };
  let found = find();
  tell(found);
  for (
    let pause = 20;
    found.length > 0 && waited() < GRACE_MS + LAST_LOOK_MS;
    pause = Math.min(2 * pause, 200)
  ) {
    await delay(pause);
    found = find();
    if (waited() >= GRACE_MS) send("SIGKILL", found);
    else tell(found);
  }
}

/** Whole groups get the signal at one moment; one by one, a shell could go on when its child has ended. */
function send(signal: NodeJS.Signals, found: readonly Member[]): void {
  for (const group of new Set(found.map((member) => member.group))) {
    try {
      process.kill(-group, signal);
    } catch (error) {
      // It ended between the look and the signal, or became another user's, as with sudo.
      if (!isCode(error, "ESRCH") && !isCode(error, "EPERM")) throw error;
    }
  }
}

function findRecorded(recorded: ProcessGroup): Member[] {
  const { pid: leader, startTime } = recorded;
  const now = readStartTime(leader);
  if (leader <= 1 || leader === process.pid || (now !== undefined && now !== startTime)) return [];
  const isMarked = (mark: string) => mark.endsWith(`:${leader}`);
  if (now !== undefined && mayBear(leader, isMarked)) return findMembers(leader, isMarked);
  if (!hasProcessTable()) return [];
  // The shell has ended or is somebody else's, and its number alone proves nothing: only what bears the mark counts.
  return listEntries().filter(
    (entry) => Number(entry.startTime) >= Number(startTime) && readCallMarks(entry.pid).some(isMarked),
  );
}

/** Whoever may write into the store could record any process; one that was started by a call bears its mark. */
function mayBear(pid: number, isMarked: (mark: string) => boolean): boolean {
  return !hasProcessTable() || !canReadMarks(pid) || readCallMarks(pid).some(isMarked);
}

function listGroup(leader: number): Member[] {
  return readProcessList(["-A", "-o", "pid=,pgid="])
    .map((line) => line.split(/\s+/).map(Number))
    .map(([pid = 0, group = 0]) => ({ pid, group }))
    .filter((member) => member.group === leader && member.pid > 1);
}
