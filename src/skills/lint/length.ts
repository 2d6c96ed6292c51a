import { readLines } from "../lines.ts";
import { estimateTokens } from "../tokens.ts";
import { type Finding, type Instructions, toWarning } from "./rule.ts";

/** The most lines that the specification advises (agentskills.io specification, "Progressive disclosure"). */
export const LINE_LIMIT = 500;

/** The most tokens that it advises for the instructions. */
const TOKEN_LIMIT = 5000;

/** So many lines of prose are a page and a half: without a heading, nothing in them is found again. */
const PROSE_LIMIT = 60;

const HEADING =
  /^ {0,3}#{1,6}(?:[ \t]|$)|^ {0,3}(?:=+|-{2,})[ \t]*$|^\s*<[a-z][\w-]*>|^\s*(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$/i;

/** Instructions are there, short enough to be read whole, and in parts where they are long. */
export function judgeLength({ text, firstLine }: Instructions): Finding[] {
  const trimmed = text.trim();
  if (trimmed === "") return [toWarning("body-empty", firstLine, "There are no instructions.")];
  return [...judgeSize(trimmed, firstLine), ...judgeParts(text, firstLine)];
}

function judgeSize(text: string, firstLine: number): Finding[] {
  const count = text.split("\n").length;
  const advice = 'Move details to "references".';
  if (count > LINE_LIMIT) {
    const message = `The instructions have ${count} lines; at most ${LINE_LIMIT} are advised. ${advice}`;
    return [toWarning("body-long", firstLine + LINE_LIMIT, message)];
  }
  const tokens = estimateTokens(text);
  if (tokens <= TOKEN_LIMIT) return [];
  const message = `The instructions are about ${tokens} tokens; at most ${TOKEN_LIMIT} are advised. ${advice}`;
  return [toWarning("body-tokens", firstLine, message)];
}

function judgeParts(text: string, firstLine: number): Finding[] {
  const prose = readLines(text).lines.filter(({ kind, text: line }) => kind === "text" && line.trim() !== "");
  if (prose.length <= PROSE_LIMIT || prose.some(({ text: line }) => HEADING.test(line))) return [];
  const message = `${prose.length} lines of text have no heading. Put "## …" before each part, so that it is found again.`;
  return [toWarning("body-headings", firstLine, message)];
}
