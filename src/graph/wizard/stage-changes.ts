import { basename, relative, resolve } from "node:path";
import { toVisibleText } from "../../permissions/ask/visible-text.ts";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { shortenPatch } from "../../tools/files/patch.ts";
import type { FileChange, WizardProgress } from "../skill-state.ts";
import type { State } from "../state.ts";
import { toChange, toMeanwhile, toMode } from "./file-change.ts";
import { type Compared, compareSurvey } from "./stage-survey.ts";

/** All differences of a stage together, in characters. */
const MAX_CHARACTERS = 20_000;
/** Less of a difference than this is not worth showing, in characters. */
const MIN_CHARACTERS = 200;
/** Files that no call names. */
const MAX_MEANWHILE = 50;
const IGNORE_FILE = ".gitignore";
const UNCOVERED = "or left out before: its .gitignore changed";
/** Of a difference, for clients that show it among other words. */
const SHORT = { maxLines: 40, maxCharacters: 2_000 };
/** Longest list of files among other words. */
const MAX_LISTED = 10;

/**
 * What became of files in a stage, put with what it hands over: of those that its calls name from before the first
 * call that writes them to now, of all others from before its first command. Of the skills, the one whose stage has
 * just come to its gate.
 */
export function addChanges(
  active: State["active"],
  texts: State["texts"],
  workspace: string,
): State["active"] {
  const skill = active.findLast(({ wizard }) => wizard?.status === "gate");
  const wizard = skill?.wizard;
  if (!wizard?.written && !wizard?.survey) return active;
  const changes = limitDifferences(listChanges(wizard, texts, workspace));
  if (changes.length === 0) return active;
  return active.map((each) => (each === skill ? { ...skill, wizard: { ...wizard, changes } } : each));
}

const MEANWHILE: Record<FileChange["what"], string> = {
  new: "created while this stage ran",
  changed: "changed while this stage ran",
  removed: "removed while this stage ran",
  mode: "changed while this stage ran",
  named: "",
};

/** A line for each file that a stage changed: `notes.md (changed)`. */
export function describeChange({ path, what, meanwhile, fileMode, note }: FileChange): string {
  const word = meanwhile ? MEANWHILE[what] : what === "mode" ? "changed" : what;
  const about = [
    ...(what === "named" ? [] : [word]),
    ...(fileMode === undefined ? [] : [`mode ${fileMode}`]),
    ...(note === undefined ? [] : [note]),
  ].join("; ");
  return toVisibleText(path === "" ? about : `${path} (${about})`)
    .replace(/\s*[\r\n]\s*/g, " ⏎ ")
    .replace(/\s/g, " ");
}

/** All differences of a stage as one patch; undefined where there is none to show. */
export function toPatch(changes: FileChange[]): string | undefined {
  const patches = changes.flatMap(({ difference }) => (difference === undefined ? [] : [difference]));
  return patches.length === 0 ? undefined : toVisibleText(patches.join("\n"));
}

/** The changes of a stage in words, for clients that show nothing else. */
export function describeChanges(changes: FileChange[]): string {
  if (changes.length === 0) return "";
  const patch = toPatch(changes);
  const lines = changes.slice(0, MAX_LISTED).map((change) => `- ${describeChange(change)}`);
  const hidden = changes.length - lines.length;
  return [
    "\n\nFiles:",
    ...lines,
    ...(hidden > 0 ? [`- and ${hidden} more`] : []),
    ...(patch === undefined ? [] : ["", shortenPatch(patch, SHORT)]),
  ].join("\n");
}

function listChanges(wizard: WizardProgress, texts: State["texts"], workspace: string): FileChange[] {
  const { stage, written = [] } = wizard;
  const compared = compareSurvey(wizard, texts, workspace);
  const others = typeof compared === "string" ? new Map<string, Compared>() : compared;
  const own = written.filter((file) => file.stage === stage);
  const named = own.flatMap((file): FileChange[] => {
    const change = toChange(file, texts, workspace);
    const fileMode = toMode(others.get(file.path));
    if (fileMode === undefined || change?.what === "removed") return change ? [change] : [];
    return [{ ...(change ?? { path: file.path, what: "mode" }), fileMode }];
  });
  if (typeof compared === "string") return [...named, { path: "", what: "named", note: compared }];
  const names = new Set(own.flatMap(({ path }) => [path, followLinks(path, workspace)]));
  return [...named, ...listMeanwhile(compared, names, texts, workspace)];
}

/** What changed of files that no call names. */
function listMeanwhile(
  compared: Map<string, Compared>,
  named: Set<string>,
  texts: State["texts"],
  workspace: string,
): FileChange[] {
  const changes: FileChange[] = [];
  const paths = [...compared.keys()].filter((path) => !named.has(path));
  const uncovered = listUncovered(compared);
  for (const [index, path] of paths.entries()) {
    if (changes.length === MAX_MEANWHILE) {
      const note = `More files changed while this stage ran: ${paths.length - index}.`;
      return [...changes, { path: "", what: "named", note }];
    }
    const change = toMeanwhile(path, compared.get(path)!, texts, workspace);
    const isUncovered = change?.what === "new" && uncovered.some((folder) => path.startsWith(folder));
    const note = [...(change?.note === undefined ? [] : [change.note]), UNCOVERED].join("; ");
    if (change) changes.push(isUncovered ? { ...change, note } : change);
  }
  return changes;
}

/** Folders with an ignore file that is another one by now: what it left out before looks new. */
function listUncovered(compared: Map<string, Compared>): string[] {
  return [...compared].flatMap(([path, { before }]) =>
    before && basename(path) === IGNORE_FILE ? [path.slice(0, -IGNORE_FILE.length)] : [],
  );
}

/** The file that a name leads to, as a survey names it. */
function followLinks(path: string, workspace: string): string {
  try {
    return relative(workspace, toRealPath(resolve(workspace, path)));
  } catch {
    return path; // Links without an end lead nowhere.
  }
}

/** All differences together are short enough to be read. */
function limitDifferences(changes: FileChange[]): FileChange[] {
  let left = MAX_CHARACTERS;
  return changes.map((change) => {
    const { difference, ...rest } = change;
    if (difference === undefined) return change;
    if (left < MIN_CHARACTERS) return { ...rest, note: "the difference is not shown: there are too many" };
    const shown = shortenPatch(difference, { maxCharacters: left });
    left -= shown.length;
    return { ...rest, difference: shown };
  });
}
