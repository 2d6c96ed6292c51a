import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { isInside, toRealPath } from "../../permissions/places/real-path.ts";

/** What makes git run programs, or read its settings from elsewhere. */
const STEERING = ["config", "config.worktree", "hooks", "commondir", "gitdir"];
const MAX_MODULE_DEPTH = 4;

/** The paths in a git folder, and in those of its submodules and worktrees, that steer git. */
export function findSteering(folder: string): string[] {
  if (!isPlainFolder(folder) || !existsSync(join(folder, "HEAD"))) return [];
  for (const each of [folder, ...listModules(join(folder, "modules"))]) makeHooks(each);
  return listSteering(folder).filter((path) => look(path)?.isSymbolicLink() === false);
}

/** Those that are not there: nothing can be mounted in their place, so a command can make them. */
export function findMissingSteering(folder: string): string[] {
  if (!isPlainFolder(folder)) return [];
  return listSteering(folder).filter((path) => look(path) === undefined);
}

/** Removes what was made of them, whatever it is, and gives its paths. */
export function removeMade(missing: readonly string[]): string[] {
  const made = missing.filter((path) => look(path) !== undefined);
  for (const path of made) rmSync(path, { recursive: true, force: true });
  return made;
}

function listSteering(folder: string): string[] {
  const inner = [...listFolders(join(folder, "worktrees")), ...listModules(join(folder, "modules"))];
  return [folder, ...inner].flatMap((each) => STEERING.map((name) => join(each, name)));
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * The git folder outside the workspace that a `.git` file names, for a worktree or a submodule. It counts only when
 * it names the workspace in turn: anybody can write a `.git` file that leads to somebody's repository.
 */
export function findOuterGitFolder(workspace: string): string | undefined {
  const file = join(workspace, ".git");
  if (!look(file)?.isFile()) return undefined;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (named === undefined) return undefined;
  const folder = toRealPath(resolve(workspace, named));
  if (isInside(workspace, folder) || !isPlainFolder(folder)) return undefined;
  const back = readLine(join(folder, "gitdir"));
  if (back !== undefined) {
    const common = toRealPath(resolve(folder, readLine(join(folder, "commondir")) ?? "."));
    const isOurs = toRealPath(resolve(folder, back)) === file && isInside(join(common, "worktrees"), folder);
    return isOurs ? common : undefined;
  }
  const config = join(folder, "config");
  if (!existsSync(config)) return undefined;
  const worktree = /^\s*worktree\s*=\s*(.+)$/m.exec(readFileSync(config, "utf8"))?.[1]?.trim();
  return worktree !== undefined && toRealPath(resolve(folder, worktree)) === workspace ? folder : undefined;
}

/** A missing folder could be made by a command, with hooks in it. Git makes it itself in a new repository. */
function makeHooks(folder: string): void {
  const hooks = join(folder, "hooks");
  if (look(hooks) !== undefined) return;
  try {
    mkdirSync(hooks);
  } catch (error) {
    // Made meanwhile, or the repository is not ours to write: then nobody inside can make it either.
    if (!["EEXIST", "EACCES", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Git folders of submodules lie as deep as the names of those. */
function listModules(folder: string, depth = 0): string[] {
  if (depth >= MAX_MODULE_DEPTH) return [];
  return listFolders(folder).flatMap((each) =>
    existsSync(join(each, "HEAD"))
      ? [each, ...listModules(join(each, "modules"), depth + 1)]
      : listModules(each, depth + 1),
  );
}

function listFolders(folder: string): string[] {
  if (!isPlainFolder(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

function isPlainFolder(path: string): boolean {
  return look(path)?.isDirectory() === true;
}

function readLine(path: string): string | undefined {
  if (!existsSync(path) || !statSync(path).isFile()) return undefined;
  return readFileSync(path, "utf8").trim();
}
