import { toMessage } from "../../errors.ts";
import type { SimpleCommand } from "../command/scan.ts";
import { findHazard } from "../hazards/hazards.ts";
import { toShown } from "../places/ignored-names.ts";
import { isReadable } from "../places/path-rule.ts";
import { isFolder } from "../places/real-path.ts";
import type { PlaceFinder } from "../places/spelled-places.ts";
import { type Guarded, lookThrough } from "../places/whole-folder.ts";
import type { Policy } from "../policy.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import { READING_PROGRAMS } from "./programs.ts";
import { readGit } from "./read-git.ts";
import type { HiddenNames, ReadingProgram } from "./searchers.ts";

/** Programs that say their version without running what the folder they are in says. */
const VERSION_FLAGS = new Map([
  ["node", ["-v", "--version"]],
  ["npm", ["-v", "--version"]],
  ["git", ["--version"]],
  ["python", ["-V", "--version"]],
  ["python3", ["-V", "--version"]],
  ["bash", ["--version"]],
]);

/**
 * Whether a command only reads, and only what needs no rule. `label` names it for people; `looks` when it looks at
 * files or folders, and not only at what it is sent.
 */
export type Reading =
  | { kind: "reads"; label: string; looks: boolean }
  | { kind: "more"; reason: string }
  | { kind: "unlisted" };

/** From where and for what a command is looked at. */
export interface ReadingView {
  /** Real absolute paths of all folders that it may run in. */
  folders: string[];
  policy: Policy;
  places: PlaceFinder;
  /** True for a place that a deny or ask rule keeps from being read; absent when there is no such rule. */
  isRestricted?: (path: string) => boolean;
}

/**
 * Tells whether a command is on the list of those that only read, with flags that only read, and reads nothing
 * outside the workspace and active skills. Programs count by their bare names, and no wrapper does.
 */
export function judgeReading(command: SimpleCommand, view: ReadingView): Reading {
  const [name = "", ...args] = command.words;
  try {
    return judge(command.words, name, args, view);
  } catch (error) {
    // A folder that may not be looked at.
    return more(name, toMessage(error));
  }
}

function judge(words: string[], name: string, args: string[], view: ReadingView): Reading {
  const version = VERSION_FLAGS.get(name)?.includes(args[0] ?? "") === true && args.length === 1;
  if (version) return { kind: "reads", label: name, looks: false };
  // A rule that allows `cd` lets it follow a link.
  const outside = findOutside(view.folders, view);
  if (name === "cd") return judgeMove(args, view);
  const program = READING_PROGRAMS.get(name);
  if (program === undefined && name !== "git") return { kind: "unlisted" };
  if (outside !== undefined) return more(name, `"${outside}" lies outside the workspace and active skills`);
  // Where operands are counted, the values of flags are not told from them there.
  const hazard = program?.most === undefined ? findHazard(words) : undefined;
  if (hazard !== undefined) return more(name, `"${hazard}" may do more`);
  return program === undefined ? judgeGit(args, view) : judgeProgram(name, program, args, view);
}

/** `cd` itself reads nothing; the folder that it leads to is one of those of the next commands. */
function judgeMove(args: string[], view: ReadingView): Reading {
  const [place, ...others] = args;
  if (place === undefined || others.length > 0 || place.startsWith("-")) return { kind: "unlisted" };
  const outside = findOutside([place], view);
  return outside === undefined ? { kind: "reads", label: "cd", looks: true } : { kind: "unlisted" };
}

function judgeGit(args: string[], view: ReadingView): Reading {
  const { folders, policy, places, isRestricted } = view;
  const read = readGit(args, folders, policy, isRestricted);
  if (read.kind === "unlisted") return read;
  if (read.kind === "culprit") return moreByFlag(read.label, read.culprit);
  if (read.kind === "fault") return more(read.label, read.fault);
  for (const word of read.operands) {
    const found = places.find(word, folders);
    if (found.some((path) => !isReadable(path, policy)))
      return more(read.label, `"${word}" leads outside the workspace`);
    if (isRestricted && found.some(isRestricted)) return more(read.label, `a rule is for "${word}"`);
  }
  return { kind: "reads", label: read.label, looks: true };
}

