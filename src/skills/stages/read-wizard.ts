import { createHash } from "node:crypto";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import { SKILL_FILE_LIMIT } from "../header/read-head.ts";
import { isRecord } from "../record.ts";
import type { Diagnostic, Skill } from "../schema.ts";
import { readBody } from "../snapshot.ts";
import type { Stage, Wizard } from "./stage.ts";
import {
  listLooseSteps,
  listStageFiles,
  listStageFolders,
  readStageFiles,
  type StageDraft,
} from "./stage-files.ts";
import { DEFAULT_ATTEMPTS, resolveNeeds } from "./stage-header.ts";
import { splitStages, trimLines } from "./stage-headings.ts";
import { isReservedId } from "./stage-names.ts";

export { toFields } from "./stage-fields.ts";

/** How many stages a wizard may have. */
const STAGE_LIMIT = 100;

type WizardSkill = Pick<Skill, "name" | "path" | "directory" | "metadata">;

/** What the files of a skill hold of a wizard, before it is known whether that is one. */
export interface Drafts {
  intro: string;
  drafts: StageDraft[];
  diagnostics: Diagnostic[];
}

/** A wizard and its digest, where it has no fault that is an error. */
export interface WizardReading {
  wizard?: Wizard;
  digest?: string;
  diagnostics: Diagnostic[];
}

/**
 * Whether a skill is a wizard by itself: it has a `stages` folder with stages in it, or its metadata says
 * `wizard: "true"`. No file is read.
 */
export function hasStages({ directory, metadata }: Pick<Skill, "directory" | "path" | "metadata">): boolean {
  if (isMarked(metadata)) return true;
  try {
    return (listStageFiles(join(directory, "stages")) ?? []).length > 0;
  } catch {
    // It is there and cannot be read: readWizard says so.
    return true;
  }
}

/**
 * Reads a skill as a wizard: from the files in `stages`, or, when its metadata says `wizard: "true"` or a person
 * asks for it, from those in `steps` or `phases`, from the stage headings of its SKILL.md, or from files such as
 * `step-01-look.md` beside it.
 *
 * A wizard with a fault that is an error is not returned, so that no stage is lost without notice.
 *
 * @param options.asked - Whether a person asks for a wizard. False by default.
 * @returns Neither wizard nor diagnostics for an ordinary skill. The digest changes with any stage.
 */
export function readWizard(skill: WizardSkill, options: { asked?: boolean } = {}): WizardReading {
  const read = readDrafts(skill, options);
  return read === undefined ? { diagnostics: [] } : toWizard(skill, read);
}

/** Makes a wizard of what was read. Its stages are the drafts, in their order. */
export function toWizard(skill: Pick<Skill, "path">, read: Drafts): WizardReading {
  const { intro, drafts } = read;
  const diagnostics = [...read.diagnostics, ...findIdFaults(drafts)];
  const stages = drafts.map((draft, index) => {
    const ids = drafts.map(({ id }) => id);
    const resolved = resolveNeeds(draft.needs, ids.slice(0, index), ids.slice(index));
    if ("error" in resolved) {
      const { path, needsLine: line } = draft.place;
      diagnostics.push({ code: "stage-needs", severity: "error", path, line, message: resolved.error });
    }
    return toStage(draft, "needs" in resolved ? resolved.needs : []);
  });
  const size = stages.reduce((sum, { text }) => sum + text.length, intro.length);
  const fault =
    stages.length > STAGE_LIMIT
      ? `The wizard has more than ${STAGE_LIMIT} stages.`
      : size > SKILL_FILE_LIMIT
        ? `The stages are longer than ${SKILL_FILE_LIMIT} characters together.`
        : undefined;
  if (fault !== undefined) diagnostics.push(toError(skill, "wizard-large", fault));
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  const wizard: Wizard = { intro, stages };
  return { wizard, digest: digestOf(wizard), diagnostics };
}

/**
 * Reads the stages of a skill as {@link readWizard} does, each with its place.
 *
 * @returns Undefined for an ordinary skill.
 */
