import { SkillgraphError } from "../errors.ts";

/** The one wording for a file or a database that cannot be used. */
export function createUnavailable(place: string, reason: string, cause?: unknown): SkillgraphError {
  return new SkillgraphError("checkpoint-unavailable", `Checkpoints in "${place}": ${reason}.`, { cause });
}
