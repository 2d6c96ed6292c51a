import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { readText } from "./files/files.ts";
import { previewChange } from "./files/preview-change.ts";
import { toWindowsLines } from "./files/text-style.ts";
import { writeWhole } from "./files/write-whole.ts";
import { createInput } from "./input.ts";
import { capOutput, cleanText, hasLoneSurrogate, toCount } from "./output.ts";
import { defineTool } from "./tool.ts";
import { toPathTarget, toShownPath } from "./workspace.ts";

const MAX_BYTES = 10 * 1024 * 1024;
const DIFF_CHARACTERS = 8_000;
const DIFF_MS = 1_000;
const MAX_LISTED = 5;
const MAX_COUNTED = 100;

/** Replaces an exact piece of a file's text. */
export const editTool = defineTool({
  name: "Edit",
  description:
    "Replace text in a file. old_string must be in the file exactly once, white space included: give enough lines " +
    "around it, or set replace_all. Both strings are taken literally. Gives the change as a diff.",
  input: createInput(
    {
      path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
      old_string: z.string().describe("The text to replace, exactly as it is in the file."),
      new_string: z.string().describe("What takes its place."),
      replace_all: z.boolean().optional().describe("Replace it wherever it is; false by default."),
    },
    { file_path: "path", filePath: "path", old_str: "old_string", new_str: "new_string" },
  ),
  target: ({ path }, context) => toPathTarget(path, context, "write"),
  preview: (input, context) =>
    previewChange(input.path, context, (before) => changeText(before, input, input.path)),
  readOnly: false,
  idempotent: false,
  run: async (input, context) => {
    const confirm = () => resolveDecidedPath(input.path, context, "write");
    const real = confirm();
    const { workspace } = context;
    const shown = toShownPath(real, workspace);
    const { text: before, version } = await readText(real, workspace, MAX_BYTES);
    const after = changeText(before, input, shown);
    await writeWhole(real, after, { workspace, confirm, version });
    return toDiff(shown, before, (await readText(real, workspace, Number.MAX_SAFE_INTEGER)).text);
  },
});

/** The text with the change in it. */
function changeText(
  before: string,
  { old_string, new_string, replace_all = false }: EditInput,
  shown: string,
): string {
  const change = toChange(before, old_string, new_string);
  const places = findPlaces(before, change.from);
  checkChange(change, places, { before, shown, isAll: replace_all });
  // Never `replace`: it reads `$&` and its like in the new text as patterns.
  const pieces = before.split(change.from);
  const [first = "", ...rest] = pieces;
  return replace_all ? pieces.join(change.to) : first + change.to + rest.join(change.from);
}

interface EditInput {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

interface Change {
  from: string;
  to: string;
}

/** Models write `\n`; in a file of CRLF lines both strings follow the file. */
function toChange(text: string, from: string, to: string): Change {
  const breaks = text.split("\n").length - 1;
  const windowsBreaks = text.split("\r\n").length - 1;
  if (windowsBreaks === 0) return { from, to };
  const isMixed = breaks !== windowsBreaks;
  if (isMixed && text.includes(from)) return { from, to };
  return { from: toWindowsLines(from), to: toWindowsLines(to) };
}

/** Offsets of the first places, overlapping ones too: `aa` in `aaa` is not one place. */
function findPlaces(text: string, part: string): number[] {
  if (part === "") return [];
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    // A long part that overlaps itself would be compared at every character.
    if (places.push(at) > MAX_COUNTED) break;
  }
  return places;
}

function checkChange(
  { from, to }: Change,
  places: readonly number[],
  file: { before: string; shown: string; isAll: boolean },
): void {
  if (from === "") throw new SkillgraphError("tool-failed", "old_string is empty. Use Write to make a file.");
  if (from === to) throw new SkillgraphError("tool-failed", "old_string and new_string are the same.");
  for (const [name, text] of Object.entries({ old_string: from, new_string: to })) {
    if (hasLoneSurrogate(text))
      throw new SkillgraphError("tool-failed", `${name} holds half a surrogate pair.`);
  }
  if (to.includes("\0")) throw new SkillgraphError("tool-failed", "new_string holds a NUL character.");
  if (places.length === 0)
    throw new SkillgraphError("tool-failed", toNotFound(file.before, from, file.shown));
  if (places.length === 1 || file.isAll) return;
  const lines = places.slice(0, MAX_LISTED).map((at) => toLine(file.before, at));
  const list = `${lines.join(", ")}${places.length > MAX_LISTED ? ", …" : ""}`;
  throw new SkillgraphError(
    "tool-failed",
    `old_string is in ${file.shown} ${toTimes(places.length)} (lines ${list}). Give more of the text around it, or set replace_all.`,
  );
}

function toTimes(count: number): string {
  return count > MAX_COUNTED ? `more than ${MAX_COUNTED} times` : `${toCount(count)} times`;
}

function toNotFound(text: string, part: string, shown: string): string {
  const wanted = part
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
  const near = wanted === undefined ? -1 : text.indexOf(wanted);
  const advice =
    near === -1
      ? "Read the file again."
      : `Line ${toLine(text, near)} is alike; compare white space and what follows.`;
  return `old_string is not in ${shown}. ${advice}`;
}

function toLine(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function toDiff(shown: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(shown, shown, before, after, undefined, undefined, {
    context: 2,
    timeout: DIFF_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const diff = patch === undefined ? "The change is too large to show." : cleanText(patch.trimEnd());
  return capOutput(`Edited ${shown}.\n${diff}`, DIFF_CHARACTERS);
}