export function readDrafts(skill: WizardSkill, options: { asked?: boolean } = {}): Drafts | undefined {
  const { name, path, directory } = skill;
  const wanted = options.asked === true || isMarked(skill.metadata);
  try {
    const { folders, unclear } = wanted ? listStageFolders(directory) : { folders: ["stages"], unclear: [] };
    for (const folder of folders) {
      const names = listStageFiles(join(directory, folder)) ?? [];
      if (names.length > 0) return readFiles(skill, folder, names);
    }
    if (!wanted) return undefined;
    const { body, bodyLine } = readBody(path);
    const reading = readHeadings(path, body, bodyLine);
    if (reading.drafts.length > 0 || reading.diagnostics.length > 0) return reading;
    const loose = listLooseSteps(directory);
    if (loose.length > 0) return readFiles(skill, "", loose);
    if (unclear.length > 0) {
      const message = `The skill "${name}" has several folders of steps: ${unclear.join(", ")}. Call the one to work through "stages".`;
      return { intro: "", drafts: [], diagnostics: [toError(skill, "wizard-without-stages", message)] };
    }
    const message = `The skill "${name}" has no stages: neither files such as stages/01-plan.md nor headings such as "## Stage 1: Plan".`;
    return { intro: "", drafts: [], diagnostics: [toError(skill, "wizard-without-stages", message)] };
  } catch (error) {
    const message = `The stages of the skill "${name}" cannot be read: ${toMessage(error)}`;
    return { intro: "", drafts: [], diagnostics: [toError(skill, "wizard-unreadable", message)] };
  }
}

function readFiles(skill: WizardSkill, folder: string, names: string[]): Drafts {
  const { body } = readBody(skill.path);
  return { intro: trimLines(body), ...readStageFiles(skill, folder, names.slice(0, STAGE_LIMIT + 1)) };
}

function readHeadings(path: string, body: string, bodyLine: number): Drafts {
  const { intro, sections, faults } = splitStages(body);
  const diagnostics = faults.map(
    ({ index, ...fault }): Diagnostic => ({ ...fault, path, line: bodyLine + index }),
  );
  const drafts = sections.map(({ id, title, index, text, textIndex }): StageDraft => {
    const line = bodyLine + index;
    if (text === "") {
      const message = `The stage "${id}" has no instructions.`;
      diagnostics.push({ code: "stage-empty", severity: "warning", path, line, message });
    }
    const place = { path, line, textLine: bodyLine + textIndex, needsLine: line, checkLine: line };
    const plain = {
      gate: "approve",
      allowedTools: [],
      restrict: false,
      maxAttempts: DEFAULT_ATTEMPTS,
    } as const;
    return { ...plain, allowedTools: [], id, title, text, place };
  });
  return { intro, drafts, diagnostics };
}

function findIdFaults(drafts: StageDraft[]): Diagnostic[] {
  return drafts.flatMap(({ id, place: { path, line } }, index): Diagnostic[] => {
    const error = (code: string, message: string): Diagnostic[] => [
      { code, severity: "error", path, line, message },
    ];
    if (isReservedId(id)) return error("stage-id-reserved", `No stage may be called "${id}".`);
    // Two ids that differ in case only are one to whoever types them.
    const same = drafts.slice(0, index).find((other) => other.id.toLowerCase() === id.toLowerCase());
    if (same === undefined) return [];
    return error(
      "stage-id-twice",
      `Two stages are called "${id}": ${same.place.path}:${same.place.line} and ${path}:${line}.`,
    );
  });
}

function toStage({ place: _place, ...draft }: StageDraft, needs: string[]): Stage {
  return { ...draft, needs };
}

function isMarked({ wizard }: Record<string, string>): boolean {
  return wizard?.trim().toLowerCase() === "true";
}

function toError({ path }: Pick<Skill, "path">, code: string, message: string): Diagnostic {
  return { code, severity: "error", path, line: 1, message };
}

/** The same for the same stages, whatever the order of keys in their headers. */
function digestOf(wizard: Wizard): string {
  const text = JSON.stringify(wizard, (_key, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
