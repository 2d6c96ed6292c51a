import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AuditRecord, Progress } from "./state.ts";

/** What happens during a run, as it happens. Streamed as LangGraph custom events. */
export type GraphEvent =
  | { type: "skill-routed"; names: string[]; method: "person" | "model"; candidates: number; reason: string }
  | {
      type: "skill-loaded";
      name: string;
      path: string;
      digest: string;
      tokens: number;
      chosenBy: "person" | "model";
    }
  | {
      type: "skill-drifted";
      name: string;
      path: string;
      /** What becomes of it: `pin` goes on with the stored text, `ask` waits for a person, `refresh` reads the new one. */
      choice: "pin" | "ask" | "refresh";
      /** Relative paths, each with what happened to it: `scripts/go.sh (changed)`. */
      files: string[];
    }
  | { type: "skill-unloaded"; name: string; digest: string; by: "person" | "model" }
  | { type: "stage-start"; skill: string; stage: string; title: string; number: number; total: number }
  | { type: "stage-end"; skill: string; stage: string; result: StageEnd }
  | { type: "model-start"; model: string }
  | { type: "text-delta"; text: string }
  | { type: "model-end"; model: string; calls: number; inputTokens?: number; outputTokens?: number }
  | { type: "tool-start"; id: string; tool: string; input: Record<string, unknown> }
  | { type: "tool-end"; id: string; tool: string; status: "success" | "error"; output: string }
  | { type: "tool-denied"; id: string; tool: string; reason: string }
  | ({ type: "call-decided" } & AuditRecord)
  | { type: "rules-added"; rules: string[]; project: string }
  | ({ type: "progress" } & Progress)
  | { type: "review-closed"; request: string }
  | { type: "notice"; text: string };

/** How a stage ended. `passed`: its gate needs nobody. `rejected` and `reopened`: it, or one before, begins again. */
export type StageEnd = "approved" | "edited" | "answered" | "rejected" | "reopened" | "stopped" | "passed";

/** Sends an event to whoever watches the run; nobody has to. */
export function emitEvent(config: LangGraphRunnableConfig, event: GraphEvent): void {
  config.writer?.(event);
}

/** True for an event of ours; a caller's own tool may stream other things. */
export function isGraphEvent(value: unknown): value is GraphEvent {
  return typeof value === "object" && value !== null && "type" in value && types.has(String(value.type));
}

const types = new Set<string>([
  "skill-routed",
  "skill-loaded",
  "skill-drifted",
  "skill-unloaded",
  "stage-start",
  "stage-end",
  "model-start",
  "text-delta",
  "model-end",
  "tool-start",
  "tool-end",
  "tool-denied",
  "call-decided",
  "rules-added",
  "progress",
  "review-closed",
  "notice",
] satisfies GraphEvent["type"][]);
