import type { ToolContext } from "../tool.ts";
import { resolvePath } from "../workspace.ts";
import { toMoved } from "./open-folder.ts";

/**
 * The real path of what a call names, as `resolvePath` finds it, when that is still the one that the rules said yes
 * to: a file or a folder on the way may have become a link since.
 *
 * @throws SkillgraphError `path-outside` for another one
 */
export function resolveDecidedPath(path: string, context: ToolContext, access: "read" | "write"): string {
  const real = resolvePath(path, context, access);
  if (context.decidedPath !== undefined && context.decidedPath !== real) throw toMoved(path);
  return real;
}
