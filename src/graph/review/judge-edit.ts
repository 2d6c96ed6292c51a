import { toMessage } from "../../errors.ts";
import { isStorable } from "../../model/storable.ts";
import { parseInput } from "../../tools/toolbox.ts";
import { toSource } from "../audit/source.ts";
import { type Bench, decidePendingCall } from "../judge.ts";
import type { PendingCall } from "../state.ts";
import { isAllowedWith } from "./listed.ts";
import { toOffer, withOffer } from "./offer.ts";

/**
 * A call as a person changed it, decided again. Who typed it need not be asked whether they mean it, as long as it is
 * only not on a list; what always asks, what cannot be read and what another rule asks about is shown to them once more.
 *
 * @returns the call, ready or asking again; an error for one that cannot run at all
 */
export function judgeEdit(
  call: PendingCall,
  args: Record<string, unknown>,
  bench: Bench,
): PendingCall | { error: string } {
  if (!isStorable(args)) return { error: 'The arguments are nested too deeply, or hold the key "lc".' };
  const tool = bench.parts.toolbox.get(call.tool);
  const parsed = tool && parseInput(tool, args);
  if (!tool || !parsed) return { error: `The tool "${call.tool}" is not there any more.` };
  if (!parsed.ok) return { error: parsed.message };
  const input = parsed.input as Record<string, unknown>;
  try {
    const decision = decidePendingCall(tool, input, bench, true);
    const { verdict, reason } = decision;
    if (verdict === "deny") return { error: `The changed call is not allowed: ${reason}.` };
    const seen = call.approvedFor ?? call.reason;
    const judged: PendingCall = { ...toPlain(call), ...toSource(decision), input, edited: true };
    const listed = [tool.name, "Bash", "Write"];
    const isMeant =
      isAllowedWith(listed, tool, input, bench) ||
      (reason === seen && isAllowedWith(listed, tool, input, withoutAskRules(bench)));
    // Another reason, later on, is another question.
    const { offered } = toOffer(tool, input, bench);
    const lacking = offered ? { offered } : {};
    const agreed = { status: "ready", approved: true, approvedFor: reason, ...lacking } as const;
    return isMeant
      ? { ...judged, ...agreed, reason: "changed by the person" }
      : withOffer({ ...judged, status: "ask", approved: false, reason }, bench);
  } catch (error) {
    return { error: `The changed call cannot run: ${toMessage(error)}` };
  }
}

/** An ask rule that the person has read, as their question, does not ask twice. */
function withoutAskRules(bench: Bench): Bench {
  return { ...bench, parts: { ...bench.parts, policy: { ...bench.parts.policy, ask: [] } } };
}

function toPlain(call: PendingCall): Pick<PendingCall, "id" | "tool" | "input" | "status" | "reason"> {
  const { id, tool, input, status, reason } = call;
  return { id, tool, input, status, reason };
}
