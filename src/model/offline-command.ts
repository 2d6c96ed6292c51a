import { toPlace } from "../skills/arguments/argument-names.ts";
import { type FilledShell, fillShell } from "../skills/arguments/fill-shell.ts";

/** A value that a block needs and nobody gave yet. */
export interface Question {
  placeholder: string;
  question: string;
}

/**
 * The questions for the placeholders that are left in a block, each with another text, worded after the
 * skill's argument hint: `<folder>` asks `What is <folder>?`.
 *
 * @param placeholders - `$1` … `$9`, `$name` and `$ARGUMENTS`, each once.
 * @param argumentHint - As the skill's header has it.
 * @param names - Names of the arguments, in their order.
 */
export function askForPlaceholders(
  placeholders: string[],
  argumentHint: string | undefined,
  names: string[] = [],
): Question[] {
  const hints: string[] = argumentHint?.match(/<[^>]+>|\[[^\]]+\]|\S+/g) ?? [];
  return placeholders.map((placeholder) => {
    if (placeholder === "$ARGUMENTS") {
      return { placeholder, question: `What is ${argumentHint?.trim() || "the text to work on"}?` };
    }
    const place = toPlace(placeholder, names);
    const hint = hints[place];
    const isUnique = hint !== undefined && hints.indexOf(hint) === hints.lastIndexOf(hint);
    return { placeholder, question: `What is ${isUnique ? hint : names[place] || `argument ${place + 1}`}?` };
  });
}

/**
 * True when the hint shows a value in brackets, so that it may stay away: `[range]`. Only all of it together:
 * an empty word in the middle of a command would be another thing than no word.
 */
export function isOptional(placeholder: string, argumentHint = ""): boolean {
  const hints = argumentHint.match(/<[^>]+>|\[[^\]]+\]|\S+/g) ?? [];
  return placeholder === "$ARGUMENTS" && hints.length > 0 && hints.every((hint) => hint.startsWith("["));
}

/**
 * Puts answers into a block as shell words, as arguments are put in, so that no character of an answer is read
 * as code. What `refused` names stands where that cannot be promised: such a command must not run.
 *
 * @param code - The block; the skill's folder and `$$` are settled in it already.
 * @param answers - By placeholder.
 * @param names - Names of the arguments, in their order.
 */
export function fillPlaceholders(
  code: string,
  answers: ReadonlyMap<string, string>,
  names: string[] = [],
): FilledShell {
  const whole = answers.get("$ARGUMENTS");
  const words = Array.from(
    { length: Math.max(9, names.length) },
    (_, index) => answers.get(`$${index + 1}`) ?? answers.get(`$${names[index]}`),
  );
  return fillShell(code, { words, names, ...(whole === undefined ? {} : { whole }) });
}
