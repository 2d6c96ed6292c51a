import { findMembers } from "../../src/tools/process/process-group.ts";
import type { ProcessGroup } from "../../src/tools/tool.ts";

/** True while anything lives of a call that was recorded. */
export function isAlive({ pid }: ProcessGroup): boolean {
  return findMembers(pid, (mark) => mark.endsWith(`:${pid}`)).length > 0;
}
