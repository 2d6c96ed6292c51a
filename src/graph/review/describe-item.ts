import { toVisibleText } from "../../permissions/ask/visible-text.ts";
import { shortenPatch } from "../../tools/files/patch.ts";
import type { PendingCall } from "../state.ts";
import type { ReviewItem } from "./review-item.ts";

type CallItem = Pick<ReviewItem, "description" | "reason" | "command" | "writes" | "difference" | "always">;

/** Of a difference, for clients that show it among other words. */
const SHORT = { maxLines: 40, maxCharacters: 2_000 };

/**
 * What a person reads of a call that asks: why, the command, what it writes, which rules a yes can add. The same in
 * words, since many clients show the description and the arguments only.
 *
 * @param check the command that a completed stage runs
 */
export function describeCallItem(call: PendingCall, check: string | undefined): CallItem {
  const { writes = [], offered = [], difference } = call;
  const typed = call.tool === "Bash" && typeof call.input.command === "string" ? call.input.command : check;
  const command = typed === undefined ? undefined : toVisibleText(typed);
  const why = call.edited ? `you changed the call, and ${call.reason}` : call.reason;
  const reason = toVisibleText(check === undefined ? why : `Its check is to be run: ${check} - ${why}`);
  const lines = [
    reason,
    ...(command === typed ? [] : [`With what the eye does not see, it is: ${command}`]),
    ...(writes.length > 0 ? [`Writes: ${writes.join(", ")}`] : []),
    ...(offered.length > 0
      ? [`Approve always would add to your settings for this project: ${offered.join(", ")}`]
      : []),
    ...(difference === undefined ? [] : ["", shortenPatch(toVisibleText(difference), SHORT)]),
  ];
  return {
    description: lines.join("\n"),
    reason,
    ...(command === undefined ? {} : { command }),
    ...(writes.length > 0 ? { writes } : {}),
    ...(difference === undefined ? {} : { difference }),
    ...(offered.length > 0 ? { always: offered } : {}),
  };
}
