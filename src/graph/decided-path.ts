import type { Decision, Target } from "../permissions/policy.ts";

/** A decision with the real place that it is on: of a file, or the folder of a command. */
export type Decided = Decision & { decidedPath?: string };

/** What a decision on a target is on. */
export function toDecidedPath(target: Target): Pick<Decided, "decidedPath"> {
  if (target.kind === "path") return { decidedPath: target.path };
  return target.kind === "command" ? { decidedPath: target.cwd } : {};
}
