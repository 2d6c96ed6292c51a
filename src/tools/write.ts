import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { peekText } from "./files/files.ts";
import { previewChange } from "./files/preview-change.ts";
import { keepStyle } from "./files/text-style.ts";
import { writeWhole } from "./files/write-whole.ts";
import { createInput } from "./input.ts";
import { hasLoneSurrogate, toCount } from "./output.ts";
import { defineTool } from "./tool.ts";
import { toPathTarget, toShownPath } from "./workspace.ts";

/** A larger file is replaced without a look at what it held. */
const MAX_STYLED_BYTES = 10 * 1024 * 1024;

/** Writes a whole file. */
export const writeTool = defineTool({
  name: "Write",
  description:
    "Write a whole file in the workspace, making its folders. What the file held before is replaced, and its " +
    "byte-order mark and CRLF line ends are kept; use Edit to change a part of it.",
  input: createInput(
    {
      path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
      content: z.string().describe("All that the file shall hold."),
    },
    { file_path: "path", filePath: "path", contents: "content" },
  ),
  target: ({ path }, context) => toPathTarget(path, context, "write"),
  preview: ({ path, content }, context) =>
    previewChange(path, context, (before) => keepStyle(content, before).text),
  readOnly: false,
  idempotent: true,
  run: async ({ path, content }, context) => {
    if (hasLoneSurrogate(content)) {
      throw new SkillgraphError(
        "tool-failed",
        "The content holds half a surrogate pair, which no file can hold.",
      );
    }
    const confirm = () => resolveDecidedPath(path, context, "write");
    const real = confirm();
    const { workspace } = context;
    const before = await peekText(real, workspace, MAX_STYLED_BYTES);
    const { text, kept } = keepStyle(content, before.kind === "text" ? before.text : "");
    const isNew = await writeWhole(real, text, { workspace, confirm });
    const bytes = toCount(Buffer.byteLength(text));
    const notes = [
      ...(kept.length > 0 ? [`Kept its ${kept.join(" and ")}.`] : []),
      ...(before.kind === "other" ? ["It was not UTF-8 text before; now it is."] : []),
    ];
    return [
      `${isNew ? "Created" : "Replaced"} ${toShownPath(real, workspace)} (${bytes} bytes).`,
      ...notes,
    ].join(" ");
  },
});
