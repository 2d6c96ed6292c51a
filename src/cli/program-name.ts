import type { Environment } from "../runtime/settings/environment.ts";
import { readEnvironment } from "../runtime/settings.ts";

const NAME = "skillgraph";

/** How a printed command begins, so that it can be pasted: through npx, the name alone is found nowhere. */
export function toProgramName(environment: Environment = readEnvironment()): string {
  const { npm_command: command, npm_lifecycle_script: script = NAME } = environment;
  // What npx runs may start this program in turn; then npx does not have it.
  return command === "exec" && /^\W*skillgraph\b/.test(script) ? `npx ${NAME}` : NAME;
}
