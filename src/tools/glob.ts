import { statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import picomatch from "picomatch";
import { z } from "zod";
import { SkillgraphError } from "../errors.ts";
import { isInside } from "../permissions/real-path.ts";
import { createInput } from "./input.ts";
import { defineTool } from "./tool.ts";
import { walkFiles } from "./walk.ts";
import { type Place, resolvePath, toShownPath } from "./workspace.ts";

const MAX_PATHS = 1_000;
const MAX_PATTERN = 1_000;

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
  target: ({ path }, context) => ({
    kind: "path",
    access: "read",
    path: resolvePath(path ?? ".", context, "read"),
  }),
  readOnly: true,
  idempotent: true,
  run: async ({ pattern, path }, context) => {
    const folder = toSearchFolder(path, context);
    const isMatch = createPathMatch(toRelativePattern(pattern, folder));
    const dots = hasDot(pattern);
    const found: string[] = [];
    for await (const file of walkFiles({
      folder,
      workspace: context.workspace,
      dots,
      signal: context.signal,
    })) {
      if (!isMatch(relative(folder, file.path)) || (file.isLink && !leadsToFile(file.path, context)))
        continue;
      if (found.length === MAX_PATHS) {
        return [
          ...found,
          `[More than ${MAX_PATHS} files match; these are the first. Narrow the pattern.]`,
        ].join("\n");
      }
      found.push(toShownPath(file.path, context.workspace));
    }
    if (found.length > 0) return found.join("\n");
    const advice = pattern.includes("/") ? "" : ` For all folders below use "**/${pattern}".`;
    return `[No file matches "${pattern}" in ${toShownPath(folder, context.workspace)}.${advice}]`;
  },
});

/** The real folder a search begins in. */
export function toSearchFolder(path: string | undefined, place: Place): string {
  const folder = resolvePath(path ?? ".", place, "read");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new SkillgraphError("tool-failed", `No folder ${toShownPath(folder, place.workspace)}.`);
}

/** True when a pattern names something with a leading dot, so that such names are searched. */
export function hasDot(pattern: string): boolean {
  return /(^|[/{,(|])\.[^./]/.test(pattern);
}

/** A test for relative paths; braces, `**` and extended patterns work, a pattern of the name alone on request. */
export function createPathMatch(
  pattern: string,
  options: { byName?: boolean } = {},
): (path: string) => boolean {
  const basename = options.byName === true && !pattern.includes("/");
  // A name may hold a line break, which `**` passes only with this flag.
  const isMatch = picomatch(pattern, { basename, flags: "s" });
  return (path) => isMatch(path.split(sep).join("/"));
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

function leadsToFile(path: string, place: Place): boolean {
  try {
    return statSync(resolvePath(path, place, "read"), { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // It leads out of the workspace: Read would refuse it.
    return false;
  }
}
