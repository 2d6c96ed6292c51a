import { SkillgraphError } from "../../errors.ts";

/**
 * Version of what a thread's state means. It is raised when the meaning of a state field or of a node changes, so that
 * a program which does not know of it would go on with the thread in the wrong place, or this one with an older
 * thread. A new optional field does not raise it. 0: threads from before versions were kept.
 */
export const GRAPH_VERSION = 1;

/** The oldest version whose wizards stand where this program would have put them. */
export const OLDEST_ALIKE = 0;

/** True when a wizard of a thread of that version may stand at another place than its stage says now. */
export function isOutgrown(version: number): boolean {
  return version < OLDEST_ALIKE;
}

/** True for a version that this program does not know. */
export function isNewer(version: unknown): version is number {
  return typeof version === "number" && version > GRAPH_VERSION;
}

/**
 * Refuses a thread that a newer program wrote: what its state means is not known here.
 *
 * @throws SkillgraphError `thread-newer`
 */
export function assertKnownVersion(thread: string, version: unknown): void {
  if (!isNewer(version)) return;
  throw new SkillgraphError(
    "thread-newer",
    `Thread ${thread} was written by a newer skillgraph (graph version ${version}, this one knows ${GRAPH_VERSION}); update skillgraph.`,
  );
}
