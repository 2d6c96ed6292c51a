import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";

/** How long a difference may be looked for, in milliseconds. */
const DIFF_MS = 1_000;
const MAX_LINES = 200;
const MAX_CHARACTERS = 10_000;

/** The difference between two texts as a patch that somebody reads. */
export function createPatch(oldName: string, newName: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(oldName, newName, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: DIFF_MS,
  });
  return patch === undefined ? "The texts differ too much to be compared." : shortenPatch(patch.trimEnd());
}

/** Whole lines, as many as anybody reads; one that is too long alone is cut. */
export function shortenPatch(
  patch: string,
  { maxLines = MAX_LINES, maxCharacters = MAX_CHARACTERS } = {},
): string {
  const lines = patch.split("\n");
  const kept: string[] = [];
  let left = maxCharacters;
  for (const line of lines.slice(0, maxLines)) {
    if (line.length > left && kept.length > 0) break;
    kept.push(line.slice(0, maxCharacters));
    left -= line.length + 1;
  }
  const hidden = lines.slice(kept.length).reduce((sum, line) => sum + countLines(line), 0);
  return hidden > 0 ? `${kept.join("\n")}\n… ${hidden} more lines` : kept.join("\n");
}

/** What was hidden before stays counted: no line of a file begins like this in a patch. */
function countLines(line: string): number {
  return Number(/^… (\d+) more lines$/.exec(line)?.[1] ?? 1);
}
