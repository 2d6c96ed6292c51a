import { getConfig, isGraphBubbleUp, type LangGraphRunnableConfig, task } from "@langchain/langgraph";
import { toMessage } from "../errors.ts";
import { capOutput, cleanText } from "../tools/output.ts";
import type { ToolContext } from "../tools/tool.ts";
import { parseInput } from "../tools/toolbox.ts";
import { readContext } from "./context.ts";
import { emitEvent } from "./events.ts";
import { type Bench, createFetchCheck, createReadCheck } from "./judge.ts";
import { searchOffered } from "./loading/offer.ts";
import { holdTrust } from "./loading/trust.ts";
import type { GraphParts } from "./parts.ts";
import { decideLast } from "./review/judge-again.ts";
import { noteEntered, type Run, readRun, wasNeverEntered } from "./run.ts";
import type { PendingCall, State } from "./state.ts";
import { openToolbox } from "./wizard/wizard.ts";

type CallPlace = Pick<State, "active" | "texts" | "unlocked">;

/**
 * What became of a call. `unknown`: an earlier run began it, and nobody saw its end. `answered`: it had paused to
 * ask, and the answers have come; they are kept before the call is entered again.
 */
export interface CallOutcome {
  id: string;
  status: "success" | "error" | "unknown" | "answered";
  text: string;
  answers?: unknown[];
}

/**
 * Carries out one call as a LangGraph task: its result is stored on its own, so a finished call never runs
 * again. The task's name is constant, since a name for each call would stay in every later checkpoint.
 */
export function createCallRunner(parts: GraphParts) {
  return async (
    call: PendingCall,
    state: CallPlace,
    config: LangGraphRunnableConfig,
  ): Promise<CallOutcome> => {
    const runTask = task("call", async (id: string): Promise<CallOutcome> => {
      const run = readRun(config);
      const isOfEarlierRun = call.life !== undefined && call.life !== run.life;
      if (isOfEarlierRun && !wasNeverEntered(call.life ?? "", id)) {
        const mayPause = parts.toolbox.get(call.tool)?.mayPause === true;
        const answers = mayPause && run.answers !== false ? takeAnswers(call, getConfig()) : [];
        return answers.length > 0
          ? { id, status: "answered", text: "", answers }
          : { id, status: "unknown", text: "" };
      }
      if (call.answers) giveAnswers(getConfig(), call.answers);
      noteEntered(run, call.life, id);
      return track(runCall(call, state, parts, config), run);
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
  state: CallPlace,
  parts: GraphParts,
  config: LangGraphRunnableConfig,
): Promise<CallOutcome> {
  const { id, tool: name, input } = call;
  emitEvent(config, { type: "tool-start", id, tool: name, input });
  const outcome = await attempt(call, state, parts, config);
  emitEvent(config, { type: "tool-end", id, tool: name, status: outcome.status, output: outcome.text });
  return { id, ...outcome };
}

/** A failure becomes a result that the model can repair; a pause inside a tool is let through. */
async function attempt(
  call: PendingCall,
  state: CallPlace,
  parts: GraphParts,
  config: LangGraphRunnableConfig,
): Promise<{ status: "success" | "error"; text: string }> {
  const tool = openToolbox(parts.toolbox, state).get(call.tool);
  if (!tool) return { status: "error", text: `The tool "${call.tool}" is not there any more.` };
  const parsed = parseInput(tool, call.input);
  if (!parsed.ok) return { status: "error", text: parsed.message };
  try {
    const bench = openBench(state, parts, config);
    const context = await toContext(call, bench, config);
    const decidedPath = decideLast(call, tool, parsed.input, bench);
    const text = await tool.run(
      parsed.input,
      decidedPath === undefined ? context : { ...context, decidedPath },
    );
    // Also what a tool says of the call itself: a model's pattern may hold half a pair.
    return { status: "success", text: cleanText(text) };
  } catch (error) {
    if (error != null && isGraphBubbleUp(error)) throw error;
    return { status: "error", text: capOutput(cleanText(toMessage(error))) };
  }
}

/** What the call is decided by, and what it finds. */
type CallBench = Bench & { parts: GraphParts; state: CallPlace };

function openBench(state: CallPlace, parts: GraphParts, config: LangGraphRunnableConfig): CallBench {
  const catalog = parts.catalog();
  return { parts, catalog, state, mayGrant: holdTrust(parts, catalog, state.active, config) };
}

async function toContext(
  { id: callId, approved = false }: PendingCall,
  bench: CallBench,
  config: LangGraphRunnableConfig,
): Promise<ToolContext> {
  const { parts, catalog, state } = bench;
  const { onProcessGroup } = readRun(config);
  const { sandbox, missing } = await parts.sandbox();
  return {
    callId,
    approved,
    workspace: parts.policy.workspace,
    // The full text of a long output is kept there, for the model to read in parts.
    readableFolders: [...state.active.map((skill) => skill.directory), parts.outputFolder],
    relativeFolders: state.active.map((skill) => skill.directory).reverse(),
    environment: toEnvironment(parts.environment, state),
    outputFolder: parts.outputFolder,
    searchSkills: searchOffered(catalog, readContext(config), state),
    mayRead: createReadCheck(bench),
    mayFetch: createFetchCheck(bench),
    privateHosts: parts.privateHosts,
    ...(sandbox ? { sandbox } : {}),
    ...(missing === undefined ? {} : { sandboxMissing: missing }),
    ...(config.signal ? { signal: config.signal } : {}),
    ...(onProcessGroup ? { onProcessGroup } : {}),
  };
}

/** Commands find the folder of the skill that was loaded last, under the name that skills use and under ours. */
function toEnvironment(environment: Record<string, string>, { active }: CallPlace): Record<string, string> {
  const directory = active.at(-1)?.directory;
  return directory === undefined
    ? environment
    : { ...environment, CLAUDE_SKILL_DIR: directory, SKILL_DIR: directory };
}

/** LangGraph's notes on a paused task: the answers to its questions so far. */
interface Scratchpad {
  resume: unknown[];
  nullResume?: unknown;
  consumeNullResume?: () => unknown;
}

function readScratchpad(config: LangGraphRunnableConfig): Scratchpad | undefined {
  return config.configurable?.__pregel_scratchpad as Scratchpad | undefined;
}

/** All answers of a call that paused in an earlier run, when a new one has come; taken, so that it counts once. */
function takeAnswers(call: PendingCall, config: LangGraphRunnableConfig): unknown[] {
  const scratchpad = readScratchpad(config);
  if (!scratchpad) return [];
  const { resume, nullResume } = scratchpad;
  const last = nullResume === undefined ? [] : [nullResume];
  scratchpad.consumeNullResume?.();
  if (last.length === 0 && resume.length <= (call.answers?.length ?? 0)) return [];
  return [...(resume.length > 0 ? resume : (call.answers ?? [])), ...last];
}

function giveAnswers(config: LangGraphRunnableConfig, answers: unknown[]): void {
  const scratchpad = readScratchpad(config);
  if (scratchpad?.resume.length === 0) scratchpad.resume.push(...answers);
}
