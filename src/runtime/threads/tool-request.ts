import { createHash } from "node:crypto";
import type { Interrupt } from "@langchain/langgraph";
import { type ReviewRequest, toClientShapes } from "../../graph/review/request.ts";
import type { ReviewItem } from "../../graph/review/review-item.ts";
import type { PendingCall } from "../../graph/state.ts";
import { isRecord } from "../../skills/record.ts";

/** Where tools write what they ask. */
const TEXT_KEYS = ["question", "description", "message", "prompt", "text", "title"];

/**
 * What a caller's own tool asks with LangGraph's `interrupt`, as a request of ours. Its id is that of the pause, so it
 * stays the same as long as this question is open.
 */
export function toToolRequest({ id, value }: Interrupt, calls: PendingCall[]): ReviewRequest {
  // Such calls run one after another, so it is the first one that has no result.
  const call = calls.find(({ status }) => status === "ready");
  const facts = JSON.stringify([id, call?.id, value]);
  const item: ReviewItem = {
    kind: "question",
    id: id ?? call?.id ?? "",
    name: call?.tool ?? "",
    args: isRecord(value) ? value : { value },
    description: describe(value),
    allowed: ["respond"],
    asker: "tool",
  };
  return {
    id: `req-${createHash("sha256").update(facts).digest("hex").slice(0, 12)}`,
    items: [item],
    ...toClientShapes([item], []),
  };
}

/**
 * The answer as the tool gets it: as it was given, or the value of a response, which is how a client of ours answers
 * a question.
 */
export function toToolAnswer(reply: unknown): unknown {
  const decisions: unknown[] | undefined =
    isRecord(reply) && Object.keys(reply).join() === "decisions" && Array.isArray(reply.decisions)
      ? reply.decisions
      : undefined;
  if (decisions && decisions.length !== 1) return reply;
  const decision = decisions ? decisions[0] : reply;
  const isResponse = isRecord(decision) && Object.keys(decision).sort().join() === "type,value";
  return isResponse && decision.type === "respond" ? decision.value : reply;
}

function describe(value: unknown): string {
  if (typeof value === "string") return value;
  const text = isRecord(value)
    ? TEXT_KEYS.map((key) => value[key]).find((each) => typeof each === "string")
    : undefined;
  return typeof text === "string" ? text : (JSON.stringify(value) ?? String(value));
}
