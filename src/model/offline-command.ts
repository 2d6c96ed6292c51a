import { quoteWord, splitArguments } from "../skills/arguments.ts";
import { findPlaceholders, scanPlaceholders } from "../skills/run-blocks.ts";

/** A value that a block needs and nobody gave yet. */
export interface Question {
  placeholder: string;
  question: string;
}

/**
 * The questions for the placeholders that are left in a block, each with another text, worded after the
 * skill's argument hint: `<folder>` asks `What is <folder>?`.
 */
export function askForPlaceholders(code: string, argumentHint: string | undefined): Question[] {
  const hints: string[] = argumentHint?.match(/<[^>]+>|\[[^\]]+\]|\S+/g) ?? [];
  return findPlaceholders(code).map((placeholder) => {
    if (placeholder === "$ARGUMENTS") {
      return { placeholder, question: `What is ${argumentHint?.trim() || "the text to work on"}?` };
    }
    const hint = hints[Number(placeholder.slice(1)) - 1];
    const isUnique = hint !== undefined && hints.indexOf(hint) === hints.lastIndexOf(hint);
    return { placeholder, question: `What is ${isUnique ? hint : `argument ${placeholder.slice(1)}`}?` };
  });
}

/** Puts values into a block as shell words, so that no character of a value is read as code. */
export function fillPlaceholders(code: string, values: Map<string, string>): string {
  let filled = "";
  let from = 0;
  for (const { name, start, end, quoted } of scanPlaceholders(code)) {
    const value = values.get(name);
    if (value === undefined) continue;
    const isWhole = quoted && code[start - 1] === '"' && code[end] === '"' && code[start - 2] !== "\\";
    const word = name === "$ARGUMENTS" && !quoted ? quoteWords(value) : quoteWord(value);
    filled += code.slice(from, isWhole ? start - 1 : start);
    // Inside a longer quoted text the quotes are closed around the value and opened again.
    filled += quoted && !isWhole ? `"${word}"` : word;
    from = isWhole ? end + 1 : end;
  }
  return filled + code.slice(from);
}

function quoteWords(text: string): string {
  return splitArguments(text).map(quoteWord).join(" ");
}
