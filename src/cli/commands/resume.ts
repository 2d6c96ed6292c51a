import { SkillgraphError } from "../../errors.ts";
import { closeAgent, type SkillAgent } from "../../runtime/agent.ts";
import {
  createNothingPending,
  createRequestUnknown,
  explainAnswered,
} from "../../runtime/threads/late-answer.ts";
import { findThread, listThreads, type ThreadSummary } from "../../runtime/threads/list-threads.ts";
import { isHeld } from "../../runtime/threads/run.ts";
import { readThread, resumeThread } from "../../runtime/threads/threads.ts";
import { toRunExitCode } from "../exit-code.ts";
import type { ResumeFlags } from "../flags.ts";
import { createWatcher, followRun, showDiagnostics } from "../follow.ts";
import { openAgent } from "../open-agent.ts";
import { toProgramName } from "../program-name.ts";
import { renderAsked } from "../render-threads.ts";
import { pickAnswer, type Reply, toReply } from "../reply.ts";
import { createScreen } from "../screen.ts";

/** Threads that an error lists. */
const MAX_LISTED = 5;

/** `skillgraph resume`: answers what is open, or goes on with what was left. */
export async function resumeRun(prefix: string | undefined, flags: ResumeFlags): Promise<number> {
  pickAnswer(flags);
  const screen = createScreen();
  const agent = await openAgent(flags, { isOnlyForKept: true });
  try {
    const thread = await findAnswered(agent, prefix, flags);
    const { request, reply } = await readReplyTo(agent, thread, flags);
    showDiagnostics(agent, screen, flags);
    const watcher = await createWatcher(agent, screen, flags);
    const answer = {
      ...(reply === undefined ? {} : { reply }),
      ...(request === undefined ? {} : { request }),
    };
    const end = await followRun(
      agent,
      (signal) => resumeThread(agent, thread, { ...answer, signal }),
      watcher,
    );
    return toRunExitCode(end);
  } finally {
    await closeAgent(agent);
  }
}

/** An answer that was typed twice must not reach another thread: without a name it is for the only one that waits. */
async function findAnswered(
  agent: SkillAgent,
  prefix: string | undefined,
  flags: ResumeFlags,
): Promise<string> {
  const isNamed = prefix !== undefined || (flags.request === undefined && pickAnswer(flags) === undefined);
  if (isNamed) return findThread(agent, prefix);
  const waiting = (await listThreads(agent)).filter(({ status }) => status === "waiting");
  const asking = waiting.find(({ request }) => request !== undefined && request.id === flags.request);
  if (asking) return asking.thread;
  if (flags.request !== undefined || waiting.length < 2) return findThread(agent);
  const shown = waiting.slice(0, MAX_LISTED).map(toChoice).join("; ");
  const more = waiting.length - MAX_LISTED;
  const rest = more > 0 ? `; ${more} more: see ${toProgramName()} threads --waiting` : "";
  throw new SkillgraphError(
    "thread-ambiguous",
    `${waiting.length} threads wait for an answer, so name the one that is meant: ${shown}${rest}.`,
  );
}

function toChoice({ thread, skill, stage, request }: ThreadSummary): string {
  const place = skill === undefined || stage === undefined ? skill : `${skill}/${stage}`;
  const asked = request === undefined ? "" : `asks: ${renderAsked(request)}`;
  return `${thread} (${[place, asked].filter((part) => part !== undefined && part !== "").join(", ")})`;
}

/** Without `--request`, the answer is for the request that is open now, and for no later one. */
async function readReplyTo(
  agent: SkillAgent,
  thread: string,
  flags: ResumeFlags,
): Promise<{ request?: string; reply?: Reply }> {
  const facts = await readThread(agent, thread);
  const { request } = facts;
  const isAnswer = pickAnswer(flags) !== undefined;
  if (!request && (isAnswer || flags.request !== undefined)) {
    const isAnswered = explainAnswered(facts, flags.request) !== undefined;
    if (!isAnswered && (await isHeld(agent, thread))) throw createRunning(thread, flags.request);
    throw createNothingPending(facts, flags.request);
  }
  if (!request) return {};
  if (flags.request !== undefined && flags.request !== request.id) {
    throw createRequestUnknown(facts, flags.request);
  }
  const reply = toReply(flags, request);
  return reply ? { request: request.id, reply } : { request: request.id };
}

function createRunning(thread: string, request: string | undefined): SkillgraphError {
  const wanted = request === undefined ? "" : `, so request "${request}" is not open on it`;
  const message = `Thread ${thread} is running in another process and waits for no answer now${wanted}.`;
  return new SkillgraphError("thread-busy", message);
}
