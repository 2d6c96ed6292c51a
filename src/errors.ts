/**
 * Every code a {@link SkillgraphError} can carry. Scripts and callers switch on the code, people read the
 * message.
 */
export type ErrorCode =
  | "usage"
  | "skill-unknown"
  | "skill-unreadable"
  | "root-unknown"
  | "settings-invalid"
  | "model-unknown"
  | "model-key-missing"
  | "model-failed"
  | "thread-unknown"
  | "thread-ambiguous"
  | "thread-busy"
  | "thread-conflict"
  | "thread-newer"
  | "thread-unreadable"
  | "nothing-pending"
  | "request-unknown"
  | "answer-invalid"
  | "checkpoint-unknown"
  | "checkpoint-ambiguous"
  | "checkpoint-url-invalid"
  | "checkpoint-unavailable"
  | "state-not-plain"
  | "path-outside"
  | "tool-failed";

/**
 * A failure for the caller. The message is one line that names the thing, quotes the value and, where there
 * are any, lists the choices.
 *
 * @example
 * ```ts
 * import { SkillgraphError } from "skillgraph";
 * throw new SkillgraphError("skill-unknown", 'No skill named "x". Known skills: a, b.');
 * ```
 */
export class SkillgraphError extends Error {
  override readonly name = "SkillgraphError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The message of anything that was thrown, on one line. */
export function toMessage(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : toText(thrown);
  return text.replace(/\s*\n\s*/g, " ").trim();
}

function toText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    // An object without a prototype has no words of its own.
    return Object.prototype.toString.call(thrown);
  }
}
