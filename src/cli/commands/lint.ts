import { relative } from "node:path";
import { lintPaths } from "../../skills/lint/lint-paths.ts";
import type { Diagnostic } from "../../skills/schema.ts";
import { isWithin } from "../../skills/within.ts";
import { exitCodes } from "../exit-code.ts";
import { type LintFlags, toFolder } from "../flags.ts";
import { toJsonDocument, toSafeLine } from "../safe-text.ts";
import { createScreen, note, print, type Screen } from "../screen.ts";

/** Longest line, in characters. */
const LIMIT = 4096;

/**
 * `skillgraph lint [PATH]…`: what is wrong with skills, by the specification. Errors exit with 1, warnings do not.
 *
 * @throws SkillgraphError `usage` for a path that is not there or is no skill
 */
export async function lintSkills(paths: string[], flags: LintFlags): Promise<number> {
  const screen = createScreen();
  const cwd = toFolder(flags.cwd);
  const { files, diagnostics } = await lintPaths(paths, cwd);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (flags.json) screen.out.write(toJsonDocument({ diagnostics, files }));
  else printReport(files.length, errors, diagnostics, cwd, screen);
  return errors > 0 ? exitCodes.failed : exitCodes.finished;
}

function printReport(
  skills: number,
  errors: number,
  diagnostics: Diagnostic[],
  cwd: string,
  screen: Screen,
): void {
  const { colors } = screen.out;
  for (const [index, { code, severity, path, line, message }] of diagnostics.entries()) {
    if (index > 0 && diagnostics[index - 1]?.path !== path) print(screen, "");
    const word = severity === "error" ? colors.red("error  ") : colors.yellow("warning");
    const place = toSafeLine(`${toShown(path, cwd)}:${line}`, LIMIT);
    print(screen, `${place}  ${word}  ${colors.dim(code)}  ${toSafeLine(message, LIMIT)}`);
  }
  if (skills === 0 && diagnostics.length === 0) {
    note(
      screen,
      "No skills found. Name a folder, or put skills into skills, .agents/skills or .claude/skills.",
    );
    return;
  }
  if (diagnostics.length > 0) print(screen, "");
  const counts = [count(errors, "error"), count(diagnostics.length - errors, "warning")].join(", ");
  print(screen, `${diagnostics.length === 0 ? "No faults" : counts} in ${count(skills, "skill")}.`);
}

function toShown(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way !== "" && isWithin(cwd, path) ? way : path;
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
