import { Command, type Interrupt, isCommand, type StateSnapshot } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { SkillgraphError } from "../errors.ts";
import { isRecord } from "../skills/record.ts";
import { describeAnswer } from "./audit/answered.ts";
import { readAddressed } from "./review/addressed.ts";
import type { State } from "./state.ts";

/** What LangGraph takes for the id of a question in a map of answers. */
const QUESTION_ID = /^[0-9a-f]{32}$/;

/** A command that brings an answer. */
export type AnswerCommand = Command<unknown> & { resume: unknown };

/** True for a command that brings an answer. */
export function isAnswer(entry: unknown): entry is AnswerCommand {
  return isCommand(entry) && entry.resume !== undefined;
}

/**
 * Refuses an answer that nothing waits for: LangGraph would go on without it, or give a plain one to every open
 * question. An answer that names its request, `{request: "req-…", …}`, is for that one only.
 *
 * @returns the command with the answer as it is to be read
 * @throws SkillgraphError `thread-unknown`, `nothing-pending`, `request-unknown`, `answer-invalid`, or `usage` where no
 * thread is named; the thread is unchanged then
 */
export function checkAnswer(entry: AnswerCommand, snapshot: StateSnapshot): AnswerCommand {
  const { resume } = entry;
  const place = toPlace(snapshot);
  const open = listOpen(listAsking(snapshot).map(({ interrupts }) => interrupts));
  const { audit = [] } = snapshot.values as Partial<State>;
  if (open.length === 0) throw createNothingOpen(snapshot, describeAnswer(audit));
  const ids = open.map(({ id }) => id ?? "");
  const choices = ids.map((id) => `"${id}"`).join(", ");
  if (isByQuestion(resume)) {
    const unknown = Object.keys(resume).find((id) => !ids.includes(id));
    if (unknown === undefined) return entry;
    throw new SkillgraphError(
      "request-unknown",
      `Question "${unknown}" is not open on ${place}. Open: ${choices}.`,
    );
  }
  if (open.length > 1) throw createAmbiguous(place, ids);
  const addressed = readAddressed(resume);
  if (!addressed) return entry;
  const { request, reply } = addressed;
  const asked = readRequestId(open[0]);
  if (request === asked) return new Command({ ...entry, resume: reply }) as AnswerCommand;
  const answered = describeAnswer(audit, request);
  const fault =
    answered === undefined
      ? `Request "${request}" is not open on ${place}.`
      : `Request "${request}" on ${place} was answered already: ${answered}.`;
  throw new SkillgraphError("request-unknown", `${fault} Open: "${String(asked)}".`);
}

/** The request that an answer is for: the one that it names, else what it would reach. Undefined where that is not known. */
export function findAnswered({ resume }: AnswerCommand, open: readonly Interrupt[]): string | undefined {
  const addressed = readAddressed(resume);
  if (addressed) return addressed.request;
  if (!isByQuestion(resume)) return open.length > 1 ? undefined : readRequestId(open[0]);
  return readRequestId(open.find(({ id }) => Object.hasOwn(resume, id ?? "")));
}

/** The id of a request of ours, as a question shows it. */
export function readRequestId(asked: Interrupt | undefined): string | undefined {
  return isRecord(asked?.value) && typeof asked.value.id === "string" ? asked.value.id : undefined;
}

/** The tasks that wait for an answer. One with a result has its answer: the run ended before the next checkpoint. */
export function listAsking({ tasks }: Pick<StateSnapshot, "tasks">): StateSnapshot["tasks"] {
  return tasks.filter(({ interrupts, result }) => interrupts.length > 0 && result === undefined);
}

/** True where a question has its answer, and the run ended before the next checkpoint. */
export function holdsAnswer(writes: CheckpointTuple["pendingWrites"] = []): boolean {
  const asked = new Set(writes.filter(([, channel]) => channel === "__interrupt__").map(([task]) => task));
  return writes.some(([task, channel]) => asked.has(task) && !channel.startsWith("__"));
}

/** The questions, each once: a pause inside a task of a node is noted for both. */
export function listOpen(asked: readonly (Interrupt | Interrupt[])[]): Interrupt[] {
  return [...new Map(asked.flat().map((each) => [each.id, each])).values()];
}

/** For a plain answer where several questions are open: it must not reach more than one of them. */
export function createAmbiguous(place: string, ids: readonly string[]): SkillgraphError {
  const map = ids.map((id) => `"${id}": …`).join(", ");
  return new SkillgraphError(
    "answer-invalid",
    `${ids.length} questions are open on ${place}, so a plain answer is for none of them. Answer by their ids: {${map}}.`,
  );
}

/** For a second answer to the question of a checkpoint: `asked` is the state there, `newest` knows who was first. */
export function createAnswered(
  checkpoint: string,
  asked: StateSnapshot,
  newest: StateSnapshot,
): SkillgraphError {
  const request = readRequestId(asked.tasks.flatMap(({ interrupts }) => interrupts)[0]);
  const { audit = [] } = newest.values as Partial<State>;
  const answer = request === undefined ? undefined : describeAnswer(audit, request);
  const by = answer === undefined ? "" : `: ${answer}`;
  return new SkillgraphError(
    "nothing-pending",
    `The question at checkpoint ${checkpoint} was answered already${by}. Run from that checkpoint without an answer to ask it again.`,
  );
}

function createNothingOpen(snapshot: StateSnapshot, last: string | undefined): SkillgraphError {
  const place = toPlace(snapshot);
  const { thread_id: thread, checkpoint_id: checkpoint } = { ...snapshot.config.configurable };
  if (thread === undefined)
    return new SkillgraphError("usage", "An answer needs its thread: name it as configurable.thread_id.");
  if (checkpoint === undefined) {
    return new SkillgraphError("thread-unknown", `No ${place}, so there is nothing to answer.`);
  }
  const before = last === undefined ? "" : ` The last one was: ${last}.`;
  return new SkillgraphError(
    "nothing-pending",
    `Nothing waits on ${place}, so an answer cannot be taken.${before}`,
  );
}

function toPlace({ config }: StateSnapshot): string {
  return `thread "${String(config.configurable?.thread_id)}"`;
}

function isByQuestion(resume: unknown): resume is Record<string, unknown> {
  if (!isRecord(resume)) return false;
  const keys = Object.keys(resume);
  return keys.length > 0 && keys.every((key) => QUESTION_ID.test(key));
}
