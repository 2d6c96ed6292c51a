import { toVisibleText } from "../../permissions/ask/visible-text.ts";
import type { FileLook } from "../../tools/files/look-at-file.ts";
import { createPatch, shortenPatch } from "../../tools/files/patch.ts";
import type { FileChange, WizardProgress, WrittenFile } from "../skill-state.ts";
import type { State } from "../state.ts";
import { lookAtNamed } from "./written-files.ts";

/** All differences of a stage together, in characters. */
const MAX_CHARACTERS = 20_000;
/** Less of a difference than this is not worth showing, in characters. */
const MIN_CHARACTERS = 200;
/** Of a difference, for clients that show it among other words. */
const SHORT = { maxLines: 40, maxCharacters: 2_000 };
/** Longest list of files among other words. */
const MAX_LISTED = 10;

/**
 * What a stage changed of files, put with what it hands over: from before its first call that writes them to now.
 * Of the skills, the one whose stage has just come to its gate.
 */
export function addChanges(
  active: State["active"],
  texts: State["texts"],
  workspace: string,
): State["active"] {
  const skill = active.findLast(({ wizard }) => wizard?.status === "gate");
  const wizard = skill?.wizard;
  if (!wizard?.written) return active;
  const changes = listChanges(wizard, texts, workspace);
  if (changes.length === 0) return active;
  return active.map((each) => (each === skill ? { ...skill, wizard: { ...wizard, changes } } : each));
}

/** A line for each file that a stage changed: `notes.md (changed)`. */
export function describeChange({ path, what, note }: FileChange): string {
  const about = [...(what === "named" ? [] : [what]), ...(note === undefined ? [] : [note])].join("; ");
  return toVisibleText(path === "" ? about : `${path} (${about})`).replace(/\s/g, " ");
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

function listChanges(
  { stage, written = [] }: WizardProgress,
  texts: State["texts"],
  workspace: string,
): FileChange[] {
  let left = MAX_CHARACTERS;
  return written
    .filter((file) => file.stage === stage)
    .flatMap((file): FileChange[] => {
      const change = toChange(file, texts, workspace);
      if (change?.difference === undefined) return change ? [change] : [];
      const { difference, ...rest } = change;
      if (left < MIN_CHARACTERS)
        return [{ ...rest, note: "the difference is not shown: there are too many" }];
      const shown = shortenPatch(difference, { maxCharacters: left });
      left -= shown.length;
      return [{ ...rest, difference: shown }];
    });
}

function toChange(before: WrittenFile, texts: State["texts"], workspace: string): FileChange | undefined {
  const { path, kind, mark } = before;
  const note = UNSEEN[kind];
  if (note !== undefined) return { path, what: "named", note };
  const now = lookAtNamed(path, workspace);
  const isGone = now.kind === "none";
  if (kind === now.kind && (kind === "none" || kind === "folder")) return undefined;
  const what = kind === "none" ? "new" : isGone ? "removed" : "changed";
  if (kind === "folder" || now.kind === "folder") return { path, what, note: "a folder" };
  if (kind === "masked" || now.kind === "masked") {
    const isSame = now.kind === "masked" && now.mark === mark;
    return isSame ? undefined : { path, what, note: "may hold secrets, so what is in it is not shown" };
  }
  const old = kind === "none" ? "" : kind === "text" ? texts[mark ?? ""] : undefined;
  const text = isGone ? "" : now.kind === "text" ? now.text : undefined;
  if (old === undefined || text === undefined) {
    const isSame = now.kind === "other" && now.mark === mark;
    return isSame ? undefined : { path, what, note: explainOther(before, now) };
  }
  if (kind === now.kind && old === text) return undefined;
  // An empty file that comes or goes has no lines to show.
  if (old === text) return { path, what, note: "an empty file" };
  const [from, to] = [kind === "none" ? "/dev/null" : path, isGone ? "/dev/null" : `${path} (changed)`];
  return { path, what, difference: createPatch(from, kind === "none" ? path : to, old, text) };
}

/** Why there is no difference to show, whatever became of the file. */
const UNSEEN: Partial<Record<WrittenFile["kind"], string>> = {
  outside: "outside of the workspace, so it is not looked at",
  unseen: "named by a command that computes it, so it is not looked at",
  more: "More files than these were written.",
};

function explainOther({ kind, size }: WrittenFile, now: FileLook): string {
  if (now.kind === "outside") return "leads out of the workspace now, so it is not looked at";
  const after = "size" in now ? `${now.size} bytes now` : undefined;
  const before = kind === "other" && size !== undefined ? `${size} bytes before` : undefined;
  const sizes = [before, after].filter((part) => part !== undefined).join(", ");
  return sizes === "" ? "binary or large" : `binary or large: ${sizes}`;
}
