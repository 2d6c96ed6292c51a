import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import { parseFrontmatter } from "../frontmatter.ts";
import { normalizeText, splitFences } from "../header/fences.ts";
import type { Report } from "../header/read-fields.ts";
import { decodeUtf8 } from "../header/read-head.ts";
import { listHeadings } from "../headings.ts";
import type { Diagnostic, Skill } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import { isWithin } from "../within.ts";
import { isStageLimit, readStageHeader, type StageHeader } from "./stage-header.ts";
import { countBlankLines, trimLines } from "./stage-headings.ts";
import { cleanTitle, readFileName } from "./stage-names.ts";

/** A stage before it is known which other stages there are. */
export type StageDraft = StageHeader & {
  id: string;
  title: string;
  text: string;
  place: StagePlace;
};

/** Where a stage is written: its file and, counted from one, the lines of its parts. */
export interface StagePlace {
  path: string;
  /** Where it begins. */
  line: number;
  /** Where its instructions begin. */
  textLine: number;
  /** Of the key `needs`, or where the stage begins. */
  needsLine: number;
  /** Of the key `check`, or where the stage begins. */
  checkLine: number;
}

interface StageFile {
  name: string;
  number: number[];
  id: string;
}

// A header that lost its first line must not lose its limits.
const LOST_HEADER = /^\s*(?:title|gate|output|form|check|needs|restrict|allowed-tools|max-attempts)[ \t]*:/;

/**
 * The files of a folder of stages, in their order; undefined where there is no such folder.
 *
 * @throws Error when the folder cannot be read.
 */
export function listStageFiles(folder: string): string[] | undefined {
  try {
    return readdirSync(folder).filter(
      (name) => /\.md$/i.test(name) && !name.startsWith(".") && name.toLowerCase() !== "readme.md",
    );
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * Reads the stages of a folder, by number and then by name.
 *
 * @param folder - Name of the folder in the skill's folder, `stages` or `steps`.
 * @param names - From {@link listStageFiles}.
 */
export function readStageFiles(
  skill: Pick<Skill, "directory">,
  folder: string,
  names: string[],
): { drafts: StageDraft[]; diagnostics: Diagnostic[] } {
  const files = names.map((name): StageFile => ({ name, ...readFileName(name) })).sort(compareFiles);
  const toPath = (name: string): string => join(skill.directory, folder, name);
  const diagnostics = findNumberFaults(files, toPath);
  const drafts = files.flatMap((file, position): StageDraft[] => {
    const path = toPath(file.name);
    const id = file.id === "" ? `stage-${file.number.join("-") || position + 1}` : file.id;
    try {
      const bytes = readRegularFile(findInside(skill.directory, path));
      const { draft, faults } = parseStageFile(decodeUtf8(bytes), { id, path, isStep: folder === "steps" });
      diagnostics.push(...faults);
      return [draft];
    } catch (error) {
      const message = `The stage cannot be read: ${toMessage(error)}`;
      diagnostics.push({ code: "stage-unreadable", severity: "error", path, line: 1, message });
      return [];
    }
  });
  return { drafts, diagnostics };
}

function parseStageFile(
  content: string,
  { id, path, isStep }: { id: string; path: string; isStep: boolean },
): { draft: StageDraft; faults: Diagnostic[] } {
  const faults: Diagnostic[] = [];
  const text = normalizeText(content);
  const isBare = splitFences(text).kind === "missing";
  const parsed = parseFrontmatter(text, { isLimit: isStageLimit });
  const frontmatter = isBare ? { ...parsed, faults: [] } : parsed;
  const report: Report = (severity, code, key, message) => {
    faults.push({ code, severity, path, line: frontmatter.keyLines.get(key) ?? 1, message });
  };
  faults.push(...frontmatter.faults.map((fault) => ({ ...fault, path })));
  if (isBare && LOST_HEADER.test(text)) {
    report("error", "stage-header-open", "", 'The header has no opening line "---".');
  }
  const { title = findTitle(frontmatter.body) ?? id, ...header } = readStageHeader(frontmatter, report, {
    nameIsTitle: isStep,
  });
  const body = trimLines(frontmatter.body);
  if (body === "") report("warning", "stage-empty", "", `The stage "${id}" has no instructions.`);
  const { keyLines, bodyLine } = frontmatter;
  const place: StagePlace = {
    path,
    line: 1,
    textLine: bodyLine + countBlankLines(frontmatter.body),
    needsLine: keyLines.get("needs") ?? 1,
    checkLine: keyLines.get("check") ?? 1,
  };
  return { draft: { ...header, id, title, text: body, place }, faults };
}

function findTitle(body: string): string | undefined {
  const { headings } = listHeadings(body);
  const first = headings.find(({ level }) => level === 1);
  const title = first && cleanTitle(first.text);
  return title === "" ? undefined : title;
}

function findNumberFaults(files: StageFile[], toPath: (name: string) => string): Diagnostic[] {
  return files.flatMap(({ name, number }, index): Diagnostic[] => {
    const base = { severity: "warning", path: toPath(name), line: 1 } as const;
    const before = files[index - 1];
    if (number.length === 0) {
      const message = `"${name}" has no number; it comes after the numbered stages.`;
      return [{ ...base, code: "stage-unnumbered", message }];
    }
    if (before === undefined || compareNumbers(before.number, number) !== 0) return [];
    const message = `"${name}" has the same number as "${before.name}"; they are ordered by name.`;
    return [{ ...base, code: "stage-number-twice", message }];
  });
}

function compareFiles(left: StageFile, right: StageFile): number {
  const isBare = Number(left.number.length === 0) - Number(right.number.length === 0);
  return isBare || compareNumbers(left.number, right.number) || (left.name < right.name ? -1 : 1);
}

function compareNumbers(left: number[], right: number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The real path of a file that lies in the skill's folder; links may not lead out of it. */
function findInside(directory: string, path: string): string {
  const real = realpathSync(path);
  if (!isWithin(realpathSync(directory), real)) {
    throw new Error(`It is a link to ${real}, outside of the skill's folder.`);
  }
  return real;
}
