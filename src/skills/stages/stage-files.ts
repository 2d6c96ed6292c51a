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
import { readStageHeading } from "./heading-words.ts";
import { isStageLimit, readStageHeader, type StageHeader } from "./stage-header.ts";
import { countBlankLines, trimLines } from "./stage-headings.ts";
import { cleanTitle, type FileName, readFileName } from "./stage-names.ts";

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

interface StageFile extends FileName {
  name: string;
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
 * Folders of a skill that are looked at for stages where a person wants a wizard, in this order. Of folders such as
 * `steps-create`, a single one counts.
 */
export function listStageFolders(directory: string): { folders: string[]; unclear: string[] } {
  const others = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^(?:steps|phases)[-_]/i.test(entry.name))
    .map(({ name }) => name)
    .sort();
  const isClear = others.length === 1;
  return {
    folders: ["stages", "steps", "phases", ...(isClear ? others : [])],
    unclear: isClear ? [] : others,
  };
}

/** Files beside a SKILL.md that are called `step-01-look.md`, when there are two or more. */
export function listLooseSteps(directory: string): string[] {
  const names = listStageFiles(directory) ?? [];
  const steps = names.filter((name) => readFileName(name, { isStep: true }).isWorded);
  return steps.length > 1 ? steps : [];
}

/**
 * Reads the stages of a folder, by number and then by name. What is not in `stages` was written for other clients:
 * keys of its headers that mean nothing here are passed over.
 *
 * @param folder - Name of the folder in the skill's folder; empty for that folder itself.
 * @param names - From {@link listStageFiles}.
 */
export function readStageFiles(
  skill: Pick<Skill, "directory">,
  folder: string,
  names: string[],
): { drafts: StageDraft[]; diagnostics: Diagnostic[] } {
  const isStep = folder !== "stages";
  const files = names
    .map((name): StageFile => ({ name, ...readFileName(name, { isStep }) }))
    .sort(compareFiles);
  const toPath = (name: string): string => join(skill.directory, folder, name);
  const diagnostics = findNumberFaults(files, toPath);
  const followers = new Set<string>();
  const read = files.flatMap((file, position): { file: StageFile; draft: StageDraft }[] => {
    const path = toPath(file.name);
    const isTaken = isStep && files.slice(0, position).some(({ id }) => id === file.id);
    const own = isTaken ? readFileName(file.name).id : file.id;
    const id = own === "" ? `stage-${file.number.join("-") || position + 1}` : own;
    try {
      const bytes = readRegularFile(findInside(skill.directory, path));
      const { draft, faults, next } = parseStageFile(decodeUtf8(bytes), { id, path, isStep });
      diagnostics.push(...faults);
      if (next !== undefined) followers.add(next);
      return [{ file, draft }];
    } catch (error) {
      const message = `The stage cannot be read: ${toMessage(error)}`;
      diagnostics.push({ code: "stage-unreadable", severity: "error", path, line: 1, message });
      return [];
    }
  });
  const drafts = read.flatMap(({ file, draft }): StageDraft[] => {
    if (!isBranch(file, followers)) return [draft];
    const message = `"${file.name}" is no stage: the other steps say which comes next, and none names it.`;
    diagnostics.push({
      code: "stage-branch",
      severity: "warning",
      path: toPath(file.name),
      line: 1,
      message,
    });
    return [];
  });
  return { drafts, diagnostics };
}

/** `step-01b-continue.md` is a side way, unless a step goes on there. */
function isBranch({ name, isLettered }: StageFile, followers: Set<string>): boolean {
  return isLettered && followers.size > 0 && !followers.has(name);
}

function parseStageFile(
  content: string,
  { id, path, isStep }: { id: string; path: string; isStep: boolean },
): { draft: StageDraft; faults: Diagnostic[]; next: string | undefined } {
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
  const { title: written, ...header } = readStageHeader(frontmatter, report, { nameIsTitle: isStep });
  // Steps are often called by the names of their files.
  const isFileName = isStep && written !== undefined && readFileName(written, { isStep }).id === id;
  const title = (isFileName ? undefined : written) ?? findTitle(frontmatter.body, isStep) ?? id;
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
  return { draft: { ...header, id, title, text: body, place }, faults, next: findNext(frontmatter.header) };
}

/** The file that a step names as the next one. */
function findNext(header: Map<string, unknown>): string | undefined {
  const next = header.get("nextStepFile");
  return typeof next === "string" ? next.trim().split("/").at(-1) : undefined;
}

/** The first heading; of a step without its number, which stands beside it wherever it is shown. */
function findTitle(body: string, isStep: boolean): string | undefined {
  const { headings } = listHeadings(body);
  const first = headings.find(({ level }) => level === 1);
  const title = first && cleanTitle(first.text);
  return (isStep && title ? readStageHeading(title)?.title : "") || title || undefined;
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
