import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createKeeper, lookAt, readSmallFile } from "../places/kept-file.ts";
import { findProtection } from "../places/protected.ts";
import { isInside, toRealPath } from "../places/real-path.ts";
import { readGitConfig } from "./git-config.ts";
import { type GitIndex, readGitIndex } from "./git-index.ts";

/** Where a repository keeps what git reads before anything else. */
export interface Repository {
  /** The folder of the working tree. */
  root: string;
  /** The folder with its index; for a further working tree it is not the folder with its settings. */
  directory: string;
  common: string;
}

/** A repository, `none` where git finds nothing, or why it cannot be told what git does. */
export type FoundRepository = Repository | "none" | { fault: string };

const MAX_FILE = 16 * 1024 * 1024;
const MAX_LINKS = 100;

/**
 * Finds the repository that git would use in a folder, when it lies in the workspace.
 *
 * @param folder real absolute path, the workspace or below it.
 */
export function findRepository(folder: string, workspace: string): FoundRepository {
  for (let current = folder; ; current = dirname(current)) {
    const entry = join(current, ".git");
    const kind = lookAt(entry);
    if (kind !== undefined && !isInside(workspace, current))
      return { fault: "the repository begins outside the workspace" };
    if (kind === "other") return { fault: "the repository's folder is a link" };
    if (kind === "folder") return openFolder(current, entry);
    if (kind === "file") return openLinked(current, entry, workspace);
    // Before git 2.38 a folder that looks like one without a working tree is one, with settings of its own.
    if (lookAt(join(current, "HEAD")) !== undefined && lookAt(join(current, "objects")) !== undefined)
      return { fault: "the folder may be a repository itself" };
    if (dirname(current) === current) return "none";
  }
}

function openFolder(root: string, directory: string): FoundRepository {
  return lookAt(join(directory, "commondir")) === undefined
    ? { root, directory, common: directory }
    : { fault: "the repository's settings are in another folder" };
}

/** A `.git` file names another folder: one in the workspace, or one that names this file, too. */
function openLinked(root: string, entry: string, workspace: string): FoundRepository {
  const named = /^gitdir: (.+)$/.exec(readSmallFile(entry))?.[1];
  if (named === undefined) return { fault: 'the file ".git" is not understood' };
  const directory = toRealPath(resolve(root, named));
  const common = lookAt(join(directory, "commondir"))
    ? toRealPath(resolve(directory, readSmallFile(join(directory, "commondir"))))
    : directory;
  if (isInside(workspace, directory) && isInside(workspace, common)) return { root, directory, common };
  const isKnown =
    lookAt(join(directory, "gitdir")) === "file" &&
    toRealPath(resolve(directory, readSmallFile(join(directory, "gitdir")))) === entry &&
    dirname(dirname(directory)) === common;
  return isKnown ? { root, directory, common } : { fault: "the repository lies outside the workspace" };
}

const readConfig = createKeeper((path) => readGitConfig(readFileSync(path, "utf8")));
/** An index, and the first secret that it lists. */
interface KnownIndex extends GitIndex {
  secret: string | undefined;
}

const readIndex = createKeeper((path, base): KnownIndex | undefined => {
  const bytes = readFileSync(path);
  const index = bytes.length > MAX_FILE ? undefined : (readGitIndex(bytes, 20) ?? readGitIndex(bytes, 32));
  if (index === undefined) return undefined;
  const [root = "", workspace = ""] = base.split("\0");
  const place = { workspace, skillFolders: [] };
  const isSecret = (file: string): boolean => findProtection(join(root, file), place, "read") !== undefined;
  return { ...index, secret: index.files.find(isSecret) };
});

/** Why a repository's own settings may make git run a program, as the end of a sentence. */
export function findSettingsFault({ common, directory }: Repository): string | undefined {
  const settings = readConfig(join(common, "config"));
  if (settings === undefined) return undefined;
  if (settings.kind === "fault") return `the repository's settings file ${settings.fault}`;
  if (!settings.worktree) return undefined;
  const own = readConfig(join(directory, "config.worktree"));
  return own?.kind === "fault" ? `the repository's settings file ${own.fault}` : undefined;
}

/** Why comparing the working tree may run a program: a hook at each change of the index, or a nested repository. */
export function findCompareFault(
  repository: Repository,
  workspace: string,
  skipsNested: boolean,
): string | undefined {
  if (lookAt(join(repository.common, "hooks", "post-index-change")) !== undefined)
    return 'the repository has the hook "post-index-change"';
  if (skipsNested) return undefined;
  const index = listIndex(repository, workspace);
  if (index === undefined) return "the repository's index is not understood";
  if (index.links.length > MAX_LINKS) return "the repository holds too many others";
  const nested = index.links.find((link) => lookAt(join(repository.root, link, ".git")) !== undefined);
  return nested === undefined
    ? undefined
    : `the nested repository "${nested}" has settings of its own (--ignore-submodules leaves it out)`;
}

/** Why what git shows may hold a secret, or what a rule keeps from being read. */
export function findShownFault(
  repository: Repository,
  workspace: string,
  isRestricted?: (path: string) => boolean,
): string | undefined {
  const index = listIndex(repository, workspace);
  if (index === undefined) return "the repository's index is not understood";
  const found =
    index.secret ?? (isRestricted && index.files.find((file) => isRestricted(join(repository.root, file))));
  return found === undefined ? undefined : `the repository holds "${found}", which is not to be shown`;
}

function listIndex({ root, directory }: Repository, workspace: string): KnownIndex | undefined {
  const path = join(directory, "index");
  if (lookAt(path) === undefined) return { links: [], files: [], secret: undefined };
  return readIndex(path, `${root}\0${workspace}`);
}
