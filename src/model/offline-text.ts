import type { Match } from "./offline-match.ts";

/** Longest output that a person has not read yet, in lines and characters; the whole is in the result of the call. */
const LONGEST_OUTPUT = { lines: 120, characters: 6_000 };
/** Of an output that a turn has shown before. */
const LONGEST_SUMMARY = { lines: 12, characters: 800 };
const LONGEST_DESCRIPTION = 100;
const LONGEST_LINE = 160;

/** How a person sets a model, as lines to type. */
export const HOW_TO_SET_MODEL = [
  "To set a model, type one of these, then run it again:",
  "",
  "    export OPENAI_API_KEY=…",
  "    export OPENAI_BASE_URL=http://localhost:11434/v1    # a local server; add --model NAME",
].join("\n");

/** A command as one line of code. */
export function showCommand(command: string): string {
  const [first = "", ...rest] = command.trim().split("\n");
  const line = rest.length > 0 ? `${first} …` : first;
  // A command may hold backticks itself; a longer mark keeps them.
  const mark = line.includes("`") ? "``" : "`";
  return mark === "`" ? `\`${line}\`` : `${mark} ${line} ${mark}`;
}

/** What a command printed, for a person to read before the next one is approved. */
export function showPrinted(command: string, output: string): string {
  if (output.trim() === "") return `${showCommand(command)} printed nothing.`;
  return `${showCommand(command)} printed:\n\n${toFence(shorten(output, LONGEST_OUTPUT))}`;
}

/**
 * The result of a command in a report.
 *
 * @param isNew - Whether no turn has shown it before.
 */
export function showResult(command: string, output: string, isNew: boolean): string {
  if (output.trim() === "") return `- ${showCommand(command)}: done, printed nothing`;
  const summary = shorten(output, isNew ? LONGEST_OUTPUT : LONGEST_SUMMARY).replace(/^/gm, "    ");
  return `- ${showCommand(command)}: done\n\n${summary}\n`;
}

/** A skill of the catalog as one line, with the words that it shares. */
export function showMatch({ name, description, shared, score }: Match): string {
  const characters = [...description];
  const cut = characters.length > LONGEST_DESCRIPTION;
  const short = cut ? `${characters.slice(0, LONGEST_DESCRIPTION).join("").trimEnd()}…` : description;
  const words = score > 0 && shared.length > 0 ? ` (shares: ${shared.join(", ")})` : "";
  return `- ${name}: ${short}${words}`;
}

/** The first line of a text, cut where it is long. */
export function toLine(text: string): string {
  return toLines(text, 1);
}

/** The first lines of a text that are not empty, each cut where it is long. */
export function toLines(text: string, most: number): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, most).map((line) => {
    const characters = [...line.trim()];
    return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE).join("")}…` : line.trim();
  });
  return `${shown.join("\n")}${lines.length > most ? " …" : ""}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function toFence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}\n${mark}`;
}

/** Keeps whole lines of the head and says how many are left out, and where they are. */
function shorten(text: string, longest: { lines: number; characters: number }): string {
  const lines = text.trim().split("\n");
  const kept: string[] = [];
  let size = 0;
  for (const line of lines.slice(0, longest.lines)) {
    const part = [...line].slice(0, longest.characters - size).join("");
    kept.push(part);
    size += line.length + 1;
    if (size > longest.characters) break;
  }
  const left = lines.length - kept.length;
  const isCut = left > 0 || kept.at(-1) !== lines[kept.length - 1];
  if (!isCut) return kept.join("\n");
  const more = left > 0 ? `… and ${left} more ${left === 1 ? "line" : "lines"}` : "… and more";
  return [...kept, `${more}; the whole is in: skillgraph threads show ID`].join("\n");
}
