import { GraphInterrupt } from "@langchain/langgraph";
import { createAmbiguous } from "./check-answer.ts";
import {
  forgetAnswers,
  type Level,
  listAsked,
  listInterrupts,
  listLevels,
  type NestedPlace,
  readAsked,
} from "./nested-place.ts";

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
  const levels = listLevels(place);
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
    await forgetAnswers(place, control);
    throw createAmbiguous(`thread "${String(place.thread_id)}"`, ids);
  }
  // This run has it: it is for no later one.
  await forgetAnswers(place, control);
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
