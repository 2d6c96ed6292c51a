import { type BaseCheckpointSaver, GraphInterrupt, type Interrupt } from "@langchain/langgraph";
import type { CheckpointPendingWrite, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { createAmbiguous, listOpen } from "./check-answer.ts";

/** Under which LangGraph keeps an answer that names no question, and as what. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";
const RESUME = "__resume__";

/** What LangGraph hands to a graph inside another one, as far as it is read here. */
interface NestedPlace {
  thread_id?: unknown;
  checkpoint_ns?: unknown;
  /** Checkpoints of the graphs around, by namespace. */
  checkpoint_map?: Record<string, string>;
  __pregel_checkpointer?: BaseCheckpointSaver;
  __pregel_scratchpad?: { nullResume?: unknown; subgraphCounter?: number };
  __pregel_resume_map?: Record<string, unknown>;
}

/** One of the graphs around: its namespace, and the task of it that leads here. */
interface Level {
  ns: string;
  task: string;
}

/**
 * Keeps the answers to a graph around this one apart. LangGraph gives a plain answer to each task that asks, and
 * enters every one of them again, also where another one was answered. It also gives a plain answer to whatever is
 * asked first, also where its own question was answered before a crash, and again to the next question when the
 * graph around goes on without an answer.
 *
 * @param options `isKept`: the graph's state stays from turn to turn; `control`: LangGraph's mark of the whole run
 * @returns what is to be called once this run is over
 * @throws SkillgraphError `answer-invalid` for a plain answer while several tasks ask; LangGraph's pause, as it was,
 * when the answer is for another task
 */
export async function settleNestedAnswer(
  configurable: Record<string, unknown>,
  { isKept, control }: { isKept: boolean; control: unknown },
): Promise<(() => void) | undefined> {
  const place = configurable as NestedPlace;
  const { __pregel_scratchpad: scratchpad, __pregel_resume_map: byId } = place;
  const levels = listLevels(String(place.checkpoint_ns ?? ""));
  if (byId) {
    // A plain answer that was refused stays in the checkpoint; this one counts in its place.
    delete scratchpad?.nullResume;
    const mine = (await readAsked(place, levels[0])).mine;
    if (mine.length > 0 && !mine.some(({ id }) => Object.hasOwn(byId, id ?? "")))
      throw new GraphInterrupt(mine);
    return undefined;
  }
  if (scratchpad?.nullResume == null) {
    // What was forgotten would be handed on as an answer.
    delete scratchpad?.nullResume;
    return undefined;
  }
  for (const level of levels) {
    const { all, mine } = await readAsked(place, level);
    const ids = all.map(({ id }) => id ?? "").sort();
    if (ids.length < 2) continue;
    // One of them says it for all.
    if (mine.length > 0 && mine[0]?.id !== ids[0]) throw new GraphInterrupt(mine);
    for (const { ns } of levels) await forgetAnswer(place, ns, control);
    throw createAmbiguous(`thread "${String(place.thread_id)}"`, ids);
  }
  // This run has it: it is for no later one.
  for (const { ns } of levels) await forgetAnswer(place, ns, control);
  if (!(await isPastQuestion(place, isKept, levels[0]))) return undefined;
  const { nullResume } = scratchpad;
  delete scratchpad.nullResume;
  // It may be for another graph in the same task.
  return () => {
    scratchpad.nullResume = nullResume;
  };
}

/** True where this graph was under way, and the question that the graph around shows is not open in it any more. */
async function isPastQuestion(
  place: NestedPlace,
  isKept: boolean,
  around: Level | undefined,
): Promise<boolean> {
  const { thread_id, checkpoint_ns, __pregel_checkpointer: saver, __pregel_scratchpad: scratchpad } = place;
  if (typeof saver !== "object") return false;
  const outer = String(checkpoint_ns ?? "");
  const own = isKept ? outer.replace(/:[^|]*/g, "") : outer;
  // The second graph of a task, and each later one, has its number in its namespace.
  const number = scratchpad?.subgraphCounter ?? 0;
  const tuple = await saver.getTuple({
    configurable: { thread_id, checkpoint_ns: number > 0 ? `${own}|${number}` : own },
  });
  if (tuple === undefined) return false;
  const shown = new Set((await readAsked(place, around)).mine.map(({ id }) => id));
  return !listInterrupts(listAsked(tuple.pendingWrites)).some(({ id }) => shown.has(id));
}

/** What was refused would be taken once a single question is left, by whoever goes on without an answer. */
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

/** `outer:task|inner:task` has two levels, the innermost first. */
function listLevels(ns: string): Level[] {
  const parts = ns.split("|");
  return parts
    .map((part, index) => ({ ns: parts.slice(0, index).join("|"), task: part.slice(part.indexOf(":") + 1) }))
    .reverse();
}

/** The open questions of a level, and those of the task that leads here. */
async function readAsked(
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
function listAsked(writes: CheckpointTuple["pendingWrites"] = []): CheckpointPendingWrite[] {
  const finished = new Set(writes.flatMap(([task, channel]) => (channel.startsWith("__") ? [] : [task])));
  return writes.filter(([task, channel]) => channel === "__interrupt__" && !finished.has(task));
}

function listInterrupts(writes: CheckpointPendingWrite[]): Interrupt[] {
  return listOpen(writes.map(([, , value]) => value as Interrupt | Interrupt[]));
}
