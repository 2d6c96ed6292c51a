import type { Toolbox } from "../tools/toolbox.ts";
import type { PendingCall } from "./state.ts";

/**
 * The calls that run next, in the order of the model's request: neighbouring calls that only read run side by
 * side, everything else alone, so that exactly one effect can be in doubt after a crash.
 */
export function nextBatch(calls: PendingCall[], toolbox: Pick<Toolbox, "get">): PendingCall[] {
  const first = calls.findIndex((call) => call.status === "ready");
  if (first < 0) return [];
  const readsOnly = (call: PendingCall) => toolbox.get(call.tool)?.readOnly === true;
  if (!readsOnly(calls[first]!)) return [calls[first]!];
  const end = calls.findIndex(
    (call, index) => index > first && !(call.status === "ready" && readsOnly(call)),
  );
  return calls.slice(first, end < 0 ? undefined : end);
}

/** True when the call must be marked as begun, in a checkpoint of its own, before it runs. */
export function needsMark(call: PendingCall, toolbox: Pick<Toolbox, "get">): boolean {
  return call.life === undefined && toolbox.get(call.tool)?.idempotent !== true;
}
