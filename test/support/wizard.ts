import type { ChatRequest } from "./openai-server.ts";
import { skillText } from "./workspace.ts";

/** Files of a wizard of three stages: `look` with an output, `plan` with an output, `apply` without a gate. */
export const tripFiles: Record<string, string> = {
  "skills/trip/SKILL.md": skillText(
    { name: "trip", description: "Plans a trip in stages." },
    "INTRO: plan a trip for $ARGUMENTS.",
  ),
  "skills/trip/stages/01-look.md": stageText(
    [
      "title: Look around",
      "output:",
      "  type: object",
      "  required: [places]",
      "  properties: { places: { type: array, items: { type: string }, minItems: 1 } }",
    ],
    "LOOK: find places.",
  ),
  "skills/trip/stages/02-plan.md": stageText(
    [
      "title: Plan",
      "output:",
      "  type: object",
      "  required: [days, route]",
      "  properties: { days: { type: integer, minimum: 1 }, route: { type: string } }",
    ],
    "PLAN: make a route.",
  ),
  "skills/trip/stages/03-apply.md": stageText(
    ["title: Apply", "gate: none"],
    "APPLY: book {plan.route} for {plan.days} days.",
  ),
};

/** A stage's file with a header of the given lines. */
export function stageText(header: string[], body: string): string {
  return `---\n${header.join("\n")}\n---\n\n${body}\n`;
}

/** A turn that completes a stage. */
export function complete(id: string, output?: unknown, summary = `Summary of ${id}.`) {
  return {
    calls: [
      { id, name: "CompleteStage", arguments: { summary, ...(output === undefined ? {} : { output }) } },
    ],
  };
}

/** The messages of a request as one text. */
export function readPrompt(request: ChatRequest | undefined): string {
  return (request?.body.messages ?? [])
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content ?? "")))
    .join("\n\n");
}

/** Names of the tools that a request offered. */
export function listTools(request: ChatRequest | undefined): string[] {
  return (request?.body.tools ?? []).map((tool) => tool.function.name);
}
