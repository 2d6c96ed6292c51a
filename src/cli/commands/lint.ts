import { relative } from "node:path";
import { SkillgraphError } from "../../errors.ts";
import { judgeEntry } from "../../runtime/doctor/check-skill-rules.ts";
import { findPackage } from "../../runtime/project.ts";
import { loadSettings } from "../../runtime/settings.ts";
import { type FixReport, fixPaths } from "../../skills/lint/fix-paths.ts";
import { type LintReport, lintPaths } from "../../skills/lint/lint-paths.ts";
import { toSarif } from "../../skills/lint/sarif.ts";
import type { Diagnostic } from "../../skills/schema.ts";
import { isWithin } from "../../skills/within.ts";
import { exitCodes } from "../exit-code.ts";
import { type LintFlags, pickOne, toFolder } from "../flags.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, note, print, type Screen } from "../screen.ts";

/** Longest line, in characters. */
const LIMIT = 4096;

/**
 * `skillgraph lint [PATH]…`: what is wrong with skills, by the specification. With `--fix`, what can be mended is, and
 * the rest is told. Errors exit with 1, warnings do not.
 *
 * @throws SkillgraphError `usage` for a path that is not there or is no skill, and for two forms of output
 */
export async function lintSkills(paths: string[], flags: LintFlags): Promise<number> {
  pickOne(flags, ["json", "sarif"]);
  const screen = createScreen();
  const cwd = toFolder(flags.cwd);
  const maxFolders = readMaxFolders(cwd);
  const report: LintReport & Partial<FixReport> = flags.fix
    ? await fixPaths(paths, cwd, { maxFolders, judgeEntry })
    : await lintPaths(paths, cwd, { maxFolders, judgeEntry });
  const { files, diagnostics, fixed, skipped } = report;
  if (flags.json) screen.out.write(toJsonDocument({ diagnostics, files, fixed, skipped }));
  else if (flags.sarif)
    screen.out.write(toJsonDocument(toSarif(diagnostics, { cwd, version: findPackage().version })));
  else printReport(report, cwd, screen);
  if (flags.sarif) tellFixes(report, cwd, (line) => note(screen, line));
  return countErrors(diagnostics) > 0 ? exitCodes.failed : exitCodes.finished;
}

/** Skills are checked with faulty settings, too; `doctor` tells what is wrong with those. */
function readMaxFolders(cwd: string): number | undefined {
  try {
    return loadSettings({ cwd }).maxFolders;
  } catch (error) {
    if (error instanceof SkillgraphError) return undefined;
    throw error;
  }
}

function printReport(report: LintReport & Partial<FixReport>, cwd: string, screen: Screen): void {
  const { files, diagnostics, fixed, skipped } = report;
  const { colors } = screen.out;
  tellFixes(report, cwd, (line) => print(screen, line));
  if ((fixed?.length ?? 0) + (skipped?.length ?? 0) > 0) print(screen, "");
  for (const [index, { code, severity, path, line, message }] of diagnostics.entries()) {
    if (index > 0 && diagnostics[index - 1]?.path !== path) print(screen, "");
    const word = severity === "error" ? colors.red("error  ") : colors.yellow("warning");
    const place = toSafeLine(`${toShown(path, cwd)}:${line}`, LIMIT);
    print(screen, `${place}  ${word}  ${colors.dim(code)}  ${toSafeLine(message, LIMIT)}`);
  }
  if (files.length === 0 && diagnostics.length === 0) {
    note(
      screen,
      "No skills found. Name a folder, or put skills into skills, .agents/skills or .claude/skills.",
    );
    return;
  }
  if (diagnostics.length > 0) print(screen, "");
  const errors = countErrors(diagnostics);
  const counts = [count(errors, "error"), count(diagnostics.length - errors, "warning")].join(", ");
  print(screen, `${diagnostics.length === 0 ? "No faults" : counts} in ${count(files.length, "skill")}.`);
  const mendable = diagnostics.filter(({ fix }) => fix !== undefined).length;
  if (fixed === undefined && mendable > 0) print(screen, `${mendable} of them can be mended with --fix.`);
}

function tellFixes({ fixed, skipped }: Partial<FixReport>, cwd: string, tell: (line: string) => void): void {
  for (const { path, code, line, description } of fixed ?? []) {
    const place = toSafeLine(`${toShown(path, cwd)}:${line}`, LIMIT);
    tell(`${place}  mended   ${code}  ${toSafeLine(description, LIMIT)}`);
  }
  for (const { path, reason } of skipped ?? []) {
    tell(`${toSafeLine(toShown(path, cwd), LIMIT)}  not mended  ${toSafeLine(reason, LIMIT)}`);
  }
}

function countErrors(diagnostics: Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === "error").length;
}

function toShown(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way !== "" && isWithin(cwd, path) ? way : path;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
