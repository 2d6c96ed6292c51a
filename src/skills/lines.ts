/** A line of instructions, and what it is part of: fenced code and HTML comments are not text. */
export type Line = Place &
  ({ kind: "text" | "comment" } | { kind: "opening" | "code" | "closing"; fence: Fence });

interface Place {
  /** Without its line break. */
  text: string;
  /** Counted from zero. */
  index: number;
  /** Offset of its first character. */
  start: number;
  /** Offset after its last character. */
  end: number;
}

/** The opening line of fenced code. */
export interface Fence {
  mark: string;
  length: number;
  indent: number;
  info: string;
}

/** The lines of a text, and the fence or comment that is never closed and holds the rest. */
export interface Lines {
  lines: Line[];
  open?: { index: number; kind: "fence" | "comment" };
}

/**
 * Tells text, fenced code and HTML comments apart. Fences follow CommonMark: backticks or tildes, three or more,
 * indented by three blanks at most, closed by at least as many of the same mark or by the end of the text. A fence
 * inside a longer fence or inside a comment is part of it.
 */
export function readLines(text: string): Lines {
  const lines: Line[] = [];
  let fence: Fence | undefined;
  let isComment = false;
  let start = 0;
  for (const place of splitLines(text)) {
    const { text: line, index } = place;
    if (fence) {
      const isEnd = isClosing(line, fence);
      lines.push({ ...place, kind: isEnd ? "closing" : "code", fence });
      if (isEnd) fence = undefined;
    } else if (isComment || /^ {0,3}<!--/.test(line)) {
      if (!isComment) start = index;
      lines.push({ ...place, kind: "comment" });
      isComment = !line.includes("-->");
    } else {
      fence = readFence(line);
      if (fence) start = index;
      lines.push(fence ? { ...place, kind: "opening", fence } : { ...place, kind: "text" });
    }
  }
  if (!fence && !isComment) return { lines };
  return { lines, open: { index: start, kind: fence ? "fence" : "comment" } };
}

function splitLines(text: string): Place[] {
  const lines: Place[] = [];
  const breaks = /\r\n|\n|\r/g;
  let start = 0;
  for (let match = breaks.exec(text); match; match = breaks.exec(text)) {
    lines.push({ text: text.slice(start, match.index), index: lines.length, start, end: match.index });
    start = breaks.lastIndex;
  }
  return [...lines, { text: text.slice(start), index: lines.length, start, end: text.length }];
}

function readFence(line: string): Fence | undefined {
  const match = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line);
  if (!match) return undefined;
  const [, indent = "", marks = "", info = ""] = match;
  // CommonMark: the info string of a backtick fence holds no backtick, else it is inline code.
  if (marks.startsWith("`") && info.includes("`")) return undefined;
  return { mark: marks[0]!, length: marks.length, indent: indent.length, info: info.trim() };
}

function isClosing(line: string, fence: Fence): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line);
  return match?.[1]?.[0] === fence.mark && match[1].length >= fence.length;
}
