import { SkillgraphError } from "../../errors.ts";
import { describeAnswer } from "../../graph/audit/answered.ts";
import type { ThreadFacts } from "./thread-facts.ts";

/** For a thread that has no checkpoint. */
export function createNoThread(thread: string): SkillgraphError {
  return new SkillgraphError("thread-unknown", `No thread "${thread}".`);
}

/** For an answer to a thread on which nothing is open; `asked` is the request that it is for. */
export function createNothingPending(facts: ThreadFacts, asked: string | undefined): SkillgraphError {
  return new SkillgraphError(
    "nothing-pending",
    explainAnswered(facts, asked) ?? explainNothing(facts, asked),
  );
}

/** For an answer to another request than the open one. */
export function createRequestUnknown(facts: ThreadFacts, asked: string): SkillgraphError {
  const { thread, request } = facts;
  const fault = explainAnswered(facts, asked) ?? `Request "${asked}" is not open on thread ${thread}.`;
  return new SkillgraphError("request-unknown", `${fault} Open: "${request?.id}".`);
}

function explainNothing({ thread, status, decisions }: ThreadFacts, asked: string | undefined): string {
  const wanted = asked === undefined ? "" : `, so request "${asked}" is not open on it`;
  const last = asked === undefined ? describeAnswer(decisions) : undefined;
  const before = last === undefined ? "" : ` The last one was: ${last}.`;
  const next = status === "finished" ? "" : " Resume it without an answer to go on.";
  return `Thread ${thread} is ${status} and waits for no answer${wanted}.${before}${next}`;
}

/** Says who answered a request of a thread; undefined where nobody did. */
export function explainAnswered(
  { thread, decisions }: ThreadFacts,
  asked: string | undefined,
): string | undefined {
  const answer = asked === undefined ? undefined : describeAnswer(decisions, asked);
  return answer === undefined
    ? undefined
    : `Request "${asked}" on thread ${thread} was answered already: ${answer}.`;
}
