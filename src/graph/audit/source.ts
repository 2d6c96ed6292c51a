import type { Decision } from "../../permissions/policy.ts";
import type { PendingCall } from "../state.ts";

/** What a call keeps of the decision on it: the rule, whose it is, and whether the mode had the last word. */
export type Source = Pick<PendingCall, "rule" | "skill" | "byMode">;

/** The part of a decision that a call keeps beside its reason. */
export function toSource({ rule, skill, by }: Decision): Source {
  return {
    ...(rule === undefined ? {} : { rule }),
    ...(skill === undefined ? {} : { skill }),
    ...(by === "mode" ? { byMode: true } : {}),
  };
}

/** A call with what it keeps of a new decision, and nothing of the one before. */
export function withSource(call: PendingCall, decision: Decision): PendingCall {
  const { rule: _rule, skill: _skill, byMode: _byMode, ...rest } = call;
  return { ...rest, ...toSource(decision) };
}
