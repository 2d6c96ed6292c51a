import type { RunnableConfig } from "@langchain/core/runnables";
import { SkillgraphError } from "../errors.ts";

/*
 * Two loops on one thread must not both go on: the late one gets `thread-conflict`, whatever the clock says.
 *
 * Every change of a line raises its stamp. What a run reads carries a token with the stamp of that moment; the
 * token is an extra key of the returned config, and a loop hands it back with each put and write. A stamp that is
 * no longer the token's means that somebody else wrote since. This also lets a run go on from an old checkpoint
 * (time travel): it read that checkpoint on purpose, and nothing has happened since, so it may take the head.
 *
 * Where there is no token (`updateState` on the newest checkpoint, a caller who is no run), the parent must be the
 * head. Two exceptions: a fork names its origin by nature, and a put without a parent starts a history, which
 * a caller outside of any run may do.
 */

const TOKEN = Symbol("token");

/** What a reader knew of a line: its key, 0 when there was none, and its stamp. */
export interface Token {
  threadId: string;
  ns: string;
  line: number;
  stamp: number;
}

/** The state of a line, read in the transaction that wants to change it. */
export interface LineState {
  key: number;
  head: number | null;
  stamp: number;
}

/** What a caller wants to do to a line. */
export interface Change {
  threadId: string;
  ns: string;
  token: Token | undefined;
  line: LineState | undefined;
}

/** What a caller wants to put after which checkpoint. */
export interface PutChange extends Change {
  source: string | undefined;
  /** The id that the caller names as the parent. */
  parentId: string | undefined;
  /** The key of that parent; undefined when it is not stored. */
  parent: number | undefined;
  /** True when a checkpoint of this id is stored and others follow it. */
  isTaken: boolean;
  /** True in a run of a graph. */
  isRun: boolean;
  /** True when a subgraph is run again from a moment at which it had no history. */
  isReplay: boolean;
}

/** The object that stands for one run of a graph, shared by its loop and the loops of its subgraphs. */
export function findRun(config: RunnableConfig): object | undefined {
  const control = "control" in config ? config.control : undefined;
  return typeof control === "object" && control !== null ? control : undefined;
}

/** The token that came with a config, when it is about this line. */
export function readToken(config: RunnableConfig, threadId: string, ns: string): Token | undefined {
  const token = (config.configurable as { [TOKEN]?: Token } | undefined)?.[TOKEN];
  return token?.threadId === threadId && token.ns === ns ? token : undefined;
}

/** Lets a config carry a token. Spreading the config keeps it; printing and comparing as JSON do not show it. */
export function carryToken(configurable: Record<string, unknown>, token: Token): void {
  Object.assign(configurable, { [TOKEN]: token });
}

/**
 * Refuses a checkpoint that would fork the history behind somebody's back.
 *
 * @throws SkillgraphError `thread-conflict`
 */
export function assertMayPut(change: PutChange): void {
  const { line, parentId, parent } = change;
  if (change.isTaken) throw refuse(change, "a checkpoint of this id is already there");
  if (parentId !== undefined && parent === undefined) {
    throw refuse(change, `checkpoint ${parentId} is not there; the thread may have been deleted`);
  }
  if (change.token !== undefined) {
    assertUnchanged(change, change.token);
    return;
  }
  if (change.source === "fork") return;
  if (parentId === undefined) {
    const isBeginning = (line?.head ?? null) === null;
    const isImport = !change.isRun && change.source !== "update";
    if (isBeginning || isImport || change.isReplay) return;
    throw refuse(change, "another run has begun it meanwhile");
  }
  if (parent !== line?.head) {
    throw refuse(change, `checkpoint ${parentId} is no longer the newest: another run went on from it`);
  }
}

/**
 * Refuses writes to a checkpoint that the thread has moved past: its question is answered, its calls have run.
 *
 * @param checkpoint - The checkpoint; undefined when it is not stored yet, since writes may come before it.
 * @throws SkillgraphError `thread-conflict`
 */
export function assertMayWrite(change: Change, checkpoint: { id: string; key: number } | undefined): void {
  if (checkpoint !== undefined && checkpoint.key !== change.line?.head) {
    const done = `checkpoint ${checkpoint.id} was already answered or continued`;
    throw refuse(change, `${done}; to take it up again, fork it first`);
  }
  if (change.token !== undefined) assertUnchanged(change, change.token);
}

function assertUnchanged(change: Change, token: Token): void {
  const { key = 0, stamp = 0 } = change.line ?? {};
  if (token.line === key && token.stamp === stamp) return;
  throw refuse(change, "another run wrote to it after this one had read it");
}

/** A run that was refused once is out for good: its next put must not succeed where a write of it failed. */
function refuse({ threadId, ns, token }: Change, reason: string): SkillgraphError {
  if (token !== undefined) token.stamp = Number.NaN;
  const where = ns === "" ? "" : ` in "${ns}"`;
  return new SkillgraphError(
    "thread-conflict",
    `Thread "${threadId}"${where} went on without this run: ${reason}.`,
  );
}
