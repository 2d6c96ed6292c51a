import { existsSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { Catalog } from "../../skills/catalog.ts";
import { isWithin } from "../../skills/within.ts";
import { createPathMatch } from "../../tools/files/path-match.ts";
import type { PendingCall, State } from "../state.ts";

/** Words of a message that are looked at, and their longest, in characters. */
const MAX_WORDS = 2_000;
const MAX_WORD = 500;

const FILE_TOOLS = new Set(["Read", "Edit", "Write"]);
const MARKS = "`'\"()[]{}<>«»“”‘’„,;:!?。，、；：！？";

/** The skills with `paths` of each catalog, of which most have none. */
const known = new WeakMap<Catalog, { name: string; paths: string[] }[]>();

/**
 * Skills whose `paths` fit one of the files become known to the model.
 *
 * @param files as they were named: absolute, or relative to the workspace
 * @returns an update of the state; empty when there is nothing new
 */
export function unlock(
  { unlocked }: Pick<State, "unlocked">,
  catalog: Catalog,
  files: () => string[],
  workspace: string,
): Pick<State, "unlocked"> | Record<string, never> {
  const locked = listBound(catalog).filter(({ name }) => !unlocked.includes(name));
  if (locked.length === 0) return {};
  const inside = files().flatMap((file) => toInside(file, workspace));
  if (inside.length === 0) return {};
  const opened = locked.filter(({ paths }) => paths.some((glob) => inside.some(createTest(glob))));
  return opened.length === 0 ? {} : { unlocked: [...unlocked, ...opened.map(({ name }) => name)] };
}

/** The files that calls name. */
export function listNamedFiles(calls: PendingCall[]): () => string[] {
  return () => calls.flatMap(({ tool, input }) => (FILE_TOOLS.has(tool) ? [String(input.path ?? "")] : []));
}

/** The words of a message that look like files, or are one. */
export function listMentionedFiles(text: string, workspace: string): () => string[] {
  return () =>
    text
      .split(/\s+/u, MAX_WORDS)
      .map(stripMarks)
      .filter((word) => word !== "" && word.length <= MAX_WORD && !word.includes("\0"))
      .filter((word) => /[./]/.test(word) || existsSync(join(workspace, word)));
}

function listBound(catalog: Catalog): { name: string; paths: string[] }[] {
  const found = known.get(catalog) ?? catalog.skills.filter(({ paths }) => paths.length > 0);
  known.set(catalog, found);
  return found;
}

function createTest(glob: string): (path: string) => boolean {
  const isMatch = createPathMatch(glob.replace(/^(?:\.?\/)+/, ""), { byName: true });
  return (path) => {
    try {
      return isMatch(path);
    } catch {
      return false; // A pattern that takes too long fits nothing.
    }
  };
}

function toInside(file: string, workspace: string): string[] {
  const path = relative(workspace, isAbsolute(file) ? file : join(workspace, file));
  return path !== "" && isWithin(workspace, join(workspace, path)) ? [path] : [];
}

/** Without the marks around a word: `@src/a.ts,` names `src/a.ts`. */
function stripMarks(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && (MARKS.includes(word[start]!) || word[start] === "@")) start += 1;
  while (end > start && (MARKS.includes(word[end - 1]!) || word[end - 1] === ".")) end -= 1;
  return word.slice(start, end);
}
