import { existsSync, lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Ignore } from "ignore";

/** The rules of one `.gitignore`. */
interface IgnoreFile {
  path: string;
  folder: string;
  rules: Ignore;
}

/** The `.gitignore` files that count in a folder, innermost first. */
export type IgnoreFiles = readonly IgnoreFile[];

/** With more `**` in a line a deep path can take minutes, and nothing could stop the matching. */
const MAX_DEEP = 3;
/** A longer file is no list of rules. */
const SIZE_LIMIT = 256 * 1024;

/**
 * The ignore files above a root, up to its repository. They do not count when they leave out the root itself:
 * many people ignore `.claude/`, and a root is searched because it is one.
 */
export function findOuterRules(root: string): IgnoreFiles {
  const folders = listFoldersAbove(resolve(root));
  // Outermost first, so that each is asked about the folders on the way, as git does.
  let files: IgnoreFiles = [];
  for (const [index, folder] of folders.entries()) {
    files = withRulesOf(folder, files);
    const next = folders[index + 1] ?? resolve(root);
    if (findIgnoring(files, next, true) !== undefined) return [];
    files = keepBelow(files, next);
  }
  return files;
}

/** The rules with those of the folder's own `.gitignore`, if it has one. */
export function withRulesOf(folder: string, outer: IgnoreFiles): IgnoreFiles {
  const path = join(folder, ".gitignore");
  const text = readText(path);
  return text === undefined ? outer : [{ path, folder, rules: toRules(path, text) }, ...outer];
}

/** The path of the ignore file that leaves a path out. The innermost one that says anything decides, as in git. */
export function findIgnoring(files: IgnoreFiles, path: string, isFolder: boolean): string | undefined {
  for (const { path: file, folder, rules } of files) {
    const below = toRelative(folder, path);
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
    if (ignored) return file;
    if (unignored) return undefined;
  }
  return undefined;
}

/**
 * The ignore files that count below a folder. One that is overruled there would still leave out all that lies in
 * the folder, since it looks at whole paths.
 */
export function keepBelow(files: IgnoreFiles, path: string): IgnoreFiles {
  if (files.length < 2) return files;
  const kept = files.filter(({ folder, rules }) => !rules.test(`${toRelative(folder, path)}/`).ignored);
  return kept.length === files.length ? files : kept;
}

/** From the repository's own folder down to the one above; none outside of a repository. */
function listFoldersAbove(root: string): string[] {
  if (existsSync(join(root, ".git"))) return [];
  const folders: string[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [];
  }
}

function toRelative(folder: string, path: string): string {
  const below = path.startsWith(folder + sep) ? path.slice(folder.length + 1) : relative(folder, path);
  return sep === "/" ? below : below.split(sep).join("/");
}

function readText(path: string): string | undefined {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    // A named pipe of that name would wait for a writer for ever; git follows no link of it either.
    if (status?.isFile() !== true || status.size > SIZE_LIMIT) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // No ignore file, or none that may be read.
  }
}

/** Rules are kept with what they answered: a search asks the same again at each turn. */
const known = new Map<string, { text: string; rules: Ignore }>();
let create: (() => Ignore) | undefined;

function toRules(path: string, text: string): Ignore {
  const before = known.get(path);
  if (before?.text === text) return before.rules;
  // Most searches meet no such file, and none of them shall wait for the library.
  create ??= createRequire(import.meta.url)("ignore") as () => Ignore;
  const rules = create().add(text.split("\n").filter((line) => line.split("**").length <= MAX_DEEP + 1));
  known.set(path, { text, rules });
  return rules;
}
