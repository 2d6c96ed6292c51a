import { findRunBlocks, type RunBlock } from "../run-blocks.ts";
import { createProseFiller, type ProseValues, WRITERS, type WriteValue } from "./fill-prose.ts";
import { fillShell } from "./fill-shell.ts";
import { splitArguments } from "./shell-words.ts";

export { quoteWord, splitArguments } from "./shell-words.ts";

/** What the placeholders of a skill's text stand for. */
export interface ArgumentValues {
  /** What the person wrote after the skill's name; may be empty. */
  arguments: string;
  /** Names of the words, in their order: `$file` is the first for `["file"]`; an empty name is a word without one. */
  names?: readonly string[];
  /** Real path of the skill's folder. */
  skillDirectory: string;
  /** What earlier stages of a wizard handed over, by placeholder: `{plan.version}`. */
  fields?: ReadonlyMap<string, string>;
}

/**
 * Fills in the placeholders of a skill's text: `$ARGUMENTS` (all that was written), `$1` … `$9` (its words,
 * counted from one), `$name` for a name of `names` (the word at its place), `${CLAUDE_SKILL_DIR}` and `{baseDir}` (the
 * skill's folder), `{stage-id.field}` (a value that an earlier stage handed over; any other name in braces stays).
 * Values are inserted literally. `$$` before a digit or a placeholder's name stands for `$`; prices such as `$0.25`
 * stay.
 *
 * A missing argument becomes empty text, but stays where it is likely no placeholder at all: in fenced code (a
 * parameter of SQL, of a shell function) and for a `$2` without a `$1` beside it (a price).
 * In blocks marked `run`, values become quoted shell words, and what has no value stays for the model to ask.
 *
 * The blocks to be run are those of the text: where a value in the prose would begin, end or hide one, values go in
 * as one line of JSON, and into the first line of fenced code not at all.
 *
 * @param text Body of the skill, with `\n` as line end.
 */
export function applyArguments(text: string, values: ArgumentValues): string {
  const { skillDirectory: directory, fields, names } = values;
  const whole = values.arguments.trim();
  const prose: ProseValues = {
    ...{ whole, words: splitArguments(values.arguments), directory },
    ...(fields ? { fields } : {}),
    ...(names ? { names } : {}),
  };
  const blocks = findRunBlocks(text);
  for (const write of WRITERS) {
    const filled = fill(text, blocks, prose, write);
    if (areSame(findRunBlocks(filled.text), filled.blocks)) return filled.text;
  }
  return text;
}

/**
 * Fills in the skill's folder only, quoted for a shell. Used for entries of `allowed-tools`, so that they match
 * the commands of the skill's text.
 */
export function applyDirectory(text: string, directory: string): string {
  return fillShell(text, { directory }).code;
}

type Place = Pick<RunBlock, "language" | "start" | "end">;

/** The text with its values, and where its run blocks should be now. */
function fill(text: string, blocks: RunBlock[], values: ProseValues, write: WriteValue) {
  const { whole, ...rest } = values;
  const shell = { ...rest, ...(whole === "" ? {} : { whole }) };
  const fillProse = createProseFiller(text, values, write);
  const places: Place[] = [];
  let output = "";
  let from = 0;
  for (const { language, start, end } of blocks) {
    output += fillProse(from, start);
    const code = fillShell(text.slice(start, end), shell).code;
    places.push({ language, start: output.length, end: output.length + code.length });
    output += code;
    from = end;
  }
  return { text: output + fillProse(from, text.length), blocks: places };
}

function areSame(found: Place[], wanted: Place[]): boolean {
  const isSame = ({ language, start, end }: Place, other: Place | undefined): boolean =>
    language === other?.language && start === other.start && end === other.end;
  return found.length === wanted.length && found.every((block, index) => isSame(block, wanted[index]));
}
