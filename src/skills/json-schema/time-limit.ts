import { type Context, createContext, Script } from "node:vm";

const script = new Script("work()");
let context: Context | undefined;

/**
 * Runs work that may take for ever, such as a regular expression on text that somebody else wrote. It is interrupted
 * wherever it is when its time is over, so what it was changing must not be used again.
 *
 * @returns What the work returned, or undefined when it took too long. What it throws is thrown.
 */
export function runWithin<T>(timeoutMs: number, work: () => T): { value: T } | undefined {
  context ??= createContext();
  let result: { value: T } | undefined;
  context.work = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: timeoutMs });
    return result;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    context.work = undefined;
  }
}

// The error comes from the other context, so it is no Error of this one.
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
