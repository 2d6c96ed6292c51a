import { dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";

/** What relative and `~/` patterns start from. Real absolute paths. */
export interface PatternBase {
  workspace: string;
  home: string;
}

/**
 * Matches an absolute path against a rule's pattern: a glob below the workspace, `~/…` below the home, or
 * `/…` from the root. As in .gitignore, a pattern without a slash matches at any depth, and one that names a
 * folder covers what is in it.
 */
export function matchesPath(pattern: string, path: string, base: PatternBase): boolean {
  const { folder, glob, anchored } = splitPattern(pattern, base);
  const below = toPosix(relative(folder, path));
  if (below === ".." || below.startsWith("../")) return false;
  const globs = anchored ? [glob] : [glob, `**/${glob}`];
  if (globs.includes(below)) return true;
  // Without "s" a line break in a name would hide it from every rule.
  const options = { dot: true, nonegate: true, noextglob: true, flags: "s" };
  return globs.some((item) => item !== "" && picomatch([item, `${item}/**`], options)(below));
}

/** True for a pattern without any wildcard that names exactly this path. */
export function namesExactly(pattern: string, path: string, base: PatternBase): boolean {
  if (/[*?[\]{}]/.test(pattern)) return false;
  const { folder, glob } = splitPattern(pattern, base);
  return join(folder, glob) === path;
}

interface SplitPattern {
  folder: string;
  glob: string;
  anchored: boolean;
}

function splitPattern(pattern: string, base: PatternBase): SplitPattern {
  if (pattern === "~" || pattern.startsWith("~/")) {
    return { folder: base.home, glob: trim(pattern.slice(1)), anchored: true };
  }
  if (pattern.startsWith("/")) return { folder: "/", glob: trim(pattern), anchored: true };
  let folder = base.workspace;
  let glob = pattern.replace(/^(\.\/)+/, "");
  const anchored = glob !== pattern || /\/./.test(glob);
  while (glob.startsWith("../")) {
    folder = dirname(folder);
    glob = glob.slice(3);
  }
  return { folder, glob: glob.endsWith("/") ? `${trim(glob)}/**` : glob, anchored };
}

function trim(glob: string): string {
  return glob.replace(/^\/+/, "").replace(/\/+$/, "");
}

function toPosix(path: string): string {
  return sep === "/" ? path : path.split(sep).join("/");
}
