import { describeCall } from "../../permissions/ask/describe-call.ts";
import { proposeRules } from "../../permissions/ask/propose-rules.ts";
import type { CallToDecide } from "../../permissions/decide.ts";
import type { Tool } from "../../tools/tool.ts";
import { parseInput } from "../../tools/toolbox.ts";
import { type Bench, toGrants, toPlace, toPolicy } from "../judge.ts";
import type { PendingCall } from "../state.ts";

/** What a person is shown of a call that asks, beside its reason. */
export type CallOffer = Pick<PendingCall, "writes" | "offered">;

/** A call that asks, with what is shown of it; kept with it, so that a yes is to the rules that were seen. */
export function withOffer(call: PendingCall, bench: Bench): PendingCall {
  const { writes: _writes, offered: _offered, difference: _difference, ...plain } = call;
  if (call.status !== "ask") return plain;
  const tool = bench.parts.toolbox.get(call.tool);
  const parsed = tool && parseInput(tool, call.input);
  if (!tool || !parsed?.ok) return plain;
  const { writes, offered } = toOffer(tool, parsed.input, bench);
  const difference = tool.preview?.(parsed.input, toPlace(toPolicy(bench), bench.state));
  // What a person typed is for once: they can add a rule where the model asks for it.
  return {
    ...plain,
    ...(writes ? { writes } : {}),
    ...(difference === undefined ? {} : { difference }),
    ...(offered && !call.edited ? { offered } : {}),
  };
}

/** What a call writes, and the rules that would have allowed it. */
export function toOffer(tool: Tool, input: unknown, bench: Bench): CallOffer {
  const policy = toPolicy(bench);
  const target = tool.target(input, toPlace(policy, bench.state));
  const call: CallToDecide = { tool: target.kind === "command" ? "Bash" : tool.name, target };
  const { writes } = describeCall(policy, call);
  const offered = proposeRules(policy, toGrants(bench), call);
  return { ...(writes.length > 0 ? { writes } : {}), ...(offered.length > 0 ? { offered } : {}) };
}
