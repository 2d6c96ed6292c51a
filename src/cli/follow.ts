import { parseCheckpointUrl } from "../checkpoint/checkpoint-url.ts";
import { SkillgraphError } from "../errors.ts";
import { readAgentFacts, type SkillAgent } from "../runtime/agent.ts";
import { checkRules } from "../runtime/doctor/check-rules.ts";
import type { RunEnd, RuntimeEvent } from "../runtime/threads/events.ts";
import { resumeThread } from "../runtime/threads/threads.ts";
import type { Ask, TakeCommand } from "./ask.ts";
import { type CatalogFlags, type CommonFlags, toCarriedFlags } from "./flags.ts";
import { watchInterrupts } from "./interrupts.ts";
import { toProgramName } from "./program-name.ts";
import { createJsonRenderer, createTextRenderer, type Renderer } from "./render.ts";
import { renderResume } from "./render-request.ts";
import { toSafeLine } from "./safe-text.ts";
import { note, type Screen } from "./screen.ts";

/** Who watches a run, and who answers its questions. */
export interface Watcher {
  renderer: Renderer;
  /** Left out where nobody can be asked: the question stays open. */
  ask?: Ask;
  /** Flags that a printed command repeats; left out where threads are gone with the process. */
  carried?: string;
}

/** Starts or resumes a run under a signal. */
export type StartRun = (signal: AbortSignal) => AsyncGenerator<RuntimeEvent, void>;

/**
 * The watcher for the flags: JSON lines, or text with questions asked where there is a terminal.
 *
 * @param takeCommand takes what is typed with a `/` where an answer could be
 */
export async function createWatcher(
  agent: SkillAgent,
  screen: Screen,
  flags: CommonFlags,
  takeCommand?: TakeCommand,
): Promise<Watcher> {
  const { checkpoint } = readAgentFacts(agent).settings;
  const isKept = parseCheckpointUrl(checkpoint).kind !== "memory";
  const kept = isKept ? { carried: toCarriedFlags(flags) } : {};
  if (flags.json) return { renderer: createJsonRenderer(screen), ...kept };
  const renderer = createTextRenderer(screen);
  if (!process.stdin.isTTY || !screen.out.isTerminal) return { renderer, ...kept };
  const { createTerminalAsk } = await import("./ask.ts");
  return { renderer, ...kept, ask: createTerminalAsk(screen, takeCommand ? { takeCommand } : {}) };
}

/**
 * Follows a run to its end, and through every question that the watcher can answer. The first signal stops the
 * run in order.
 */
export async function followRun(agent: SkillAgent, start: StartRun, watcher: Watcher): Promise<RunEnd> {
  const { renderer, carried } = watcher;
  let end = await followOnce(start, watcher);
  for (let fault: string | undefined; ; ) {
    const { thread, request } = end;
    // What a caller's own tool asks is only shown: nobody here knows what fits.
    const ask = Array.isArray(request?.items) ? watcher.ask : undefined;
    const reply =
      request && (await ask?.(fault === undefined ? request : { ...request, errors: [fault] }, thread));
    if (reply === undefined || !request) {
      renderer.finish(end, carried, ask !== undefined);
      return end;
    }
    fault = undefined;
    try {
      end = await followOnce(
        (signal) => resumeThread(agent, thread, { reply, request: request.id, signal }),
        watcher,
      );
    } catch (error) {
      // The thread is as it was, so the person can answer again.
      if (!(error instanceof SkillgraphError) || error.code !== "answer-invalid") throw error;
      fault = error.message;
    }
  }
}

/** Faults in the settings that do not stop a run, and how many skills have some. */
export function showDiagnostics(agent: SkillAgent, screen: Screen, flags: CatalogFlags): void {
  const { settings, catalog } = readAgentFacts(agent);
  for (const { path, message } of [...settings.diagnostics, ...checkRules(settings)])
    note(screen, toSafeLine(`! ${path}: ${message}`, 500));
  const faults = catalog().diagnostics.filter(({ severity }) => severity === "error");
  const count = new Set(faults.map(({ path }) => path)).size;
  if (count === 0) return;
  const { cwd, skills, trust } = flags;
  const carried = toCarriedFlags({
    ...(cwd === undefined ? {} : { cwd }),
    ...(skills ? { skills } : {}),
    ...(trust ? { trust } : {}),
  });
  const subject = count === 1 ? "1 skill is" : `${count} skills are`;
  note(screen, `! ${subject} not offered: see ${`${toProgramName()} list ${carried}`.trim()}`);
}

async function followOnce(start: StartRun, { renderer, carried }: Watcher): Promise<RunEnd> {
  const interrupts = watchInterrupts();
  let [thread, isKept] = ["", false];
  try {
    let end: RunEnd | undefined;
    for await (const event of start(interrupts.signal)) {
      renderer.show(event);
      if (event.type === "run-start") thread = event.thread;
      if (event.type === "checkpoint") isKept = true;
      if (event.type === "run-end") end = event;
    }
    if (end) return end;
    throw new Error("The run ended without saying how.");
  } catch (error) {
    if (!isKept || carried === undefined) throw error;
    throw addWayOn(error, renderResume(thread, carried));
  } finally {
    interrupts.dispose();
  }
}

/** A store that went away in the middle cannot tell how the run stands; the thread is in it all the same. */
function addWayOn(error: unknown, command: string): unknown {
  if (!(error instanceof SkillgraphError) || error.code !== "checkpoint-unavailable") return error;
  const message = `${error.message} Once that is mended, go on with: ${command}`;
  return new SkillgraphError(error.code, message, { cause: error });
}
