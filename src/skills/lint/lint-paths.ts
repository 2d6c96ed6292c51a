import { type BigIntStats, statSync } from "node:fs";
import { basename, dirname, relative, resolve, sep } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { findSkillFiles } from "../discovery/discover.ts";
import { listProjectPlaces } from "../discovery/roots.ts";
import type { Diagnostic, SkillRoot } from "../schema.ts";
import { isWithin } from "../within.ts";
import { judgeCollisions, type NamedSkill } from "./collisions.ts";
import { lintSkill } from "./lint-skill.ts";
import { type JudgeEntry, toError } from "./rule.ts";
import { listStagePaths } from "./stages.ts";

/** A search that ended early. */
const LIMITS = new Set(["root-large", "root-deep"]);

/** What was checked, and what is wrong with it. */
export interface LintReport {
  /** Every SKILL.md that was read. */
  files: string[];
  diagnostics: Diagnostic[];
}

/** The folders that are checked. */
export interface LintPlaces {
  /** As they were named; empty when those of the project are checked. */
  named: string[];
  /** Every folder that is searched. */
  searched: string[];
}

/** How the skills are found. */
export interface LintOptions {
  /** Folders of one place that are searched at most. Default 2,000. */
  maxFolders?: number | undefined;
  /** Judges the rules that skills bring; what a rule may say is not known here. Default: none is judged. */
  judgeEntry?: JudgeEntry;
}

/** A report, and what each file was before it was read. */
export interface StampedReport extends LintReport {
  stamps: Map<string, BigIntStats>;
}

/**
 * Judges the skills at the paths, or all skills of the project where no path is given.
 *
 * @param paths - Each a skill's folder, its SKILL.md, or a folder with skills below.
 * @param cwd - Where relative paths start.
 * @throws SkillgraphError `usage` for a path that is not there or is no skill
 */
export async function lintPaths(
  paths: string[],
  cwd: string,
  options: LintOptions = {},
): Promise<LintReport> {
  const { files, diagnostics } = await lintPlaces(findPlaces(paths, cwd), options);
  return { files, diagnostics };
}

/**
 * The folders that paths name.
 *
 * @throws SkillgraphError `usage` for a path that is not there or is no skill
 */
export function findPlaces(paths: string[], cwd: string): LintPlaces {
  if (paths.length === 0) return { named: [], searched: listProjectPlaces(cwd).map(({ path }) => path) };
  const named = paths.map((path) => findFolder(path, cwd));
  return { named, searched: named.flatMap((folder) => [folder, ...listPlacesWithin(folder)]) };
}

/** Judges the skills in the folders, each by itself and then all of them together. */
export async function lintPlaces(
  { named, searched }: LintPlaces,
  { maxFolders, judgeEntry }: LintOptions = {},
): Promise<StampedReport> {
  const { files, diagnostics } = findSkillFiles(searched.map(toRoot), { maxFolders });
  const found = diagnostics
    .filter((each) => couldBeSkill(each, searched) && !isToldAbove(each, diagnostics))
    .map(adviseOnLimit)
    .map(judgeFileName);
  for (const folder of named) {
    if ([...files, ...found].some(({ path }) => isWithin(folder, path))) continue;
    found.push({ ...toError("skill-missing", 1, "There is no SKILL.md here or below."), path: folder });
  }
  const stamps = new Map<string, BigIntStats>();
  const skills: NamedSkill[] = [];
  for (const file of files) {
    for (const path of [file.path, ...listStagePaths(file.directory)]) {
      const status = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (status) stamps.set(path, status);
    }
    const { diagnostics: faults, named: skill } = await lintSkill(file, judgeEntry);
    found.push(...faults);
    if (skill) skills.push(skill);
  }
  const all = [...found, ...judgeCollisions(skills)];
  return { files: files.map(({ path }) => path), diagnostics: groupByFile(all), stamps };
}

/** What is found of all skills together stands with the rest of its file. */
function groupByFile(diagnostics: Diagnostic[]): Diagnostic[] {
  const byPath = new Map<string, Diagnostic[]>();
  for (const each of diagnostics) {
    const known = byPath.get(each.path);
    if (known) known.push(each);
    else byPath.set(each.path, [each]);
  }
  return [...byPath.values()].flatMap((group) => group.sort((left, right) => left.line - right.line));
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

/** A place within another one is searched by itself, too; only a hidden one is not searched from above. */
function isToldAbove({ code, path }: Diagnostic, diagnostics: readonly Diagnostic[]): boolean {
  return (
    LIMITS.has(code) &&
    diagnostics.some(
      (other) =>
        other.code === code &&
        other.path !== path &&
        isWithin(other.path, path) &&
        !relative(other.path, path)
          .split(sep)
          .some((name) => name.startsWith(".")),
    )
  );
}

/** Here a folder is named without a flag. */
function adviseOnLimit(diagnostic: Diagnostic): Diagnostic {
  if (!LIMITS.has(diagnostic.code)) return diagnostic;
  return { ...diagnostic, message: diagnostic.message.replace(" with --skills", "") };
}

/** Most clients find `skill.md`, too; any other spelling they do not. */
function judgeFileName(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.code !== "file-name-case") return diagnostic;
  const fix = { description: "rename it to SKILL.md", edits: [], rename: "SKILL.md" };
  return {
    ...diagnostic,
    severity: basename(diagnostic.path) === "skill.md" ? diagnostic.severity : "error",
    fix: diagnostic.fix ?? fix,
  };
}
