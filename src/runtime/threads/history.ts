import { isDeepStrictEqual } from "node:util";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { StateSnapshot } from "@langchain/langgraph";
import { withoutSkill } from "../../graph/loading/unload.ts";
import { closeRun, openRun, RUN_KEY } from "../../graph/run.ts";
import type { ActiveSkill } from "../../graph/skill-state.ts";
import type { State } from "../../graph/state.ts";
import { findProgress } from "../../graph/wizard/progress.ts";
import { readAgentFacts, type SkillAgent } from "../agent.ts";
import { findRequest } from "./thread-facts.ts";
import { readThread } from "./threads.ts";

/** One checkpoint of a thread. */
export interface HistoryEntry {
  checkpoint: string;
  step: number;
  /** ISO 8601. */
  at: string;
  /** Nodes that run next. */
  next: string[];
  /** What the step left behind, in a few words. */
  summary: string;
}

/**
 * The checkpoints of a thread, newest first.
 *
 * @throws SkillgraphError `thread-unknown`
 */
export async function readHistory(agent: SkillAgent, thread: string): Promise<HistoryEntry[]> {
  await readThread(agent, thread);
  const entries: HistoryEntry[] = [];
  for await (const snapshot of agent.getStateHistory({ configurable: { thread_id: thread } })) {
    entries.push(toEntry(snapshot));
  }
  return entries;
}

/**
 * Ends a skill on a thread: its text leaves the prompt and its grants end.
 *
 * @returns false when the skill was not active, or the thread waits or was left in the middle of a step
 * @throws SkillgraphError `thread-unknown`, or `thread-busy` while the thread runs
 */
export async function unloadSkill(agent: SkillAgent, thread: string, name: string): Promise<boolean> {
  return (await endSkill(agent, thread, name)) !== undefined;
}

/** As {@link unloadSkill}; returns the skill that ended. */
export async function endSkill(
  agent: SkillAgent,
  thread: string,
  name: string,
): Promise<ActiveSkill | undefined> {
  await readThread(agent, thread);
  const run = await openRun({ leases: readAgentFacts(agent).leases, thread });
  try {
    const config = { configurable: { thread_id: thread, [RUN_KEY]: run } };
    const { values, tasks } = await agent.getState(config);
    const { active = [], loads = [] } = values as Partial<State>;
    const unloaded = withoutSkill({ active, loads }, name, "person");
    // An update counts as the step of a node; with a step open it must not stand for an answer or a result.
    if (!unloaded || tasks.length > 0) return undefined;
    const after = { active: unloaded.active, loads: unloaded.loads };
    const progress = findProgress({ texts: {}, ...(values as Partial<State>), ...after }, false);
    const isSame = isDeepStrictEqual(progress, (values as Partial<State>).progress ?? null);
    await agent.updateState(config, isSame ? after : { ...after, progress }, "act");
    return unloaded.skill;
  } finally {
    await closeRun(run);
  }
}

function toEntry(snapshot: StateSnapshot): HistoryEntry {
  return {
    checkpoint: String(snapshot.config.configurable?.checkpoint_id ?? ""),
    step: snapshot.metadata?.step ?? 0,
    at: snapshot.createdAt ?? "",
    next: [...snapshot.next],
    summary: summarise(snapshot),
  };
}

function summarise(snapshot: StateSnapshot): string {
  const request = findRequest(snapshot);
  if (request) return `asks: ${(request.items ?? []).map(({ name }) => name).join(", ")}`;
  const last = (snapshot.values as Partial<State>).messages?.at(-1);
  if (!last) return "empty";
  const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []).map(({ name }) => name) : [];
  return calls.length > 0
    ? `calls ${calls.join(", ")}`
    : `${HumanMessage.isInstance(last) ? "person" : last.getType()}: ${last.text.replace(/\s+/g, " ").slice(0, 60)}`;
}
