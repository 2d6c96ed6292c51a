import { toSafeLines } from "./safe-text.ts";
import type { Colors } from "./screen.ts";

/** Before each line of a difference. */
const MARGIN = "    ";
/** The names of the two texts stand on the first lines of a patch. */
const HEAD_LINES = 3;

/** A patch with its lines in colors. */
export function renderDifference(difference: string, colors: Colors): string[] {
  return difference === ""
    ? []
    : toSafeLines(difference, MARGIN).map((line, index) => paint(line, index < HEAD_LINES, colors));
}

/** The patches of several files, one after the other, each with its own head. */
export function renderDifferences(patch: string, colors: Colors): string[] {
  const lines = patch.split("\n");
  // Within a file no line of it stands before `@@` without a mark, so a head is told from a line that begins like one.
  const isHead = (at: number) =>
    lines[at]?.startsWith("--- ") === true &&
    lines[at + 1]?.startsWith("+++ ") === true &&
    lines[at + 2]?.startsWith("@@ ") === true;
  const heads = lines.flatMap((_, at) => (at === 0 || isHead(at) ? [at] : []));
  return heads.flatMap((at, index) => renderDifference(lines.slice(at, heads[index + 1]).join("\n"), colors));
}

function paint(line: string, isHead: boolean, { green, red, cyan, bold }: Colors): string {
  const mark = line.slice(MARGIN.length);
  if (/^(--- |\+\+\+ )/.test(mark) && isHead) return bold(line);
  if (mark.startsWith("@@")) return cyan(line);
  if (mark.startsWith("+")) return green(line);
  return mark.startsWith("-") ? red(line) : line;
}
