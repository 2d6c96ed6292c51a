import type { BaseCheckpointSaver, Interrupt } from "@langchain/langgraph";
import type { CheckpointPendingWrite, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { listOpen } from "./check-answer.ts";

/** Under which LangGraph keeps an answer that names no question, and as what. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";
const RESUME = "__resume__";

/** What LangGraph hands to a graph inside another one, as far as it is read here. */
export interface NestedPlace {
  thread_id?: unknown;
  checkpoint_ns?: unknown;
  /** Checkpoints of the graphs around, by namespace. */
  checkpoint_map?: Record<string, string>;
  __pregel_checkpointer?: BaseCheckpointSaver;
  __pregel_scratchpad?: { nullResume?: unknown; subgraphCounter?: number };
  __pregel_resume_map?: Record<string, unknown>;
}

/** One of the graphs around: its namespace, and the task of it that leads here. */
export interface Level {
  ns: string;
  task: string;
}

/** `outer:task|inner:task` has two levels, the innermost first. */
export function listLevels({ checkpoint_ns }: NestedPlace): Level[] {
  const parts = String(checkpoint_ns ?? "").split("|");
  return parts
    .map((part, index) => ({ ns: parts.slice(0, index).join("|"), task: part.slice(part.indexOf(":") + 1) }))
    .reverse();
}

/** The open questions of a level, and those of the task that leads here. */
export async function readAsked(
  { thread_id, checkpoint_map, __pregel_checkpointer: saver }: NestedPlace,
  level: Level | undefined,
): Promise<{ all: Interrupt[]; mine: Interrupt[] }> {
  const checkpoint = level && checkpoint_map?.[level.ns];
  if (checkpoint === undefined || typeof saver !== "object") return { all: [], mine: [] };
  const tuple = await saver.getTuple({
    configurable: { thread_id, checkpoint_ns: level?.ns, checkpoint_id: checkpoint },
  });
  const asked = listAsked(tuple?.pendingWrites);
  const mine = asked.filter(([task]) => task === level?.task);
  return { all: listInterrupts(asked), mine: listInterrupts(mine) };
}

/** What the unfinished tasks of a checkpoint ask. */
export function listAsked(writes: CheckpointTuple["pendingWrites"] = []): CheckpointPendingWrite[] {
  const finished = new Set(writes.flatMap(([task, channel]) => (channel.startsWith("__") ? [] : [task])));
  return writes.filter(([task, channel]) => channel === "__interrupt__" && !finished.has(task));
}

/** What those writes ask, each question once. */
export function listInterrupts(writes: CheckpointPendingWrite[]): Interrupt[] {
  return listOpen(writes.map(([, , value]) => value as Interrupt | Interrupt[]));
}

/**
 * Takes a plain answer back from the graphs around: one that was refused would be taken once a single question is
 * left, by whoever goes on without an answer.
 */
export async function forgetAnswers(place: NestedPlace, control: unknown): Promise<void> {
  for (const { ns } of listLevels(place)) await forgetAnswer(place, ns, control);
}

async function forgetAnswer(
  { thread_id, checkpoint_map, __pregel_checkpointer: saver }: NestedPlace,
  ns: string,
  control: unknown,
): Promise<void> {
  const checkpoint_id = checkpoint_map?.[ns];
  if (checkpoint_id === undefined || typeof saver !== "object") return;
  const place = { configurable: { thread_id, checkpoint_ns: ns, checkpoint_id } };
  const writes = (await saver.getTuple(place))?.pendingWrites ?? [];
  if (!writes.some(([task, channel]) => task === NO_TASK && channel === RESUME)) return;
  // LangGraph takes null for none.
  // The run goes on: to our own savers, its control says that this is no other one.
  await saver.putWrites({ ...place, control } as never, [[RESUME, null]], NO_TASK);
}
