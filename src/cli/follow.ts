import { readAgentFacts, type SkillAgent } from "../runtime/agent.ts";
import type { RunEnd, RuntimeEvent } from "../runtime/events.ts";
import { resumeThread } from "../runtime/threads.ts";
import type { Ask } from "./ask.ts";
import { type CommonFlags, toCarriedFlags } from "./flags.ts";
import { watchInterrupts } from "./interrupts.ts";
import { createJsonRenderer, createTextRenderer, type Renderer } from "./render.ts";
import { toSafeLine } from "./safe-text.ts";
import { note, type Screen } from "./screen.ts";

/** Who watches a run, and who answers its questions. */
export interface Watcher {
  renderer: Renderer;
  /** Left out where nobody can be asked: the question stays open. */
  ask?: Ask;
  /** Flags that a printed command repeats. */
  carried: string;
}

/** Starts or resumes a run under a signal. */
export type StartRun = (signal: AbortSignal) => AsyncGenerator<RuntimeEvent, void>;

/** The watcher for the flags: JSON lines, or text with questions asked where there is a terminal. */
export async function createWatcher(screen: Screen, flags: CommonFlags): Promise<Watcher> {
  const carried = toCarriedFlags(flags);
  if (flags.json) return { renderer: createJsonRenderer(screen), carried };
  const renderer = createTextRenderer(screen);
  if (!process.stdin.isTTY || !screen.out.isTerminal) return { renderer, carried };
  const { createTerminalAsk } = await import("./ask.ts");
  return { renderer, carried, ask: createTerminalAsk(screen) };
}

/**
 * Follows a run to its end, and through every question that the watcher can answer. The first signal stops the
 * run in order.
 */
export async function followRun(agent: SkillAgent, start: StartRun, watcher: Watcher): Promise<RunEnd> {
  for (let next = start; ; ) {
    const end = await followOnce(next, watcher.renderer);
    const { thread, request } = end;
    // What a caller's own tool asks is only shown: nobody here knows what fits.
    const ask = Array.isArray(request?.items) ? watcher.ask : undefined;
    const reply = request && (await ask?.(request));
    if (reply === undefined || !request) {
      watcher.renderer.finish(end, watcher.carried, ask !== undefined);
      return end;
    }
    next = (signal) => resumeThread(agent, thread, { reply, request: request.id, signal });
  }
}

/** Faults in the settings that do not stop a run. */
export function showDiagnostics(agent: SkillAgent, screen: Screen): void {
  const { settings, catalog } = readAgentFacts(agent);
  for (const { path, message } of settings.diagnostics)
    note(screen, toSafeLine(`! ${path}: ${message}`, 500));
  const faults = catalog().diagnostics.filter(({ severity }) => severity === "error");
  for (const { path, message } of faults) note(screen, toSafeLine(`! not offered: ${path}: ${message}`, 500));
}

async function followOnce(start: StartRun, renderer: Renderer): Promise<RunEnd> {
  const interrupts = watchInterrupts();
  try {
    let end: RunEnd | undefined;
    for await (const event of start(interrupts.signal)) {
      renderer.show(event);
      if (event.type === "run-end") end = event;
    }
    if (end) return end;
    throw new Error("The run ended without saying how.");
  } finally {
    interrupts.dispose();
  }
}