function judgeProgram(name: string, program: ReadingProgram, args: string[], view: ReadingView): Reading {
  const found = readProgram(program, args);
  if ("culprit" in found) return moreByFlag(name, found.culprit);
  const { paths } = found;
  const refused = paths.find((path) => program.refused?.test(path)) ?? paths[program.most ?? paths.length];
  if (refused !== undefined) return moreByFlag(name, refused);
  const outside = findOutside(paths, view);
  if (outside !== undefined) return more(name, `"${outside}" leads outside the workspace and active skills`);
  const { isRestricted } = view;
  const restricted = isRestricted && paths.find((path) => list(path, view).some(isRestricted));
  if (restricted !== undefined) return more(name, `a rule is for "${restricted}"`);
  if (program.operands === "files") {
    // It compares what is in two folders, wherever the links in them lead.
    const folder = name === "diff" ? paths.find((path) => list(path, view).some(isFolder)) : undefined;
    if (folder !== undefined) return more(name, `"${folder}" is a folder`);
  }
  return judgeDeep(name, program, found, view);
}

/** A program that reads all that is below a folder must not come to what a question guards. */
function judgeDeep(
  name: string,
  { deep, operands }: ReadingProgram,
  { flags, given, paths }: ReadProgram,
  view: ReadingView,
): Reading {
  const isDeep = deep !== undefined && (deep.flags?.some((flag) => flags.has(flag)) ?? true);
  const looks = isDeep || paths.length > 0 || operands === "paths";
  const reads: Reading = { kind: "reads", label: name, looks };
  if (!isDeep) return reads;
  const { isRestricted, policy } = view;
  const guarded = {
    workspace: policy.workspace,
    secrets: deep.what === "files",
    ...findHidden(deep.hidden, given),
    ...(isRestricted ? { isRestricted } : {}),
  };
  // Names alone are no secret.
  if (!guarded.secrets && isRestricted === undefined) return reads;
  const starts =
    paths.length === 0 ? view.folders : paths.flatMap((path) => list(path, view)).filter(isFolder);
  for (const start of new Set(starts)) {
    const looked = lookThrough(start, guarded);
    if (looked.kind === "too-much") return more(name, `"${start}" holds too much to look through`);
    if (looked.kind === "closed") return more(name, `"${looked.folder}" cannot be looked through`);
    if (looked.kind === "found") return more(name, `it comes to "${looked.path}"`);
  }
  return reads;
}

/** A glob or a type that takes a name shows it, whatever is in front of it. */
function findHidden(
  names: HiddenNames | undefined,
  given: Arguments["given"],
): Pick<Guarded, "hidden" | "shown"> {
  const hidden = names === undefined || given.some(([flag]) => names.flags.includes(flag));
  if (hidden) return { hidden };
  const globs = given.filter(([flag, value]) => names.globFlags.includes(flag) && !value.startsWith("!"));
  const typed = given.some(([flag]) => names.typeFlags.includes(flag)) ? [".*.*"] : [];
  return { hidden, shown: [...globs.map(([, value]) => value), ...typed].flatMap(toShown) };
}

type ReadProgram = Pick<Arguments, "paths" | "flags" | "given">;

function readProgram(program: ReadingProgram, args: string[]): ReadProgram | { culprit: string } {
  const checked = program.check?.(args);
  if (checked !== undefined)
    return Array.isArray(checked) ? { paths: checked, flags: new Map(), given: [] } : checked;
  const found = readArguments(args, program);
  if (typeof found === "string") return { culprit: found };
  const paths = [...found.paths, ...listPaths(program, found)].filter((path) => path !== "-");
  if (program.operands === "none" && found.operands.length > 0) return { culprit: found.operands[0] ?? "" };
  return { paths, flags: found.flags, given: found.given };
}

function listPaths(program: ReadingProgram, { operands, flags }: Arguments): string[] {
  if (program.operands === "text" || program.operands === "none") return [];
  if (program.operands !== "pattern") return operands;
  return program.patternFlags?.some((flag) => flags.has(flag)) === true ? operands : operands.slice(1);
}

function findOutside(paths: string[], view: ReadingView): string | undefined {
  return paths.find(
    (path) => path !== "/dev/null" && list(path, view).some((place) => !isReadable(place, view.policy)),
  );
}

/** Where a path leads from every folder: links resolved, and as the kernel walks. */
function list(path: string, { folders, places }: ReadingView): string[] {
  return places.locate(path, folders);
}

function moreByFlag(label: string, culprit: string): Reading {
  return more(label, `"${culprit}" is not known to only read`);
}

function more(label: string, reason: string): Reading {
  return { kind: "more", reason: `"${label}" asks here, because ${reason}` };
}
