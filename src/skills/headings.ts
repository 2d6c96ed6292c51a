import { isClosing, readFence } from "./run-blocks.ts";

/** A heading of the form `## Text`. */
export interface Heading {
  level: number;
  /** Without the signs that mark it, inner marks untouched. */
  text: string;
  /** Index of its line in the text. */
  index: number;
}

/** The headings of a text, and what no reader can see. */
export interface Headings {
  headings: Heading[];
  /** A fence or a comment that is never closed swallows the headings after it. */
  unclosed?: { index: number; kind: "fence" | "comment"; hidden: Heading[] };
}

/** Finds the headings of a text. What stands in fenced code or in an HTML comment is none. */
export function listHeadings(lines: string[]): Headings {
  const headings: Heading[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    const heading = readHeading(line, index);
    if (heading) headings.push(heading);
    const isComment = /^ {0,3}<!--/.test(line);
    const fence = isComment ? undefined : readFence(line);
    if (!isComment && !fence) continue;
    const end = fence
      ? lines.findIndex((each, at) => at > index && isClosing(each, fence))
      : lines.findIndex((each, at) => at >= index && each.includes("-->"));
    if (end === -1) {
      const hidden = lines.flatMap((each, at) => (at > index ? (readHeading(each, at) ?? []) : []));
      return { headings, unclosed: { index, kind: fence ? "fence" : "comment", hidden } };
    }
    index = end;
  }
  return { headings };
}

function readHeading(line: string, index: number): Heading | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line);
  if (!match) return undefined;
  const text = (match[2] ?? "").replace(/(?:^|[ \t])#+[ \t]*$/, "").trim();
  return { level: match[1]!.length, text, index };
}
