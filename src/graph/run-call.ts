import { getConfig, isGraphBubbleUp, type LangGraphRunnableConfig, task } from "@langchain/langgraph";
import { toMessage } from "../errors.ts";
import type { ToolContext } from "../tools/tool.ts";
import { parseInput } from "../tools/toolbox.ts";
import { emitEvent } from "./events.ts";
import type { GraphParts } from "./parts.ts";
import { type Run, readRun } from "./run.ts";
import type { ActiveSkill, PendingCall } from "./state.ts";

/** What became of a call. `unknown`: an earlier run began it, and nobody saw its end. */
export interface CallOutcome {
  id: string;
  status: "success" | "error" | "unknown";
  text: string;
}

/**
 * Carries out one call as a LangGraph task: its result is stored on its own, so a finished call never runs
 * again. The task's name is constant, since a name for each call would stay in every later checkpoint.
 */
export function createCallRunner(parts: GraphParts) {
  return async (
    call: PendingCall,
    active: ActiveSkill[],
    config: LangGraphRunnableConfig,
  ): Promise<CallOutcome> => {
    const runTask = task("call", async (id: string): Promise<CallOutcome> => {
      const { life } = readRun(config);
      const isOfEarlierRun = call.life !== undefined && call.life !== life;
      const isResumed = parts.toolbox.get(call.tool)?.mayPause === true && isAnswering(getConfig());
      if (isOfEarlierRun && !isResumed) return { id, status: "unknown", text: "" };
      return track(runCall(call, active, parts, config), readRun(config));
    });
    return runTask(call.id);
  };
}

async function track<Result>(work: Promise<Result>, run: Run): Promise<Result> {
  run.working.add(work);
  try {
    return await work;
  } finally {
    run.working.delete(work);
  }
}

async function runCall(
  call: PendingCall,
  active: ActiveSkill[],
  parts: GraphParts,
  config: LangGraphRunnableConfig,
): Promise<CallOutcome> {
  const { id, tool: name, input } = call;
  emitEvent(config, { type: "tool-start", id, tool: name, input });
  const outcome = await attempt(call, active, parts, config);
  emitEvent(config, { type: "tool-end", id, tool: name, status: outcome.status, output: outcome.text });
  return { id, ...outcome };
}

/** A failure becomes a result that the model can repair; a pause inside a tool is let through. */
async function attempt(
  call: PendingCall,
  active: ActiveSkill[],
  parts: GraphParts,
  config: LangGraphRunnableConfig,
): Promise<{ status: "success" | "error"; text: string }> {
  const tool = parts.toolbox.get(call.tool);
  if (!tool) return { status: "error", text: `The tool "${call.tool}" is not there any more.` };
  const parsed = parseInput(tool, call.input);
  if (!parsed.ok) return { status: "error", text: parsed.message };
  try {
    const text = await tool.run(parsed.input, toContext(active, parts, config));
    return { status: "success", text };
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    return { status: "error", text: toMessage(error) };
  }
}

function toContext(active: ActiveSkill[], parts: GraphParts, config: LangGraphRunnableConfig): ToolContext {
  const { onProcessGroup } = readRun(config);
  return {
    workspace: parts.policy.workspace,
    // The full text of a long output is kept there, for the model to read in parts.
    readableFolders: [...active.map((skill) => skill.directory), parts.outputFolder],
    environment: parts.environment,
    outputFolder: parts.outputFolder,
    ...(config.signal ? { signal: config.signal } : {}),
    ...(onProcessGroup ? { onProcessGroup } : {}),
  };
}

/** True when this task paused in an earlier run and an answer for it has come: it is re-entered on purpose. */
function isAnswering(config: LangGraphRunnableConfig): boolean {
  const scratchpad = config.configurable?.__pregel_scratchpad as
    | { resume?: unknown[]; nullResume?: unknown }
    | undefined;
  return (scratchpad?.resume?.length ?? 0) > 0 || scratchpad?.nullResume !== undefined;
}
