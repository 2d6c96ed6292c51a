import type { ReviewRequest } from "../../src/graph/review/request.ts";
import type { ReviewItem } from "../../src/graph/review/review-item.ts";

/** A plan that waits at the second of three stages. */
export const planGate: ReviewItem = {
  kind: "stage",
  id: "call-1",
  name: "release/plan",
  skill: "release",
  args: {
    version: "1.2.0",
    notes: "First.\n\nversion: 9",
    files: [{ from: "a.md", to: "b, c.md" }],
    draft: false,
  },
  description: 'The stage "Plan" is complete: Three changes. Then comes "Apply".',
  allowed: ["approve", "edit", "reject"],
  form: {
    type: "object",
    properties: {
      version: { type: "string", title: "Version" },
      notes: { type: "string" },
      files: { type: "array" },
      draft: { type: "boolean" },
      rounds: { type: "integer" },
    },
    required: ["version"],
  },
  stage: "plan",
  title: "Plan",
  summary: "Three changes.",
  gate: "approve",
  number: 2,
  total: 3,
  next: { id: "apply", title: "Apply" },
  back: ["inspect", "plan"],
};

/** The same, to be filled in. */
export const formGate: ReviewItem = {
  ...planGate,
  gate: "form",
  args: { version: "1.2.0" },
  allowed: ["edit", "respond", "reject"],
};

/** A last stage that hands over words. */
export const wordsGate: ReviewItem = {
  kind: "stage",
  id: "call-2",
  name: "release/apply",
  skill: "release",
  args: { summary: "It is out." },
  description: "",
  allowed: ["approve", "edit", "reject"],
  stage: "apply",
  title: "Apply",
  summary: "It is out.",
  gate: "approve",
  number: 3,
  total: 3,
  back: ["inspect", "plan", "apply"],
};

/** A stage that the model could not complete. */
export const failedGate: ReviewItem = {
  ...planGate,
  args: {},
  summary: "",
  allowed: ["edit", "reject"],
  failures: ['"version": is missing', "The check failed:\nno tag"],
};

/** A request for these items. */
export function toRequest(...items: ReviewItem[]): ReviewRequest {
  const empty = { action_requests: [], actionRequests: [], review_configs: [], reviewConfigs: [] };
  return { id: "req-1", items, ...empty };
}
