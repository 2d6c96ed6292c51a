import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { parseSkillEnvelope, type SkillEnvelope } from "../skills/envelope.ts";
import { parseStageEnvelope, type StageEnvelope } from "../skills/stages/stage-envelope.ts";

/** The tool that hands a stage over. */
export const COMPLETE_STAGE = "CompleteStage";

/** The notes that a command's result ends with stand in its last lines. */
const ENDING_LINES = 4;

/** What the result of the last completion says. */
const ALL_COMPLETE = "All stages are complete";

/** A tool call that was made for the current task, with what came back. */
export interface PastCall {
  name: string;
  input: Record<string, unknown>;
  /** The text of the turn that made it. */
  said: string;
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
  /** The stage that is open. */
  stage?: StageEnvelope;
  /** What a wizard's stages handed over, when none of them is open any more. */
  ended?: Completions;
  /** Since the request, or since the text that was loaded for it. */
  calls: PastCall[];
}

/** The calls that completed stages of one wizard. */
export interface Completions {
  skill: string;
  isWhole: boolean;
  calls: PastCall[];
}

/** A message of a person, or a text that the graph put in. */
interface Place {
  skill?: SkillEnvelope | undefined;
  stage?: StageEnvelope | undefined;
  isRequest: boolean;
}

/**
 * Reads the current task out of a history: the person's latest message, the skill or the stage that was loaded
 * for it, and the calls since.
 */
export function readTask(messages: BaseMessage[]): Task {
  const places = messages.map(readPlace);
  const requestAt = places.findLastIndex((place) => place.isRequest);
  const skillAt = places.findLastIndex((place) => place.skill !== undefined);
  const stageAt = places.findLastIndex((place) => place.stage !== undefined);
  const request = messages[requestAt]?.text ?? "";
  const latest = places[skillAt]?.skill;
  const stage = places[stageAt]?.stage;
  const isLoadedNow = skillAt > Math.max(requestAt, stageAt);
  const calls = readCalls(messages, Math.max(requestAt, stageAt, skillAt));
  // What was typed before the stage began has been settled by it.
  const typed = requestAt > stageAt ? request : "";
  const wanted = isLoadedNow ? undefined : findActiveAgain(typed, calls, places);
  if (stage && !isLoadedNow && (!wanted || wanted.envelope.name === stage.skill)) {
    const envelope = places.findLast((place) => place.skill?.name === stage.skill)?.skill;
    // After a completion that did not fit, the stage stands again below its result.
    const before = stageAt > requestAt ? readCalls(messages.slice(0, stageAt), requestAt).at(-1) : undefined;
    const isRefused = before?.name === COMPLETE_STAGE && before.outcome.kind === "stopped";
    const made = isRefused ? [before, ...calls] : calls;
    return { request, stage, calls: made, ...(envelope ? { envelope } : {}) };
  }
  const at = wanted ? places.findLastIndex((place) => place.skill === wanted.envelope) : skillAt;
  const isAsked = isLoadedNow || wanted !== undefined || calls.at(-1)?.name === COMPLETE_STAGE;
  const ended = isAsked ? readCompletions(messages, places, at) : undefined;
  if (ended) return { request, ended, calls };
  if (latest && isLoadedNow) return { request, envelope: latest, calls };
  if (!wanted) return { request, calls };
  const isSame = wanted.arguments.trim() === wanted.envelope.arguments.trim();
  return { request, calls, ...(isSame ? { envelope: wanted.envelope } : { otherwise: wanted.envelope }) };
}

/** The answer to a question that was asked with these words. */
export function findAnswer(calls: PastCall[], question: string): CallOutcome | undefined {
  return calls.find((call) => call.name === "AskUser" && call.input.question === question)?.outcome;
}

function readPlace(message: BaseMessage): Place {
  if (!HumanMessage.isInstance(message)) return { isRequest: false };
  const skill = parseSkillEnvelope(message.text);
  const stage = skill ? undefined : parseStageEnvelope(message.text);
  return { skill, stage, isRequest: !skill && !stage };
}

/** A skill that is active already keeps its text where it was loaded first, before this request. */
function findActiveAgain(
  request: string,
  calls: PastCall[],
  places: Place[],
): { envelope: SkillEnvelope; arguments: string } | undefined {
  const call = calls.findLast(({ name, outcome }) => name === "Skill" && outcome.kind === "done");
  const typed = /^\s*[/$](\S+)(?:\s+([\s\S]*))?$/u.exec(request);
  const name = call ? readText(call.input.name ?? call.input.command) : typed?.[1];
  const envelope = places.findLast((place) => place.skill?.name === name?.normalize("NFC"))?.skill;
  if (!envelope) return undefined;
  return { envelope, arguments: call ? readText(call.input.arguments) : (typed?.[2] ?? "") };
}

/** The completions since a skill was loaded; those of an earlier run of its stages do not count. */
function readCompletions(messages: BaseMessage[], places: Place[], at: number): Completions | undefined {
  const next = places.findIndex((place, index) => index > at && place.skill !== undefined);
  const until = next === -1 ? messages.length : next;
  const all = readCalls(messages.slice(0, until), at).filter((call) => call.name === COMPLETE_STAGE);
  const before = all.findLastIndex((call, index) => index < all.length - 1 && isLast(call));
  const calls = all.slice(before + 1);
  const last = calls.at(-1);
  return last && { skill: places[at]?.skill?.name ?? "", isWhole: isLast(last), calls };
}

function isLast({ outcome }: PastCall): boolean {
  return outcome.kind === "done" && outcome.text.includes(ALL_COMPLETE);
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
    .filter((message) => AIMessage.isInstance(message))
    .flatMap((message) => (message.tool_calls ?? []).map((call) => ({ said: message.text, call })))
    .map(({ said, call }) => {
      const outcome = readOutcome(results.get(call.id ?? ""));
      return { name: call.name, input: call.args, said, outcome };
    });
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
