import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StateSnapshot } from "@langchain/langgraph";
import { listAsking } from "../../graph/check-answer.ts";
import type { ReviewRequest } from "../../graph/review/request.ts";
import type { SkillRecord } from "../../graph/skill-state.ts";
import type { AuditRecord, Progress, State } from "../../graph/state.ts";
import { assertReadable } from "../../graph/upgrade/check-thread.ts";
import { isNewer } from "../../graph/upgrade/version.ts";
import { findProgress, withStatus } from "../../graph/wizard/progress.ts";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import { toToolRequest } from "./tool-request.ts";

/** `waiting` for a person · `stopped` before its end, to be resumed · `failed` with an error, to be resumed. */
export type ThreadStatus = "finished" | "waiting" | "stopped" | "failed";

/** A message as people read it. */
export interface ThreadMessage {
  role: "person" | "model" | "tool" | "system";
  text: string;
  /** The calls that the model asked for. */
  calls?: { id: string; tool: string; input: Record<string, unknown> }[];
  /** The call that this is the result of. */
  callId?: string;
}

/** What is known of a thread from its newest checkpoint. */
export interface ThreadFacts {
  thread: string;
  status: ThreadStatus;
  /** ISO 8601. */
  updatedAt: string;
  /** Id of the newest checkpoint; absent before the first. */
  checkpoint?: string;
  /** Version of the graph that wrote it last; 0 from before versions were kept. */
  version: number;
  /** Version of the skillgraph that ran it last; absent where that is not known. */
  program?: string;
  name?: string;
  /** The wizard that is under way, else the skill that was loaded last. */
  skill?: string;
  /** The stage that its wizard is at, while one is under way. */
  stage?: string;
  /** How far its wizard has come; absent where there was none. */
  progress?: Progress;
  skills: {
    name: string;
    digest: string;
    path: string;
    arguments: string;
    tokens: number;
    version?: string;
  }[];
  /** What happened to skills on this thread, the latest last; the oldest are not kept. */
  loads: SkillRecord[];
  /** Every decision on what the thread's calls may do, and every answer of a person, the latest last. */
  decisions: AuditRecord[];
  /** What waits for a person. */
  request?: ReviewRequest;
  stop?: { code: "step-limit" | "faulty-calls" | "declined"; reason: string };
  answer?: string;
  /** What the model reports of its work, when it failed or was refused. */
  outcome?: "failed";
  messages: ThreadMessage[];
  usage: { inputTokens: number; outputTokens: number; modelCalls: number };
}

/**
 * Reads a snapshot of the graph's state. `next` can be empty while a question is open: interrupts decide.
 *
 * @throws SkillgraphError `thread-unreadable` for a state that is none of ours
 */
export function toThreadFacts(
  thread: string,
  snapshot: StateSnapshot,
  known: Pick<ThreadFacts, "updatedAt" | "name" | "program">,
): ThreadFacts {
  const state = snapshot.values as Partial<State>;
  // What a newer program wrote need not fit, and is shown as far as it does.
  if (!isNewer(state.version)) assertReadable(thread, snapshot.values);
  const messages = state.messages ?? [];
  const request = findRequest({ ...snapshot, tasks: listAsking(snapshot) });
  const skills = state.active ?? [];
  const last = messages.findLast((message) => AIMessage.isInstance(message));
  const answer = last?.text;
  const checkpoint: unknown = snapshot.config.configurable?.checkpoint_id;
  const open = skills.findLast(({ wizard }) => isUnderWay(wizard));
  const stage = open?.wizard?.stage;
  const skill = (open ?? skills.at(-1))?.name;
  // Read from the whole state: a question of a caller's own tool, and a thread from before it was kept, are told, too.
  const status = toStatus(snapshot, state, request);
  const isWaiting = status === "waiting" || status === "finished";
  const progress = findProgress({ texts: {}, ...state, active: skills }, isWaiting);
  return {
    thread,
    status,
    ...known,
    version: state.version ?? 0,
    ...(skill === undefined ? {} : { skill }),
    ...(stage === undefined ? {} : { stage }),
    ...(progress ? { progress } : {}),
    skills: skills.map(({ name, digest, path, tokens, ...rest }) => ({
      name,
      digest,
      path,
      arguments: rest.arguments,
      tokens,
      ...(rest.version === undefined ? {} : { version: rest.version }),
    })),
    loads: state.loads ?? [],
    decisions: state.audit ?? [],
    ...(request ? { request } : {}),
    ...(state.stop ? { stop: state.stop } : {}),
    ...(answer ? { answer } : {}),
    ...(last?.additional_kwargs.outcome === "failed" ? { outcome: "failed" } : {}),
    ...(checkpoint === undefined ? {} : { checkpoint: String(checkpoint) }),
    messages: messages.map(toThreadMessage),
    usage: state.usage ?? { inputTokens: 0, outputTokens: 0, modelCalls: 0 },
  };
}

/** The progress of a thread that no run holds: where it was left in the middle, nobody is working. */
export function toLeftProgress({ status, progress }: Pick<ThreadFacts, "status" | "progress">) {
  const isLeft = status === "stopped" || status === "failed";
  return isLeft && progress?.status === "working" ? withStatus(progress, "stopped") : progress;
}

/** The open question of a snapshot. `review` is the only node that asks; whatever else does is a caller's own tool. */
export function findRequest(snapshot: StateSnapshot): ReviewRequest | undefined {
  const [task] = snapshot.tasks.filter(({ interrupts }) => interrupts.length > 0);
  const asked = task?.interrupts[0];
  if (!task || !asked) return undefined;
  if (task.name === "review") return asked.value as ReviewRequest;
  return toToolRequest(asked, (snapshot.values as Partial<State>).calls ?? []);
}

function toStatus(
  snapshot: StateSnapshot,
  state: Partial<State>,
  request: ReviewRequest | undefined,
): ThreadStatus {
  if (request) return "waiting";
  if (snapshot.tasks.some((task) => task.error)) return "failed";
  if (snapshot.tasks.length > 0) return "stopped";
  if (isLeftOpen(state)) return "stopped";
  return "finished";
}

/** True when a run ended by itself before the work did, so that it may be taken up again. */
export function isLeftOpen({ stop, drifts, active }: Partial<State>): boolean {
  if (!stop) return false;
  // Whoever stops at a changed skill, or at a wizard that lost its place, wants to look at it first, and goes on later.
  const isLost = active?.some(({ wizard }) => wizard?.displaced !== undefined) === true;
  return stop.code !== "declined" || (drifts?.length ?? 0) > 0 || isLost;
}

/** LangChain's own getter makes blocks of a text first, which for a long thread takes longer than to read it. */
function readText(message: BaseMessage): string {
  const { content, response_metadata: metadata } = message;
  // The blocks of some models are made by rules of their own.
  const isPlain = typeof content === "string" && !metadata.model_provider && !metadata.output_version;
  return isPlain ? content : message.text;
}

function toThreadMessage(message: BaseMessage): ThreadMessage {
  const text = readText(message);
  if (ToolMessage.isInstance(message)) return { role: "tool", text, callId: message.tool_call_id };
  if (HumanMessage.isInstance(message)) return { role: "person", text };
  if (!AIMessage.isInstance(message)) return { role: "system", text };
  const calls = (message.tool_calls ?? []).map(({ id = "", name, args }) => ({
    id,
    tool: name,
    input: args,
  }));
  return calls.length > 0 ? { role: "model", text, calls } : { role: "model", text };
}
