import { SkillgraphError } from "../../errors.ts";
import { readAddressed } from "../../graph/review/addressed.ts";
import { readReply } from "../../graph/review/reply.ts";
import type { ReviewRequest } from "../../graph/review/request.ts";
import type { ItemDecision, ReviewReply } from "../../graph/review/review-item.ts";
import { unwrapReply } from "../../graph/review/unwrap-reply.ts";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { createNoThread, createNothingPending, createRequestUnknown } from "./late-answer.ts";
import type { RunInput, RunOptions } from "./run.ts";
import type { ThreadFacts } from "./thread-facts.ts";
import { toToolAnswer } from "./tool-request.ts";

/** How to resume a thread. */
export interface ResumeOptions extends RunOptions {
  /** The answer to what waits. Left out, the run goes on where it was left. */
  reply?: ReviewReply;
  /** The request that the answer is for: an answer to another one is refused. The reply may name it, too. */
  request?: string;
}

/** The request that an answer is for, as far as it says so. */
export function readTarget({ reply, request }: ResumeOptions): string | undefined {
  return request ?? readAddressed(reply)?.request;
}

/**
 * What a resumed run begins with, or `nothing` when it only shows the open question again.
 *
 * @param seen the request that the answer is for
 * @throws SkillgraphError `thread-unknown`, `nothing-pending`, `request-unknown` or `answer-invalid`
 */
export function decideResume(
  facts: ThreadFacts,
  options: ResumeOptions,
  seen: string | undefined,
): RunInput | "nothing" {
  const { thread, request, status, stop, checkpoint } = facts;
  // To a saver of the caller's own any id is a thread.
  if (checkpoint === undefined) throw createNoThread(thread);
  if (options.reply === undefined) {
    if (request) return "nothing";
    if (status === "finished")
      throw new SkillgraphError(
        "nothing-pending",
        `Thread ${thread} is finished: nothing waits and nothing was left open.`,
      );
    // A run that stopped at a limit has no next step: it enters again, with nothing new to say.
    return stop ? { messages: [] } : null;
  }
  if (!request) throw createNothingPending(facts, seen);
  const named = readNamed(options.reply, request);
  const other = [seen, named].find((each) => each !== undefined && each !== request.id);
  if (other !== undefined) throw createRequestUnknown(facts, other);
  return { resume: checkReply(options.reply, request) };
}

/** An answer is checked before it is sent, so that one that does not fit leaves the thread as it was. */
function checkReply(reply: unknown, request: ReviewRequest): unknown {
  // A caller's own tool asked in words of its own; only it knows what fits.
  if (request.items[0]?.asker === "tool") return toToolAnswer(readAddressed(reply)?.reply ?? reply);
  const read = readReply(reply, request.items, request.id);
  if ("errors" in read) throw new SkillgraphError("answer-invalid", read.errors.join(" "));
  if ("goto" in read) return { goto: checkGoto(read.goto, request) };
  return { decisions: read.decisions.map(toDecision) };
}

/** The request that a reply names, wherever in it. */
function readNamed(reply: unknown, { items }: ReviewRequest): string | undefined {
  if (items[0]?.asker === "tool") return readAddressed(reply)?.request;
  const unwrapped = unwrapReply(reply, items);
  return "error" in unwrapped ? undefined : unwrapped.request;
}

function checkGoto(stage: string, { items }: ReviewRequest): string {
  const places = [...(items[0]?.back ?? []), END_STAGE];
  if (places.includes(stage.normalize("NFC"))) return stage;
  throw new SkillgraphError(
    "answer-invalid",
    `There is no way to a stage "${stage}" from here. Choose ${places.join(", ")}.`,
  );
}

function toDecision(decision: ItemDecision) {
  return decision.type === "edit" ? { type: "edit", edited_action: { args: decision.args } } : decision;
}
