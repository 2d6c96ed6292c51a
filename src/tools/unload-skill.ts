import { z } from "zod";
import { createInput } from "./input.ts";
import { defineTool } from "./tool.ts";

/** What is said of a skill that was let go. */
export function describeUnloaded(name: string): string {
  return `The skill "${name}" is unloaded: its instructions and permissions have ended.`;
}

/** The tool by which a model lets a skill go. The graph looks first whether it may. */
export const unloadSkillTool = defineTool({
  name: "UnloadSkill",
  description:
    "End a loaded skill that is no longer needed: its text leaves the conversation, and what it allowed ends. " +
    "It can be loaded again with Skill.",
  input: createInput(
    { name: z.string().min(1).describe("Name of the loaded skill.") },
    { command: "name", skill: "name", skill_name: "name" },
  ),
  target: () => ({ kind: "none" }),
  // Alone and in the order of the calls: what comes after it has the skill's grants no more.
  readOnly: false,
  idempotent: true,
  run: async ({ name }) => describeUnloaded(name),
});
