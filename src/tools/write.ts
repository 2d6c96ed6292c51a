import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { writeWhole } from "./files/files.ts";
import { createInput } from "./input.ts";
import { hasLoneSurrogate, toCount } from "./output.ts";
import { defineTool } from "./tool.ts";
import { resolvePath, toPathTarget, toShownPath } from "./workspace.ts";

/** Writes a whole file. */
export const writeTool = defineTool({
  name: "Write",
  description:
    "Write a whole file in the workspace, making its folders. What the file held before is replaced; use Edit to " +
    "change a part of it.",
  input: createInput(
    {
      path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
      content: z.string().describe("All that the file shall hold."),
    },
    { file_path: "path", filePath: "path", contents: "content" },
  ),
  target: ({ path }, context) => toPathTarget(path, context, "write"),
  readOnly: false,
  idempotent: true,
  run: async ({ path, content }, context) => {
    if (hasLoneSurrogate(content)) {
      throw new SkillgraphError(
        "tool-failed",
        "The content holds half a surrogate pair, which no file can hold.",
      );
    }
    const confirm = () => resolvePath(path, context, "write");
    const real = confirm();
    const isNew = await writeWhole(real, content, confirm);
    const bytes = toCount(Buffer.byteLength(content));
    return `${isNew ? "Created" : "Replaced"} ${toShownPath(real, context.workspace)} (${bytes} bytes).`;
  },
});
