import { SkillgraphError } from "../errors.ts";
import { type ItemDecision, readReply } from "../graph/review/reply.ts";
import type { ReviewRequest } from "../graph/review/request.ts";
import type { ReviewReply } from "../graph/review/review-item.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { createNothingPending, createRequestUnknown } from "./late-answer.ts";
import type { RunInput, RunOptions } from "./run.ts";
import type { ThreadFacts } from "./thread-facts.ts";
import { toToolAnswer } from "./tool-request.ts";

/** How to resume a thread. */
export interface ResumeOptions extends RunOptions {
  /** The answer to what waits. Left out, the run goes on where it was left. */
  reply?: ReviewReply;
  /** The request that the answer is for: an answer to another one is refused. */
  request?: string;
}

/**
 * What a resumed run begins with, or `nothing` when it only shows the open question again.
 *
 * @param seen the request that the answer is for
 * @throws SkillgraphError `nothing-pending`, `request-unknown` or `answer-invalid`
 */
export function decideResume(
  facts: ThreadFacts,
  options: ResumeOptions,
  seen: string | undefined,
): RunInput | "nothing" {
  const { thread, request, status, stop } = facts;
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
  if (seen !== undefined && seen !== request.id) throw createRequestUnknown(facts, seen);
  return { resume: checkReply(options.reply, request) };
}

/** An answer is checked before it is sent, so that one that does not fit leaves the thread as it was. */
function checkReply(reply: unknown, request: ReviewRequest): unknown {
  // A caller's own tool asked in words of its own; only it knows what fits.
  if (request.items[0]?.asker === "tool") return toToolAnswer(reply);
  const read = readReply(reply, request.items);
  if ("errors" in read) throw new SkillgraphError("answer-invalid", read.errors.join(" "));
  if ("goto" in read) return { goto: checkGoto(read.goto, request) };
  return { decisions: read.decisions.map(toDecision) };
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
