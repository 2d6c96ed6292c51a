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

interface Line {
  text: string;
  start: number;
  end: number;
}

/** The opening line of fenced code. */
export interface Fence {
  mark: string;
  length: number;
  indent: number;
  info: string;
}

const SHELL_LANGUAGES = new Set(["bash", "sh", "shell"]);

/**
 * Finds the blocks that a skill's text declares to be run, in their order.
 *
 * Fences follow CommonMark: backticks or tildes, three or more, indented by three blanks at most, closed by
 * at least as many of the same mark or by the end of the text. A fence inside a longer fence or inside an
 * HTML comment is text.
 *
 * @param text - The skill's instructions, without the header.
 */
export function findRunBlocks(text: string): RunBlock[] {
  const lines = splitLines(text);
  const blocks: RunBlock[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const opening = lines[index]!;
    if (/^ {0,3}<!--/.test(opening.text)) {
      index = findLine(lines, index, (line) => line.text.includes("-->"));
      continue;
    }
    const fence = readFence(opening.text);
    if (!fence) continue;
    const closing = findLine(lines, index + 1, (line) => isClosing(line.text, fence));
    const block = toRunBlock(lines.slice(index + 1, closing), fence, index + 1);
    if (block) blocks.push(block);
    index = closing;
  }
  return blocks;
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const breaks = /\r\n|\n|\r/g;
  let start = 0;
  for (let match = breaks.exec(text); match; match = breaks.exec(text)) {
    lines.push({ text: text.slice(start, match.index), start, end: match.index });
    start = breaks.lastIndex;
  }
  lines.push({ text: text.slice(start), start, end: text.length });
  return lines;
}

function findLine(lines: Line[], from: number, accept: (line: Line) => boolean): number {
  const found = lines.findIndex((line, index) => index >= from && accept(line));
  return found === -1 ? lines.length : found;
}

/** The fence that a line opens, if it does. */
export function readFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line);
  if (!match) return undefined;
  const [, indent = "", marks = "", info = ""] = match;
  // CommonMark: the info string of a backtick fence holds no backtick, else it is inline code.
  if (marks.startsWith("`") && info.includes("`")) return undefined;
  return { mark: marks[0]!, length: marks.length, indent: indent.length, info: info.trim() };
}

/** Whether a line closes a fence. */
export function isClosing(line: string, fence: Fence): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return match?.[1]?.[0] === fence.mark && match[1].length >= fence.length;
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
