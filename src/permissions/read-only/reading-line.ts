import { SHELLS, type SimpleCommand, toProgramName } from "../command/scan.ts";
import { toProgramKind } from "../hazards/program-kinds.ts";
import { judgeReading, type Reading, type ReadingView } from "./read-only.ts";

/** Builtins that change what the names in the next commands stand for. */
const STATE_CHANGERS = new Set(
  `export declare typeset local readonly unset alias unalias hash enable source . eval set shopt exec trap pushd popd
  builtin command read mapfile readarray getopts let umask ulimit`.split(/\s+/),
);
/** They make no links and move nothing. */
const STAYING = new Set(["mkdir", "touch", "rmdir", "rm", "tee", "truncate", "chmod"]);
/** What runs code of its own can also read whatever these commands would. */
const CODE_RUNNER =
  /^(npm|npx|pnpm|yarn|bun|deno|node|nodejs|tsx|python[\d.]*|ruby|perl|php|make|cargo|go|gradle|mvn|pytest|tsc|vitest|jest)$/;

/**
 * Judges each command of a line that no rule allows. Where a rule allows one that could turn a path into another,
 * such as `ln`, those that look at paths are not taken for reading: they were looked at before it runs.
 *
 * @param covered for each command, whether a rule allows it.
 */
export function judgeReadings(commands: SimpleCommand[], covered: boolean[], view: ReadingView): Reading[] {
  const allowed = commands.filter((_, index) => covered[index] === true);
  const changes = allowed.some(({ words }) => STATE_CHANGERS.has(words[0] ?? ""));
  const moves = allowed.some(({ words }) => mayMove(words));
  return commands.map((command, index): Reading => {
    if (covered[index] === true || changes) return { kind: "unlisted" };
    const reading = judgeReading(command, view);
    return reading.kind === "reads" && reading.looks && moves
      ? {
          kind: "more",
          reason: `"${reading.label}" asks here, because another command of the line may change what it comes to`,
        }
      : reading;
  });
}

function mayMove(words: string[]): boolean {
  const name = toProgramName(words[0] ?? "");
  const kind = toProgramKind(words);
  if (kind === "reader" || kind === "speaker" || STAYING.has(name)) return false;
  return kind === "writer" || !(CODE_RUNNER.test(name) || SHELLS.has(name));
}

/** Why commands that only read are allowed: `"ls" and "git log" only read`. */
export function describeReadings(readings: Reading[]): string {
  const labels = readings.flatMap((reading) => (reading.kind === "reads" ? [`"${reading.label}"`] : []));
  const [last = "", ...others] = [...new Set(labels)].reverse();
  return others.length === 0 ? `${last} only reads` : `${others.reverse().join(", ")} and ${last} only read`;
}

/** A reason with why a command on the list asks all the same. */
export function withReading(reason: string, readings: Reading[]): string {
  const more = readings.find((reading) => reading.kind === "more");
  return more?.kind === "more" ? `${reason}; ${more.reason}` : reason;
}
