import { type Fence, isClosing, readFence } from "../run-blocks.ts";

/** A line of instructions, and what it is part of. */
export interface BodyLine {
  text: string;
  /** Index in the text. */
  index: number;
  kind: "prose" | "fence" | "code" | "comment";
  /** The fence that is opened, or that the code stands in. */
  fence?: Fence;
}

/** The lines of a text, and the fence or comment that is never closed. */
export interface BodyLines {
  lines: BodyLine[];
  open?: { index: number; kind: "fence" | "comment" };
}

/** Tells prose, fenced code and HTML comments apart, as CommonMark does for those who read run blocks. */
export function readLines(text: string): BodyLines {
  const lines: BodyLine[] = [];
  let fence: Fence | undefined;
  let start = 0;
  let isComment = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (isComment) {
      lines.push({ text: line, index, kind: "comment" });
      isComment = !line.includes("-->");
    } else if (fence) {
      const closes = isClosing(line, fence);
      lines.push({ text: line, index, kind: closes ? "fence" : "code", fence });
      if (closes) fence = undefined;
    } else if (/^ {0,3}<!--/.test(line)) {
      lines.push({ text: line, index, kind: "comment" });
      start = index;
      isComment = !line.includes("-->");
    } else {
      fence = readFence(line);
      start = fence ? index : start;
      lines.push({ text: line, index, kind: fence ? "fence" : "prose", ...(fence ? { fence } : {}) });
    }
  }
  if (!fence && !isComment) return { lines };
  return { lines, open: { index: start, kind: fence ? "fence" : "comment" } };
}
