import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import type { SkillRoot } from "../schema.ts";

const PROJECT_FOLDERS = ["skills", ".agents/skills", ".claude/skills", ".cursor/skills"];
const USER_FOLDERS = [".agents/skills", ".claude/skills"];

/** What {@link findDefaultRoots} needs to know. */
export interface DefaultRootsOptions {
  /** Working directory; the project's roots are looked for from here up to the repository root. */
  cwd: string;
  /** Home folder of the person. */
  home: string;
  /** Folder of the skills that come with the program, where it has one. */
  bundled?: string | undefined;
  /** Folders that the person named; each must exist. */
  extra: string[];
  /** Asked for each project folder (the one that holds `skills` or `.claude`), not for the root itself. */
  isTrusted: (folder: string) => boolean;
}

/**
 * The folders that are searched for skills, strongest first: named ones, the project's (nearest first), the
 * person's own, the bundled ones. Roots with one real path count once; absent ones are left out.
 *
 * @throws SkillgraphError `root-unknown` when a named folder is not there.
 */
export function findDefaultRoots(options: DefaultRootsOptions): SkillRoot[] {
  const { cwd, home, bundled, extra, isTrusted } = options;
  const named = extra.map(
    (path): SkillRoot => ({ path: findNamedRoot(cwd, path), tier: "flag", trusted: true }),
  );
  const user = USER_FOLDERS.map(
    (folder): SkillRoot => ({ path: join(home, folder), tier: "user", trusted: true }),
  );
  const last: SkillRoot[] = bundled === undefined ? [] : [{ path: bundled, tier: "bundled", trusted: true }];
  const own = [...user, ...last];
  const ownPaths = new Set(own.map((root) => findRealFolder(root.path)));
  const project = listProjectPlaces(cwd)
    // Started in the home folder, the person's own skills stay theirs and keep their trust.
    .filter(({ path }) => !ownPaths.has(findRealFolder(path)))
    .map(({ folder, path }): SkillRoot => ({ path, tier: "project", trusted: isTrusted(folder) }));
  return keepFirst([...named, ...project, ...own]);
}

/** Where a project keeps skills, nearest first, there or not, and the folder that each place belongs to. */
export function listProjectPlaces(cwd: string): { folder: string; path: string }[] {
  return listProjectFolders(cwd).flatMap((folder) =>
    PROJECT_FOLDERS.map((name) => ({ folder, path: join(folder, name) })),
  );
}

/** The real path of a folder; undefined when there is no such folder. */
export function findRealFolder(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined; // Absent, dangling or not to be entered: there is nothing to search.
  }
}

function findNamedRoot(cwd: string, path: string): string {
  const full = resolve(cwd, path);
  if (findRealFolder(full) !== undefined) return full;
  // Naming the file of a skill means the skill.
  if (basename(full).toLowerCase() === "skill.md" && existsSync(full)) {
    return dirname(full);
  }
  throw new SkillgraphError("root-unknown", `No folder "${path}" to search for skills (looked at ${full}).`);
}

function listProjectFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    // A worktree and a submodule have a file of that name.
    if (existsSync(join(folder, ".git"))) return folders;
    // Outside of a repository nothing says where the project ends: only its own folder counts.
    if (dirname(folder) === folder) return folders.slice(0, 1);
  }
}

function keepFirst(roots: SkillRoot[]): SkillRoot[] {
  const seen = new Set<string>();
  return roots.filter((root) => {
    const real = findRealFolder(root.path);
    if (real === undefined || seen.has(real)) return false;
    seen.add(real);
    return true;
  });
}
