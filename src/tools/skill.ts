import { z } from "zod";
import { createInput } from "./input.ts";
import { defineTool, type Tool } from "./tool.ts";

const SHORTENED = "; not all are shown whole, SearchSkills finds the rest";

/**
 * The tool by which a model asks for a skill. The graph loads it and answers the call.
 *
 * @param listing - The catalog as the model reads it, one skill a line.
 * @param names - Names that are advertised as choices. Another name still parses, so that the graph can answer
 *   it with the nearest ones.
 * @param isShortened - True when the listing does not show everything.
 */
export function createSkillTool(listing: string, names: readonly string[], isShortened = false): Tool {
  const name = z.string().min(1).describe("Name of the skill, exactly as listed or found.");
  return defineTool({
    name: "Skill",
    description: [
      "Load a skill: instructions for a kind of task. When a listed skill fits the task, load it before doing",
      "anything else, then follow it. Load a skill once; its text stays in the conversation.",
      ...(listing === "" ? [] : ["", `Available skills${isShortened ? SHORTENED : ""}:`, listing]),
    ].join("\n"),
    input: createInput(
      {
        name: names.length === 0 ? name : name.meta({ enum: [...names] }),
        arguments: z.string().optional().describe("What the skill should work on, as one text."),
      },
      { command: "name", skill: "name", skill_name: "name", args: "arguments" },
    ),
    target: ({ name: skill }) => ({ kind: "none", name: skill }),
    readOnly: true,
    idempotent: true,
    run: async () => {
      throw new Error("Skill is answered by the graph, not run as a tool.");
    },
  });
}
