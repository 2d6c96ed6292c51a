import { resolve } from "node:path";
import { type FileLook, mayHoldSecrets } from "../../tools/files/look-at-file.ts";
import { createPatch } from "../../tools/files/patch.ts";
import type { FileChange, WrittenFile } from "../skill-state.ts";
import type { State } from "../state.ts";
import type { Compared } from "./stage-survey.ts";
import { lookAtNamed } from "./written-files.ts";

const EXECUTABLE = 0o111;
const SECRET = "may hold secrets, so what is in it is not shown";

/** What became of a file that a call named; undefined where it is as it was. */
export function toChange(
  before: Omit<WrittenFile, "stage">,
  texts: State["texts"],
  workspace: string,
): FileChange | undefined {
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
    return isSame ? undefined : { path, what, note: SECRET };
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

/** What became of a file that no call named; undefined where only its time is another. */
export function toMeanwhile(
  path: string,
  compared: Compared,
  texts: State["texts"],
  workspace: string,
): FileChange | undefined {
  const { before, after } = compared;
  const fileMode = toMode(compared);
  const base = { path, meanwhile: true as const, ...(fileMode === undefined ? {} : { fileMode }) };
  const what = before === undefined ? "new" : after === undefined ? "removed" : "changed";
  if (before?.isLink || after?.isLink) return { ...base, what, note: "a link" };
  // What was kept of a file tells more than its time, which a command can set back.
  if (before && before.mark === after?.mark && compared.text === undefined) {
    if (fileMode !== undefined) return { ...base, what: "mode" };
    return { ...base, what, note: "touched, and its size and time are as before; what it held is not known" };
  }
  // Neither is a file looked into that there is nothing to compare with.
  if (before && compared.text === undefined) {
    if (mayHoldSecrets(resolve(workspace, path), workspace)) return { ...base, what, note: SECRET };
    if (before.size === after?.size) {
      return { ...base, what, note: `${after.size} bytes before and now, so it may hold the same` };
    }
    const sizes = [`${before.size} bytes before`, ...(after ? [`${after.size} bytes now`] : [])].join(", ");
    return { ...base, what, note: `${sizes}; what it held is not known` };
  }
  const kept = before ? { kind: "text" as const, mark: compared.text ?? "" } : { kind: "none" as const };
  const change = toChange({ path, ...kept }, texts, workspace);
  if (change) return { ...change, ...base };
  return fileMode === undefined ? undefined : { ...base, what: "mode" };
}

/** What became of the permission bits; of a new file, those that let it run. */
export function toMode({ before, after }: Compared = {}): string | undefined {
  if (!after || after.isLink || before?.isLink || before?.mode === after.mode) return undefined;
  if (before) return `${toOctal(before.mode)} to ${toOctal(after.mode)}`;
  return (after.mode & EXECUTABLE) === 0 ? undefined : toOctal(after.mode);
}

/** As `chmod` takes it: `044`. */
function toOctal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}

/** Why there is no difference to show, whatever became of the file. */
const UNSEEN: Partial<Record<WrittenFile["kind"], string>> = {
  outside: "outside of the workspace, so it is not looked at",
  unseen: "named by a command that computes it, so it is not looked at",
  more: "More than 50 files were written by calls that name them.",
};

function explainOther({ kind, size }: Omit<WrittenFile, "stage">, now: FileLook): string {
  if (now.kind === "outside") return "leads out of the workspace now, so it is not looked at";
  const after = "size" in now ? `${now.size} bytes now` : undefined;
  const before = kind === "other" && size !== undefined ? `${size} bytes before` : undefined;
  const sizes = [before, after].filter((part) => part !== undefined).join(", ");
  return sizes === "" ? "binary or large" : `binary or large: ${sizes}`;
}
