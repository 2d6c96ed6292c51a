import { SkillgraphError } from "../errors.ts";
import type { ProcessGroup } from "../tools/tool.ts";

/** The right to run a thread. */
export interface Lease {
  /** A uuid of this run; no other run has it. */
  readonly life: string;
  /**
   * Remembers a process group that the run started, so that a later run can end it when this one dies. Resolves when
   * that is stored, or cannot be.
   */
  addGroup: (group: ProcessGroup) => Promise<void>;
  removeGroup: (group: ProcessGroup) => void;
  /** Gives the thread back. May be called twice. */
  release: () => Promise<void>;
}

/** Who wants a thread, and for what. */
export interface LeaseRequest {
  signal?: AbortSignal;
  /** Who answers or writes, as people are to read it, such as `anna@host`. */
  who?: string;
  /** Id of the request that the run answers. */
  request?: string;
}

/** How leases deal with what a dead run left. */
export interface LeaseOptions {
  /** Ends a process group that a dead run left. Default: the tools' own way. */
  endGroup?: (group: ProcessGroup) => Promise<void>;
}

/** Gives out leases: a thread has one run at a time. */
export interface Leases {
  /**
   * Takes a thread. A holder that died on this machine is replaced at once, after the process groups it left have
   * been ended; one on another machine when its heart has not beaten for 15 s. A holder that lives on this machine
   * keeps the thread even when it is stopped: it will go on where it was.
   *
   * @throws SkillgraphError `thread-busy` when the thread is in use, also by this process; the signal's reason when
   * aborted.
   */
  acquire: (threadId: string, options?: LeaseRequest) => Promise<Lease>;
  /** True while somebody alive holds the thread. */
  isHeld: (threadId: string) => Promise<boolean>;
}

const GIVE_BACK_MS = 5_000;

/** Lives of runs that are over and whose rows could not be removed: they hold nothing. */
const over = new Set<string>();

/** True when a run of this process is over, whatever the store still says. */
export function isOver(life: string): boolean {
  return over.has(life);
}

/** Gives a thread back. Where the store cannot be written now, that is tried again for as long as the process lives. */
export async function giveBack(life: string, remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
    over.delete(life);
  } catch (error) {
    over.add(life);
    const again = () => void giveBack(life, remove).catch(() => undefined);
    setTimeout(again, GIVE_BACK_MS).unref();
    throw error;
  }
}

/** Who holds a thread, as far as people need to know. */
export interface HolderFacts {
  pid: number;
  host: string;
  /** Milliseconds since 1970. */
  since: number;
  /** For whom it runs. */
  who?: string | null | undefined;
  /** Id of the request that it answers. */
  request?: string | null | undefined;
}

/** The one wording for a thread that is in use. */
export function createBusyError(threadId: string, holder: HolderFacts): SkillgraphError {
  const { pid, host, since } = holder;
  const start = new Date(since).toISOString();
  const message = `Thread "${threadId}" is in use by process ${pid} on ${host} since ${start}${toErrand(holder)}.`;
  return new SkillgraphError("thread-busy", message);
}

/** Whoever comes second with an answer is told whose was first. */
function toErrand({ who, request }: HolderFacts): string {
  if (request) return `; it answers "${request}"${who ? ` for ${who}` : ""}`;
  return who ? `; it runs for ${who}` : "";
}
