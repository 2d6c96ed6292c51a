import { type Finding, type Instructions, toWarning } from "./rule.ts";

/** The most lines that the specification advises (agentskills.io specification, "Progressive disclosure"). */
export const LINE_LIMIT = 500;

/** Instructions are there, and short enough to be read whole. */
export function judgeLength({ text, firstLine }: Instructions): Finding[] {
  const trimmed = text.trim();
  if (trimmed === "") return [toWarning("body-empty", firstLine, "There are no instructions.")];
  const count = trimmed.split("\n").length;
  if (count <= LINE_LIMIT) return [];
  const message = `The instructions have ${count} lines; at most ${LINE_LIMIT} are advised. Move details to "references".`;
  return [toWarning("body-long", firstLine + LINE_LIMIT, message)];
}
