import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { findSkillFiles } from "../discover.ts";
import { listProjectPlaces } from "../roots.ts";
import type { Diagnostic, SkillRoot } from "../schema.ts";
import { isWithin } from "../within.ts";
import { lintSkill } from "./lint-skill.ts";
import { toError } from "./rule.ts";

/** What was checked, and what is wrong with it. */
export interface LintReport {
  /** Every SKILL.md that was read. */
  files: string[];
  diagnostics: Diagnostic[];
}

/**
 * Judges the skills at the paths, or all skills of the project where no path is given.
 *
 * @param paths - Each a skill's folder, its SKILL.md, or a folder with skills below.
 * @param cwd - Where relative paths start.
 * @throws SkillgraphError `usage` for a path that is not there or is no skill
 */
export async function lintPaths(paths: string[], cwd: string): Promise<LintReport> {
  const folders = paths.map((path) => findFolder(path, cwd));
  const places =
    paths.length === 0
      ? listProjectPlaces(cwd).map(({ path }) => path)
      : folders.flatMap((folder) => [folder, ...listPlacesWithin(folder)]);
  const { files, diagnostics } = findSkillFiles(places.map(toRoot));
  const found = diagnostics.filter((each) => couldBeSkill(each, places)).map(judgeFileName);
  for (const folder of folders) {
    if ([...files, ...found].some(({ path }) => isWithin(folder, path))) continue;
    found.push({ ...toError("skill-missing", 1, "There is no SKILL.md here or below."), path: folder });
  }
  for (const file of files) found.push(...(await lintSkill(file)));
  return { files: files.map(({ path }) => path), diagnostics: found };
}

function findFolder(path: string, cwd: string): string {
  const full = resolve(cwd, path);
  const status = statSync(full, { throwIfNoEntry: false });
  if (status?.isDirectory()) return full;
  if (status === undefined) {
    throw new SkillgraphError("usage", `No file or folder "${path}" to check (looked at ${full}).`);
  }
  if (basename(full).toLowerCase() === "skill.md") return dirname(full);
  const message = `"${path}" is no skill. Give a folder with a SKILL.md in it or below, or a SKILL.md.`;
  throw new SkillgraphError("usage", message);
}

/** `.claude/skills` and its like, which are hidden from a search that begins above them. */
function listPlacesWithin(folder: string): string[] {
  return listProjectPlaces(folder)
    .map(({ path }) => path)
    .filter((path) => isWithin(folder, path));
}

function toRoot(path: string): SkillRoot {
  return { path, tier: "project", trusted: true };
}

/** Links lead nowhere in many folders; it matters where skills are kept. */
function couldBeSkill({ code, path }: Diagnostic, places: string[]): boolean {
  const folder = dirname(path);
  return code !== "link-broken" || basename(folder) === "skills" || places.includes(folder);
}

/** Most clients find `skill.md`, too; any other spelling they do not. */
function judgeFileName(diagnostic: Diagnostic): Diagnostic {
  const isUnusual = diagnostic.code === "file-name-case" && basename(diagnostic.path) !== "skill.md";
  return isUnusual ? { ...diagnostic, severity: "error" } : diagnostic;
}
