import { type ErrorCode, SkillgraphError } from "../errors.ts";
import type { RunEnd } from "../runtime/threads/events.ts";

/** What a process says with its exit code. */
export const exitCodes = {
  finished: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  limit: 4,
  interrupted: 130,
} as const;

/** Failures whose cause is in what was typed or set. */
const USAGE_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  "usage",
  "skill-unknown",
  "root-unknown",
  "model-unknown",
  "checkpoint-unknown",
  "checkpoint-ambiguous",
  "checkpoint-url-invalid",
  "settings-invalid",
  "thread-unknown",
  "thread-ambiguous",
  "request-unknown",
  "answer-invalid",
]);

/** The exit code of a failure. */
export function toErrorExitCode(error: unknown): number {
  // A signal came before the run had begun.
  if (error instanceof Error && error.name === "AbortError") return exitCodes.interrupted;
  if (isFolderGone(error)) return exitCodes.usage;
  return error instanceof SkillgraphError ? toCodeExitCode(error.code) : exitCodes.failed;
}

/** True for the failure of everything relative when the working folder was deleted. */
export function isFolderGone(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}

/** The exit code of a run that came to its end. */
export function toRunExitCode(end: RunEnd): number {
  // The model told that what it was to do failed or was refused.
  if (end.status === "finished") return end.outcome === "failed" ? exitCodes.failed : exitCodes.finished;
  if (end.status === "waiting") return exitCodes.waiting;
  if (end.stop?.code === "interrupted") return exitCodes.interrupted;
  if (end.stop?.code === "step-limit") return exitCodes.limit;
  return toCodeExitCode(end.error?.code ?? "");
}

function toCodeExitCode(code: string): number {
  return USAGE_CODES.has(code) ? exitCodes.usage : exitCodes.failed;
}
