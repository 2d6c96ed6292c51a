import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { toMessage } from "../../errors.ts";
import { parseInput } from "../../tools/toolbox.ts";
import { emitEvent } from "../events.ts";
import type { Bench } from "../judge.ts";
import type { GraphParts } from "../parts.ts";
import type { PendingCall } from "../state.ts";
import { toOffer } from "./offer.ts";

/**
 * Adds the rules that a person gave with their yes to their settings, when the calls are about to run as they were
 * shown. Those that came to another verdict since add nothing. A second pass finds the rules in force and adds none.
 *
 * @param calls as they were judged just now
 * @returns the calls without their rules
 */
export function keepRules(
  calls: PendingCall[],
  bench: Bench,
  parts: Pick<GraphParts, "rememberRules" | "project">,
  config: LangGraphRunnableConfig,
): PendingCall[] {
  const rules = [...new Set(calls.flatMap((call) => listAgreed(call, bench)))];
  if (rules.length > 0) {
    try {
      parts.rememberRules(rules);
      emitEvent(config, { type: "rules-added", rules, project: parts.project });
    } catch (error) {
      const text = `Not added to your settings: ${rules.join(", ")}. ${toMessage(error)}`;
      emitEvent(config, { type: "notice", text });
    }
  }
  return calls.map(({ always: _always, ...call }) => call);
}

/** Only what today's rules would still offer: the state of a thread widens nothing by itself. */
function listAgreed(call: PendingCall, bench: Bench): string[] {
  const { always = [], status, approved, edited, life } = call;
  if (always.length === 0 || status !== "ready" || !approved || edited || life !== undefined) return [];
  const tool = bench.parts.toolbox.get(call.tool);
  const parsed = tool && parseInput(tool, call.input);
  if (!tool || !parsed?.ok) return [];
  const { offered = [] } = toOffer(tool, parsed.input, bench);
  return always.filter((rule) => offered.includes(rule));
}
