import { basename, sep } from "node:path";
import { createContext, Script } from "node:vm";
import picomatch from "picomatch";
import { SkillgraphError, toMessage } from "../../errors.ts";

/** Matching that stays below this is not counted: starting a script with a limit takes a part of it. */
const FREE_MS = 1;
const BUDGET_MS = 1_000;
/** With so few places that can stretch, even a name of 255 characters takes milliseconds. */
const MAX_PLAIN_STRETCHES = 3;
const STRETCH = /\*+|\{/g;

const SCRIPT = new Script("run()");

/**
 * A test for relative paths; braces, `**` and extended patterns work, a pattern of the name alone on request.
 * Some patterns take time that grows without bound on a harmless name: all paths together get one second, then
 * the test throws.
 *
 * @param pattern - The glob pattern.
 * @param options - `byName`: a pattern without a slash is matched against the name alone.
 * @throws SkillgraphError `tool-failed`, from the test, when the time is used up.
 */
export function createPathMatch(
  pattern: string,
  options: { byName?: boolean } = {},
): (path: string) => boolean {
  const byName = options.byName === true && !pattern.includes("/");
  // A name may hold a line break, which `**` passes only with this flag.
  const isMatch = picomatch(pattern, { flags: "s" });
  const test = isPlain(pattern) ? (path: string) => isMatch(path) : createLimitedTest(isMatch, pattern);
  let left = BUDGET_MS;
  return (path) => {
    if (left <= 0) throw toTooSlow(pattern);
    const started = performance.now();
    const found = test(byName ? basename(path) : path.split(sep).join("/"));
    const spent = performance.now() - started;
    if (spent > FREE_MS) left -= spent;
    return found;
  };
}

function isPlain(pattern: string): boolean {
  return !pattern.includes("(") && (pattern.match(STRETCH)?.length ?? 0) <= MAX_PLAIN_STRETCHES;
}

/** Nothing can interrupt a regular expression but the limit of a script, which costs some 0.1 ms a call. */
function createLimitedTest(isMatch: (path: string) => boolean, pattern: string): (path: string) => boolean {
  let current = "";
  const context = createContext({ run: () => isMatch(current) });
  return (path) => {
    current = path;
    try {
      return SCRIPT.runInContext(context, { timeout: BUDGET_MS }) === true;
    } catch (error) {
      if (toMessage(error).includes("timed out")) throw toTooSlow(pattern);
      throw error;
    }
  };
}

function toTooSlow(pattern: string): SkillgraphError {
  return new SkillgraphError(
    "tool-failed",
    `Pattern ${JSON.stringify(pattern)} took too long; use fewer * and groups.`,
  );
}
