import { closeAgent, type SkillAgent } from "../../runtime/agent.ts";
import { findCheckpoint, forkThread } from "../../runtime/threads/fork.ts";
import { readHistory } from "../../runtime/threads/history.ts";
import { findThread, listThreads } from "../../runtime/threads/list-threads.ts";
import { isHeld } from "../../runtime/threads/run.ts";
import type { ThreadFacts, ThreadMessage } from "../../runtime/threads/thread-facts.ts";
import { deleteThread, readThread } from "../../runtime/threads/threads.ts";
import { exitCodes } from "../exit-code.ts";
import {
  type ForkFlags,
  pickOne,
  type ShowThreadFlags,
  type ThreadsFlags,
  toCarriedFlags,
} from "../flags.ts";
import { openAgent } from "../open-agent.ts";
import { renderDecisions } from "../render-decisions.ts";
import { renderAnswers, renderCall, renderRequest, renderResume } from "../render-request.ts";
import { renderRecord, renderThread } from "../render-threads.ts";
import { toJsonDocument, toSafeLine, toSafeText } from "../safe-text.ts";
import { createScreen, note, print, type Screen } from "../screen.ts";

/** `skillgraph threads`: the kept runs, newest first. */
export function listKeptThreads(flags: ThreadsFlags): Promise<number> {
  return withAgent(flags, async (agent, screen) => {
    const all = await listThreads(agent);
    const threads = flags.waiting ? all.filter(({ status }) => status === "waiting") : all;
    if (flags.json) return screen.out.write(toJsonDocument({ threads }));
    if (threads.length === 0)
      return note(screen, flags.waiting ? "No thread waits for an answer." : "No threads yet.");
    for (const summary of threads) screen.out.write(renderThread(summary));
  });
}

/** `skillgraph threads show ID`: what a thread holds and what it waits for. */
export function showThread(prefix: string, flags: ShowThreadFlags): Promise<number> {
  return withAgent(flags, async (agent, screen) => {
    pickOne(flags, ["usage", "decisions"]);
    const facts = await readThread(agent, await findThread(agent, prefix));
    if (flags.json) return screen.out.write(toJsonDocument(facts));
    const isRunning = await isHeld(agent, facts.thread);
    if (flags.usage) return printUsage(facts, screen);
    if (flags.decisions) return printDecisions(facts, screen);
    const { thread, status, updatedAt, name, program, skills, progress, messages, request, usage } = facts;
    const { stop, loads } = facts;
    const { colors } = screen.out;
    print(screen, `${colors.bold(thread)}  ${isRunning ? "running" : status}  ${updatedAt}`);
    if (name !== undefined) print(screen, `name: ${toSafeLine(name)}`);
    if (program !== undefined) print(screen, `skillgraph: ${toSafeLine(program)}`);
    for (const skill of skills)
      print(screen, toSafeLine(`skill: ${skill.name} ${skill.arguments} (${skill.path})`, 1000));
    for (const record of loads) print(screen, renderRecord(record));
    if (progress) print(screen, `stage: ${toSafeLine(progress.line)} · ${toSafeLine(progress.title)}`);
    print(
      screen,
      `model calls: ${usage.modelCalls}, tokens: ${usage.inputTokens} in, ${usage.outputTokens} out`,
    );
    for (const message of messages) printMessage(message, screen);
    const carried = toCarriedFlags(flags);
    if (stop) print(screen, `\nStopped: ${toSafeLine(stop.reason, 500)}`);
    if (request)
      screen.out.write(`${renderRequest(request, colors, thread)}${renderAnswers(thread, request, carried)}`);
    if (!isRunning && (status === "stopped" || status === "failed"))
      print(screen, `${stop ? "" : "\n"}Go on with: ${renderResume(thread, carried)}`);
  });
}

/** `skillgraph threads history ID`: the checkpoints, newest first. */
export function showHistory(prefix: string, flags: ThreadsFlags): Promise<number> {
  return withAgent(flags, async (agent, screen) => {
    const thread = await findThread(agent, prefix);
    const checkpoints = await readHistory(agent, thread);
    if (flags.json) return screen.out.write(toJsonDocument({ thread, checkpoints }));
    for (const { checkpoint, step, at, next, summary } of checkpoints) {
      const after = next.length > 0 ? ` → ${next.join(", ")}` : "";
      print(screen, `${checkpoint}  ${String(step).padStart(3)}  ${at}  ${toSafeLine(`${summary}${after}`)}`);
    }
  });
}

/** `skillgraph threads fork ID --at CHECKPOINT`: a new thread from a checkpoint, with its question open again. */
export function forkKeptThread(prefix: string, flags: ForkFlags): Promise<number> {
  return withAgent(flags, async (agent, screen) => {
    const thread = await findThread(agent, prefix);
    const checkpoint = await findCheckpoint(agent, thread, flags.at);
    const fork = await forkThread(agent, thread, checkpoint);
    const { status, request } = await readThread(agent, fork);
    if (flags.json) {
      const facts = { thread: fork, status, forkOf: { thread, checkpoint } };
      return screen.out.write(toJsonDocument({ ...facts, ...(request ? { request } : {}) }));
    }
    print(screen, `Thread ${fork} goes on from checkpoint ${checkpoint} of thread ${thread}.`);
    const carried = toCarriedFlags(flags);
    if (request) {
      const asked = renderRequest(request, screen.out.colors, fork);
      screen.out.write(`${asked}${renderAnswers(fork, request, carried)}`);
    } else if (status !== "finished") print(screen, `Go on with: ${renderResume(fork, carried)}`);
  });
}

/** `skillgraph threads rm ID`: deletes a thread with all its checkpoints. */
export function removeThread(prefix: string, flags: ThreadsFlags): Promise<number> {
  return withAgent(flags, async (agent, screen) => {
    const thread = await findThread(agent, prefix);
    await deleteThread(agent, thread);
    if (flags.json) return screen.out.write(toJsonDocument({ removed: thread }));
    print(screen, `Thread ${thread} is deleted.`);
  });
}

/** What the thread has cost, and what its skills cost in each request from now on. */
function printUsage({ usage, skills, loads }: ThreadFacts, screen: Screen): void {
  print(screen, `model calls: ${usage.modelCalls}`);
  print(screen, `tokens in:   ${usage.inputTokens}`);
  print(screen, `tokens out:  ${usage.outputTokens}`);
  const sum = skills.reduce((total, { tokens }) => total + tokens, 0);
  print(screen, `skills in each request: ${sum} tokens`);
  for (const { name, tokens } of skills) print(screen, `  ${toSafeLine(name)}  ${tokens}`);
  for (const record of loads) print(screen, renderRecord(record));
}

/** Which calls were allowed, asked or refused, by what, and what a person answered. */
function printDecisions({ decisions }: ThreadFacts, screen: Screen): void {
  if (decisions.length === 0) note(screen, "Nothing was decided on this thread yet.");
  else for (const line of renderDecisions(decisions)) print(screen, line);
}

async function withAgent(
  flags: ThreadsFlags,
  act: (agent: SkillAgent, screen: Screen) => Promise<void>,
): Promise<number> {
  const agent = await openAgent(flags, { isOnlyForKept: true });
  try {
    await act(agent, createScreen());
    return exitCodes.finished;
  } finally {
    await closeAgent(agent);
  }
}

function printMessage({ role, text, calls = [] }: ThreadMessage, screen: Screen): void {
  const { colors } = screen.out;
  print(screen, `\n${colors.bold(role)}`);
  if (text.trim() !== "") print(screen, toSafeText(text).trimEnd());
  for (const { tool, input } of calls) print(screen, renderCall(tool, input));
}
