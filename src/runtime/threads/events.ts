import type { GraphEvent } from "../../graph/events.ts";
import type { ReviewRequest } from "../../graph/review/request.ts";
import type { Progress } from "../../graph/state.ts";
import type { ThreadStatus } from "./thread-facts.ts";

/** How a run ended. `stopped`: at a limit or by a signal, to be resumed. */
export interface RunEnd {
  type: "run-end";
  status: ThreadStatus;
  thread: string;
  /** The last words of the model; of a run that finished only. */
  answer?: string;
  /** Set when the model reports that its work failed or was refused, though the run came to its end. */
  outcome?: "failed";
  /** The stage that its wizard is still at. */
  stage?: string;
  /** How far its wizard has come. */
  progress?: Progress;
  /** What waits for a person. */
  request?: ReviewRequest;
  /** Why it stopped. */
  stop?: { code: "step-limit" | "faulty-calls" | "declined" | "interrupted"; reason: string };
  error?: { code: string; message: string };
}

/** Everything a watcher of a run is told, in order; the last is always a {@link RunEnd}. */
export type RuntimeEvent =
  | GraphEvent
  | { type: "run-start"; thread: string; model: string; modelReason: string }
  | { type: "checkpoint"; id: string; step: number }
  | { type: "review-open"; request: ReviewRequest }
  | RunEnd;
