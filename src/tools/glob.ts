import { lstatSync, statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { isInside } from "../permissions/places/real-path.ts";
import { resolveDecidedPath } from "./files/decided-path.ts";
import { createPathMatch } from "./files/path-match.ts";
import { type WalkedFile, walkFiles } from "./files/walk.ts";
import { createInput } from "./input.ts";
import { toCount } from "./output.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { findSkillFile, type Place, resolvePath, toPathTarget, toShownPath } from "./workspace.ts";

const MAX_PATHS = 1_000;
/** Most characters of a glob pattern. */
export const MAX_PATTERN = 1_000;

/** Finds files by their paths. */
export const globTool = defineTool({
  name: "Glob",
  description:
    `Find files by a pattern such as **/*.ts or docs/*.{md,txt}. Gives up to ${MAX_PATHS} paths that Read takes. ` +
    "Leaves out what .gitignore names, and names with a leading dot unless the pattern has the dot.",
  input: createInput(
    {
      pattern: z.string().min(1).max(MAX_PATTERN).describe("Glob pattern, relative to path."),
      path: z.string().optional().describe("Folder to search; the workspace by default."),
    },
    { glob_pattern: "pattern", target_directory: "path" },
  ),
  target: (input, context) => toPathTarget(toStart(input, context).path, context, "read"),
  readOnly: true,
  idempotent: true,
  run: async (input, context) => {
    const { path, pattern } = toStart(input, context);
    const folder = toSearchFolder(path, context);
    const isMatch = createPathMatch(toRelativePattern(pattern, folder));
    const dots = hasDot(pattern);
    const found: string[] = [];
    const left = { closed: 0, unnamed: 0 };
    for await (const file of walkFiles({
      folder,
      workspace: context.workspace,
      dots,
      signal: context.signal,
    })) {
      if (!isMatch(relative(folder, file.path))) continue;
      if (isUnnamed(file)) {
        left.unnamed += 1;
        continue;
      }
      const real = toRealFile(file, context);
      if (real === undefined) continue;
      if (!isOpen(file.path, context) || !isOpen(real, context)) {
        left.closed += 1;
        continue;
      }
      if (found.length === MAX_PATHS) {
        const more = `[More than ${MAX_PATHS} files match; these are the first. Narrow the pattern.]`;
        return [...found, more, ...toLeft(left)].join("\n");
      }
      found.push(toShownPath(file.path, context.workspace));
    }
    if (found.length > 0) return [...found, ...toLeft(left)].join("\n");
    const advice = pattern.includes("/") ? "" : ` For all folders below use "**/${pattern}".`;
    const none = `[No file matches "${pattern}" in ${toShownPath(folder, context.workspace)}.${advice}]`;
    return [none, ...toLeft(left)].join("\n");
  },
});

/** Where the search begins: a pattern may itself begin with a folder that only an active skill has. */
function toStart(
  { pattern, path }: { pattern: string; path?: string | undefined },
  context: Place,
): { path: string; pattern: string } {
  if (path !== undefined) return { path, pattern };
  const begin = /^(?:\.\/)*((?:[^/*?[\](){}!+@|\\]+\/)+)(.+)$/.exec(pattern);
  const [, folder = "", rest = ""] = begin ?? [];
  if (folder === "" || isAbsolute(pattern) || !findSkillFile(folder, context)) return { path: ".", pattern };
  return { path: folder, pattern: rest };
}

/** True when the rules let a search show this file. */
export function isOpen(path: string, { mayRead }: ToolContext): boolean {
  return mayRead === undefined || mayRead(path);
}

/** The real folder a search begins in. */
function toSearchFolder(path: string | undefined, context: ToolContext): string {
  const folder = resolveDecidedPath(path ?? ".", context, "read");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new SkillgraphError("tool-failed", `No folder ${toShownPath(folder, context.workspace)}.`);
}

/** True when a pattern names something with a leading dot, so that such names are searched. */
export function hasDot(pattern: string): boolean {
  return /(^|[/{,(|])\.[^./]/.test(pattern);
}

function toRelativePattern(pattern: string, folder: string): string {
  if (pattern.split(/[/{},()|]/).includes("..")) {
    throw new SkillgraphError(
      "path-outside",
      `Pattern "${pattern}" leaves its folder; give the folder as path.`,
    );
  }
  if (!isAbsolute(pattern)) return pattern.replace(/^(\.\/)+/, "");
  if (isInside(folder, pattern)) return pattern.slice(folder.length).replace(/^\/+/, "");
  throw new SkillgraphError(
    "path-outside",
    `Pattern "${pattern}" is outside ${folder}; give the folder as path.`,
  );
}

/** A name that is not UTF-8 comes with other letters in the place of its bytes: no path leads to it. */
function isUnnamed({ path }: WalkedFile): boolean {
  return path.includes("\ufffd") && lstatSync(path, { throwIfNoEntry: false }) === undefined;
}

function toLeft({ closed, unnamed }: { closed: number; unnamed: number }): string[] {
  const parts = [
    ...(closed === 0 ? [] : [`${toCount(closed)} that the rules do not open`]),
    ...(unnamed === 0 ? [] : [`${toCount(unnamed)} whose names are not UTF-8`]),
  ];
  return parts.length === 0 ? [] : [`[Files left out: ${parts.join(", ")}.]`];
}

/** The file itself, or the one that a link leads to. */
function toRealFile({ path, isLink }: WalkedFile, place: Place): string | undefined {
  if (!isLink) return path;
  try {
    const real = resolvePath(path, place, "read");
    return statSync(real, { throwIfNoEntry: false })?.isFile() ? real : undefined;
  } catch {
    // It leads out of the workspace: Read would refuse it.
    return undefined;
  }
}
