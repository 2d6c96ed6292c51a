import { readLines } from "./lines.ts";

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
export function listHeadings(text: string): Headings {
  const { lines, open } = readLines(text);
  const headings = lines.filter(({ kind }) => kind === "text").flatMap((line) => readHeading(line) ?? []);
  if (!open) return { headings };
  const hidden = lines.slice(open.index + 1).flatMap((line) => readHeading(line) ?? []);
  return { headings, unclosed: { ...open, hidden } };
}

function readHeading({ text: line, index }: { text: string; index: number }): Heading | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line);
  if (!match) return undefined;
  const text = (match[2] ?? "").replace(/(?:^|[ \t])#+[ \t]*$/, "").trim();
  return { level: match[1]!.length, text, index };
}
