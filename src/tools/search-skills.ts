import { z } from "zod";
import { renderListing } from "../skills/listing/listing.ts";
import { escapeListed } from "../skills/listing/listing-form.ts";
import { createInput } from "./input.ts";
import { OUTPUT_LIMIT } from "./output.ts";
import { defineTool } from "./tool.ts";

const MOST_FOUND = 10;

/** Finds skills of which the model's list shows only a part, or nothing. */
export const searchSkillsTool = defineTool({
  name: "SearchSkills",
  description:
    "Find skills by words of the task. The list of skills is shortened: some descriptions are cut or left out, and " +
    `some skills may not be listed at all. Answers with up to ${MOST_FOUND} skills and their whole descriptions; ` +
    "load the one that fits with Skill. Use it when no listed skill clearly fits.",
  input: createInput(
    {
      query: z.string().min(1).describe("Words of the task, or of a skill's name."),
      limit: z.number().optional().describe(`Most skills in the answer, 1 to ${MOST_FOUND}.`),
    },
    { q: "query", text: "query", words: "query", keywords: "query", max_results: "limit" },
  ),
  target: () => ({ kind: "none" }),
  readOnly: true,
  idempotent: true,
  run: async ({ query, limit = MOST_FOUND }, { searchSkills }) => {
    const most = Math.min(MOST_FOUND, Math.max(1, Math.floor(limit)));
    const { found, total, nearest } = searchSkills?.(query, most) ?? { found: [], total: 0, nearest: [] };
    if (found.length === 0) {
      const near = nearest.length > 0 ? ` Nearest names: ${nearest.map(escapeListed).join(", ")}.` : "";
      return `No skill fits these words.${near} Try other words: names and descriptions are searched.`;
    }
    const rest = total > found.length ? ` of ${total}; more words of the task narrow it down` : "";
    return [
      `Best first, ${found.length}${rest}:`,
      // The best stands first here, whatever its kind.
      renderListing(
        found.map((skill) => ({ ...skill, mode: false })),
        { budget: OUTPUT_LIMIT },
      ).text,
      'Load one with Skill {"name": "…"}.',
    ].join("\n");
  },
});
