import { ToolMessage } from "@langchain/core/messages";
import type { PendingCall } from "./state.ts";

/** The result of a call as a message. Its id is derived, so that writing it twice keeps one. */
export function toToolMessage(call: Pick<PendingCall, "id" | "tool" | "result" | "failed">): ToolMessage {
  return new ToolMessage({
    id: `result-${call.id}`,
    tool_call_id: call.id,
    name: call.tool,
    content: call.result ?? "",
    status: call.failed ? "error" : "success",
  });
}
