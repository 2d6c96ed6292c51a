import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { findLeases } from "../checkpoint/memory-lease.ts";
import { SkillgraphError } from "../errors.ts";
import { readRequestId } from "./check-answer.ts";
import { forgetAnswers, listLevels, type NestedPlace, readAsked } from "./nested-place.ts";
import { openRun, type Run } from "./run.ts";

/** What a run inside another graph is begun with. */
export interface NestedRunOptions {
  /** The agent's own checkpointer, which serves where the graph around has none. */
  checkpointer: unknown;
  /** LangGraph's mark of the whole run. */
  control: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Begins a run inside another graph. Its saver is the caller's and knows no leases, so that two answers at once would
 * both begin what was approved; within this process one run of the graph around has the thread at a time. Agents side
 * by side in one such run share it.
 *
 * @throws SkillgraphError `thread-busy` while another run of the graph around is in an agent on this thread
 */
export async function openNestedRun(
  configurable: Record<string, unknown>,
  { checkpointer, control, signal }: NestedRunOptions,
): Promise<Run> {
  const place = configurable as NestedPlace;
  const { thread_id: thread, __pregel_checkpointer: lent, __pregel_scratchpad: visit = {} } = place;
  const saver = lent ?? checkpointer;
  if (typeof saver !== "object" || saver === null || thread === undefined) return openRun({ signal });
  // A control may be the caller's own, for several runs: those meet in the same task.
  const whole = typeof control === "object" && control !== null ? control : visit;
  const part = { whole, place: String(place.checkpoint_ns ?? ""), visit };
  const leases = findLeases(saver as BaseCheckpointSaver, part);
  try {
    return await openRun({ leases, thread: String(thread), signal, request: await findRequest(place) });
  } catch (error) {
    if (error instanceof SkillgraphError) await withdraw(place, control);
    throw error;
  }
}

/**
 * Refuses a run of the graph around that came to this agent when another one had gone on from the same checkpoint: it
 * would do once more whatever comes after.
 *
 * @throws SkillgraphError `thread-conflict`
 */
export async function refuseLateRun(configurable: Record<string, unknown>, control: unknown): Promise<void> {
  const place = configurable as NestedPlace;
  const { thread_id, checkpoint_map, __pregel_checkpointer: saver } = place;
  if (typeof saver !== "object" || saver === null) return;
  for (const { ns } of listLevels(place)) {
    const mine = checkpoint_map?.[ns];
    if (mine === undefined) continue;
    // In this order: what the graph around has not written yet has no successor, and may be written meanwhile.
    const isKept = await saver.getTuple({
      configurable: { thread_id, checkpoint_ns: ns, checkpoint_id: mine },
    });
    if (isKept === undefined) continue;
    const newest = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: ns } });
    if (newest === undefined || newest.checkpoint.id === mine) continue;
    await withdraw(place, control);
    throw new SkillgraphError(
      "thread-conflict",
      `Thread "${String(thread_id)}" went on without this run: another run went on from checkpoint ${mine}.`,
    );
  }
}

/** What was refused counts for nothing; where the saver does not let it be forgotten, the refusal is still the news. */
async function withdraw(place: NestedPlace, control: unknown): Promise<void> {
  if (place.__pregel_scratchpad?.nullResume == null) return;
  await Promise.allSettled([forgetAnswers(place, control)]);
}

/** Id of the request that the run answers, where it answers one. */
async function findRequest(place: NestedPlace): Promise<string | undefined> {
  const { __pregel_scratchpad: scratchpad, __pregel_resume_map: byId } = place;
  if (scratchpad?.nullResume == null && !byId) return undefined;
  const { mine } = await readAsked(place, listLevels(place)[0]);
  return readRequestId(byId ? mine.find(({ id }) => Object.hasOwn(byId, id ?? "")) : mine[0]);
}
