import { dirname, join, relative, sep } from "node:path";
import picomatch from "picomatch";
import { toRealPath } from "./real-path.ts";

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
  return matchesSplit(splitPattern(pattern, base), path);
}

/**
 * The same for rules that restrict: every spelling of a place counts, and where a folder that the pattern
 * spells out is a link, what it leads to counts too.
 */
export function matchesPlace(pattern: string, places: string[], base: PatternBase): boolean {
  const split = splitPattern(pattern, base);
  if (places.some((place) => matchesSplit(split, place))) return true;
  const { fixed, rest } = cutFixedPart(split);
  const folder = toRealPath(fixed);
  return (
    folder !== fixed && places.some((place) => matchesSplit({ folder, glob: rest, anchored: true }, place))
  );
}

/** The folder that a pattern spells out, up to its first wildcard. */
export function toPatternFolder(pattern: string, base: PatternBase): string {
  return cutFixedPart(splitPattern(pattern, base)).fixed;
}

function cutFixedPart({ folder, glob, anchored }: SplitPattern): { fixed: string; rest: string } {
  if (!anchored) return { fixed: folder, rest: `**/${glob}` };
  const segments = glob.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}!]/.test(segment));
  const count = wild === -1 ? segments.length : wild;
  return { fixed: join(folder, ...segments.slice(0, count)), rest: segments.slice(count).join("/") || "**" };
}

function matchesSplit({ folder, glob, anchored }: SplitPattern, path: string): boolean {
  const below = toPosix(relative(folder, path));
  if (below === ".." || below.startsWith("../../")) return false;
  if (below === "" && glob === "**") return true;
  const globs = anchored ? [glob] : [glob, `**/${glob}`];
  return globs.includes(below) || globs.some((item) => item !== "" && toMatcher(item)(below));
}

/** Rules are asked about every file of a search, so what was compiled is kept. */
const matchers = new Map<string, (path: string) => boolean>();
const MAX_MATCHERS = 500;

function toMatcher(glob: string): (path: string) => boolean {
  const known = matchers.get(glob);
  if (known !== undefined) return known;
  if (matchers.size >= MAX_MATCHERS) matchers.clear();
  // Without "s" a line break in a name would hide it from every rule.
  const options = { dot: true, nonegate: true, noextglob: true, flags: "s" };
  const matcher = picomatch([glob, `${glob}/**`], options);
  matchers.set(glob, matcher);
  return matcher;
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
    return { folder: base.home, glob: toWhole(trim(pattern.slice(1))), anchored: true };
  }
  if (pattern.startsWith("/")) return { folder: "/", glob: toWhole(trim(pattern)), anchored: true };
  if (pattern === "." || pattern === "./") return { folder: base.workspace, glob: "**", anchored: true };
  let folder = base.workspace;
  let glob = pattern.replace(/^(\.\/)+/, "");
  const anchored = glob !== pattern || /\/./.test(glob);
  while (glob.startsWith("../../")) {
    folder = dirname(folder);
    glob = glob.slice(3);
  }
  return { folder, glob: glob.endsWith("/") ? `${trim(glob)}/**` : glob, anchored };
}

/** A pattern that only names a folder is for all that is in it. */
function toWhole(glob: string): string {
  return glob === "" ? "**" : glob;
}

function trim(glob: string): string {
  return glob.replace(/^\/+/, "").replace(/\/+$/, "");
}

function toPosix(path: string): string {
  return sep === "/" ? path : path.split(sep).join("/");
}
