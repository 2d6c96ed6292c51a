import { randomUUID } from "node:crypto";
import { HumanMessage } from "@langchain/core/messages";
import { KnownHistory } from "../../checkpoint/delta-history.ts";
import { SkillgraphError } from "../../errors.ts";
import { explainUnknownSkill } from "../../graph/loading/explain.ts";
import { readSlash } from "../../graph/loading/slash.ts";
import { closeRun, openRun } from "../../graph/run.ts";
import { readAgentFacts, requireSaver, type SkillAgent } from "../agent.ts";
import { checkOptions } from "../check-options.ts";
import type { RuntimeEvent } from "./events.ts";
import { requireThread } from "./list-threads.ts";
import { decideResume, type ResumeOptions, readTarget } from "./resume-input.ts";
import { isHeld, type RunOptions, readFacts, runThread } from "./run.ts";
import { type ThreadFacts, toLeftProgress } from "./thread-facts.ts";

/** How to start a thread, or to write on one. */
export interface StartOptions extends RunOptions {
  /** A thread to write on. Default: a new one. */
  thread?: string;
  /** A name for people, shown in lists. */
  name?: string;
  /** True to run the skill that the task names with `/name` as a wizard, also one that is not marked as one. */
  wizard?: boolean;
}

/**
 * Sends a message, on a new thread or on a given one, and yields what happens until the run ends or waits.
 *
 * @returns events; the last is `run-end` with the thread's id and its status
 * @throws SkillgraphError `thread-busy` when another run holds the thread, `thread-unknown` for a given thread
 * that is not there, `usage` for an empty task, an option that is not known or an agent that keeps no threads; with
 * `wizard` also `usage` for a task that names no skill, and `skill-unknown`. A task that begins with `/` and no
 * skill's name is sent as text.
 * @example
 * ```ts
 * import { createSkillAgent, startThread } from "skillgraph";
 * const agent = await createSkillAgent({ model: "offline" });
 * for await (const event of startThread(agent, "/file-organizer inbox")) {
 *   if (event.type === "run-end") process.stdout.write(`${event.status} ${event.thread}\n`);
 * }
 * ```
 */
export async function* startThread(
  agent: SkillAgent,
  task: string,
  options: StartOptions = {},
): AsyncGenerator<RuntimeEvent, void> {
  const { store } = readAgentFacts(agent);
  checkOptions("startThread", options);
  if (typeof task !== "string" || task.trim() === "") {
    throw new SkillgraphError("usage", "The task is empty: say what to do.");
  }
  requireSaver(agent);
  if (options.thread !== undefined) await requireThread(store, options.thread);
  const thread = options.thread ?? randomUUID();
  if (options.name !== undefined) await store?.threads.setThreadInfo(thread, { name: options.name });
  const context = options.wizard
    ? { ...options.context, wizard: findNamedWizard(agent, task) }
    : options.context;
  yield* runThread(agent, thread, () => ({ messages: [{ role: "user", content: task }] }), {
    ...options,
    ...(context ? { context } : {}),
  });
}

/**
 * Answers what a thread waits for, or goes on after a crash, a stop or a limit.
 *
 * @returns events; the last is `run-end`
 * @throws SkillgraphError `thread-unknown`; `nothing-pending` when nothing is open; `request-unknown` when the
 * answer is for another request; `answer-invalid` when it does not fit; `thread-busy`; `usage` for a `by` that is no
 * name or an option that is not known. The thread is unchanged then. Where somebody else answered first, the message
 * says who.
 * @example
 * ```ts
 * import { createSkillAgent, resumeThread } from "skillgraph";
 * const agent = await createSkillAgent();
 * for await (const event of resumeThread(agent, "9b2f6a52-7f0e-4c57-9f0e-2f1f6f1d2c11", { reply: true })) {
 *   if (event.type === "text-delta") process.stdout.write(event.text);
 * }
 * ```
 */
export async function* resumeThread(
  agent: SkillAgent,
  thread: string,
  options: ResumeOptions = {},
): AsyncGenerator<RuntimeEvent, void> {
  requireSaver(agent);
  checkOptions("resumeThread", options);
  await requireThread(readAgentFacts(agent).store, thread);
  const history = new KnownHistory();
  const seen = readTarget(options) ?? (await readFacts(agent, thread, history)).request?.id;
  const answers = options.reply === undefined ? undefined : seen;
  const decide = (facts: ThreadFacts) => decideResume(facts, options, seen);
  yield* runThread(agent, thread, decide, options, { answers, history });
}

/**
 * What a thread holds: its status, its messages, its skills, and what it waits for.
 *
 * @throws SkillgraphError `thread-unknown`
 */
export async function readThread(agent: SkillAgent, thread: string): Promise<ThreadFacts> {
  requireSaver(agent);
  await requireThread(readAgentFacts(agent).store, thread);
  const facts = await readFacts(agent, thread);
  const progress = (await isHeld(agent, thread)) ? facts.progress : toLeftProgress(facts);
  return progress ? { ...facts, progress } : facts;
}

/**
 * Deletes a thread with all its checkpoints.
 *
 * @throws SkillgraphError `thread-unknown`, `thread-busy` while it runs, or `usage` for a saver of the caller's that
 * cannot delete
 */
export async function deleteThread(agent: SkillAgent, thread: string): Promise<void> {
  const saver = requireSaver(agent);
  const { store, leases } = readAgentFacts(agent);
  await requireThread(store, thread);
  // A saver in JavaScript may lack what its type promises.
  const isAble = typeof (saver as Partial<typeof saver>).deleteThread === "function";
  if (!store && !isAble) {
    throw new SkillgraphError("usage", "This agent's saver cannot delete threads: it has no deleteThread.");
  }
  const run = await openRun({ leases, thread });
  try {
    await (store ? store.threads.deleteThread(thread) : saver.deleteThread(thread));
  } finally {
    await closeRun(run);
  }
}

function findNamedWizard(agent: SkillAgent, task: string): string {
  const [named] = readSlash(new HumanMessage(task), readAgentFacts(agent).catalog());
  if (named) return named.name;
  const name = /^\s*[/$](\S+)/u.exec(task)?.[1];
  const catalog = readAgentFacts(agent).catalog();
  if (name !== undefined && catalog.get(name)) {
    throw new SkillgraphError(
      "usage",
      `The skill "${name}" cannot be named by a person, so it cannot be run as a wizard.`,
    );
  }
  if (name !== undefined) throw new SkillgraphError("skill-unknown", explainUnknownSkill(name, catalog));
  throw new SkillgraphError(
    "usage",
    `A wizard is named at the beginning of the task: /NAME …, not "${task.slice(0, 40)}".`,
  );
}
