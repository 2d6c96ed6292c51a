import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { parseSkillEnvelope, type SkillEnvelope } from "../skills/envelope.ts";

/** The notes that a command's result ends with stand in its last lines. */
const ENDING_LINES = 4;

/** A tool call that was made for the current task, with what came back. */
export interface PastCall {
  name: string;
  input: Record<string, unknown>;
  outcome: CallOutcome;
}

/** How a call ended. `stopped` means that nothing may follow it. */
export type CallOutcome = { kind: "done"; text: string } | { kind: "stopped"; text: string; reason: string };

/** What the history says about the person's latest request. */
export interface Task {
  /** The person's latest words; empty when the history holds none. */
  request: string;
  /** The skill that is loaded for this request. */
  envelope?: SkillEnvelope;
  /** A skill that is loaded, but for other arguments than this request has. */
  otherwise?: SkillEnvelope;
  calls: PastCall[];
}

/**
 * Reads the current task out of a history: the person's latest message, the skill that was loaded for it, and
 * the calls since.
 */
export function readTask(messages: BaseMessage[]): Task {
  const envelopes = messages.map(readEnvelope);
  const requestAt = messages.findLastIndex(
    (message, at) => HumanMessage.isInstance(message) && !envelopes[at],
  );
  const request = messages[requestAt]?.text ?? "";
  const envelopeAt = envelopes.findLastIndex((envelope) => envelope !== undefined);
  const latest = envelopes[envelopeAt];
  if (latest && envelopeAt > requestAt) {
    return { request, envelope: latest, calls: readCalls(messages, envelopeAt) };
  }
  const calls = readCalls(messages, requestAt);
  const wanted = findActiveAgain(request, calls, envelopes);
  if (!wanted) return { request, calls };
  const isSame = wanted.arguments.trim() === wanted.envelope.arguments.trim();
  return { request, calls, ...(isSame ? { envelope: wanted.envelope } : { otherwise: wanted.envelope }) };
}

function readEnvelope(message: BaseMessage): SkillEnvelope | undefined {
  return HumanMessage.isInstance(message) ? parseSkillEnvelope(message.text) : undefined;
}

/** A skill that is active already keeps its text where it was loaded first, before this request. */
function findActiveAgain(
  request: string,
  calls: PastCall[],
  envelopes: (SkillEnvelope | undefined)[],
): { envelope: SkillEnvelope; arguments: string } | undefined {
  const call = calls.findLast(({ name, outcome }) => name === "Skill" && outcome.kind === "done");
  const typed = /^\s*[/$](\S+)(?:\s+([\s\S]*))?$/u.exec(request);
  const name = call ? readText(call.input.name ?? call.input.command) : typed?.[1];
  const envelope = envelopes.findLast((each) => each?.name === name?.normalize("NFC"));
  if (!envelope) return undefined;
  return { envelope, arguments: call ? readText(call.input.arguments) : (typed?.[2] ?? "") };
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readCalls(messages: BaseMessage[], after: number): PastCall[] {
  const later = messages.slice(after + 1);
  const results = new Map<string, ToolMessage>();
  for (const message of later)
    if (ToolMessage.isInstance(message)) results.set(message.tool_call_id, message);
  return later
    .flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []))
    .map((call) => ({ name: call.name, input: call.args, outcome: readOutcome(results.get(call.id ?? "")) }));
}

function readOutcome(result: ToolMessage | undefined): CallOutcome {
  if (!result) return { kind: "stopped", text: "", reason: "nobody saw how it ended" };
  const text = result.text;
  const stopped = (reason: string): CallOutcome => ({ kind: "stopped", text, reason });
  if (result.status === "error") return stopped("it was refused or failed");
  const ending = text.trimEnd().split("\n").slice(-ENDING_LINES);
  const exitCode = ending.map((line) => /^\[?exit code:? (\d+)\]?$/i.exec(line.trim())?.[1]).find(isFailure);
  if (exitCode !== undefined) return stopped(`it ended with exit code ${exitCode}`);
  const note = ending.find((line) => /^\[(?:timed out|stopped|killed|aborted|ended by)\b.*\]$/i.test(line));
  if (note !== undefined) return stopped(note.slice(1, -1).replace(/\.$/, ""));
  return {
    kind: "done",
    text: text.replace(/^\[No output\.\]\n?/, "").replace(/(?:^|\n)\[exit code 0\]$/, ""),
  };
}

function isFailure(exitCode: string | undefined): boolean {
  return exitCode !== undefined && exitCode !== "0";
}
