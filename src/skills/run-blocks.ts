import { type Fence, type Line, readLines } from "./lines.ts";

/** A fenced block that a skill declares to be run as it stands: ```` ```bash run ````. */
export interface RunBlock {
  /** `bash`, `sh` or `shell`. */
  language: string;
  /** The commands, without the fence's own indentation and without the last line break. */
  code: string;
  /** One-based line of the opening fence. */
  line: number;
  /** Offset of the first character between the fences. */
  start: number;
  /** Offset after the last character between the fences, without its line break. */
  end: number;
}

const SHELL_LANGUAGES = new Set(["bash", "sh", "shell"]);

/**
 * Finds the blocks that a skill's text declares to be run, in their order. What stands in a longer fence or in an
 * HTML comment is text.
 *
 * @param text - The skill's instructions, without the header.
 */
export function findRunBlocks(text: string): RunBlock[] {
  const { lines } = readLines(text);
  return lines.flatMap((opening) => {
    if (opening.kind !== "opening") return [];
    const first = opening.index + 1;
    let end = first;
    while (lines[end]?.kind === "code") end += 1;
    return toRunBlock(lines.slice(first, end), opening.fence, first) ?? [];
  });
}

function toRunBlock(lines: Line[], fence: Fence, line: number): RunBlock | undefined {
  const [language = "", second] = fence.info.split(/\s+/);
  if (!SHELL_LANGUAGES.has(language.toLowerCase()) || second !== "run") return undefined;
  const indentation = new RegExp(`^ {0,${fence.indent}}`);
  const code = lines.map((each) => each.text.replace(indentation, "")).join("\n");
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last || code.trim() === "") return undefined;
  return { language: language.toLowerCase(), code, line, start: first.start, end: last.end };
}
