import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { State } from "../../src/graph/state.ts";
import {
  closeAgent,
  createSkillAgent,
  type ResumeOptions,
  type ReviewItem,
  type RunEnd,
  type RuntimeEvent,
  resumeThread,
  type SkillAgent,
  type SkillAgentOptions,
  startThread,
} from "../../src/index.ts";
import {
  type OpenAIServer,
  type OpenAIServerOptions,
  type ScriptedTurn,
  startOpenAIServer,
} from "./openai-server.ts";
import type { Workspace } from "./workspace.ts";

/** An agent on a workspace, with a scripted server as its model. */
export interface ScriptedAgent {
  agent: SkillAgent;
  server: OpenAIServer;
  /** Another agent on the same store and server, as another process would make it. */
  reopen: (options?: SkillAgentOptions) => Promise<SkillAgent>;
}

/** Starts a server with a script and an agent that talks to it; both end with the test, which must use the script up. */
export async function createScriptedAgent(
  workspace: Workspace,
  script: ScriptedTurn[],
  options: SkillAgentOptions = {},
  serverOptions: OpenAIServerOptions = {},
): Promise<ScriptedAgent> {
  const server = await startOpenAIServer(script, serverOptions);
  onTestFinished(() => server.close());
  const reopen = async (more: SkillAgentOptions = {}) => {
    const agent = await createSkillAgent({
      cwd: workspace.folder,
      environment: { ...workspace.environment, OPENAI_BASE_URL: server.url },
      model: "test-model",
      trust: true,
      ...options,
      ...more,
    });
    onTestFinished(() => closeAgent(agent));
    return agent;
  };
  return { agent: await reopen(), server, reopen };
}

/** What a run said, and how it ended. */
export interface RunResult {
  events: RuntimeEvent[];
  end: RunEnd;
}

/** Sends a message and waits for the end of the run. */
export function send(agent: SkillAgent, task: string, options: Parameters<typeof startThread>[2] = {}) {
  return collect(startThread(agent, task, options));
}

/** Resumes a thread and waits for the end of the run. What is sent need not be a reply. */
export function answer(
  agent: SkillAgent,
  thread: string,
  options: Omit<ResumeOptions, "reply"> & { reply?: unknown } = {},
) {
  return collect(resumeThread(agent, thread, options as ResumeOptions));
}

/** Starts a run and aborts it as soon as something is true of the world. The run must fail by that. */
export async function abortWhen(
  agent: SkillAgent,
  thread: string,
  input: unknown,
  isTrue: () => boolean,
): Promise<void> {
  const stop = new AbortController();
  const config = { configurable: { thread_id: thread }, signal: stop.signal };
  const failed = expect(agent.invoke(input as never, config)).rejects.toThrow();
  while (!isTrue()) await wait(10);
  stop.abort();
  await failed;
}

async function collect(run: AsyncIterable<RuntimeEvent>): Promise<RunResult> {
  const events: RuntimeEvent[] = [];
  for await (const event of run) events.push(event);
  const end = events.at(-1);
  if (end?.type !== "run-end") throw new Error("The run did not tell its end.");
  return { events, end };
}

/** The first thing that a run asks a person. */
export function readItem({ request, ...end }: RunEnd): ReviewItem {
  const [item] = request?.items ?? [];
  if (!item) throw new Error(`Nothing is asked: ${JSON.stringify(end)}`);
  return item;
}

/** The state of a thread at its newest checkpoint. */
export async function readState(agent: SkillAgent, thread: string): Promise<State> {
  return (await agent.getState({ configurable: { thread_id: thread } })).values as State;
}
