import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalizeText } from "../header/fences.ts";
import { decodeUtf8 } from "../header/read-head.ts";
import type { Diagnostic, Skill } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import type { Stage, Wizard } from "../stages/stage.ts";
import type { StageDraft } from "../stages/stage-files.ts";
import { judgeBroadTools } from "./broad-tools.ts";
import { judgeDangers, toSpokenLines } from "./dangers.ts";
import { judgeHidden } from "./hidden.ts";
import { judgeLinks } from "./links.ts";
import type { Finding, Instructions } from "./rule.ts";
import { judgeRunBlocks } from "./run-blocks.ts";
import { judgeCheck, judgeFields } from "./stage-fields.ts";
import { judgeMissingTools } from "./tool-uses.ts";

/** What is wrong with the stages of a skill, and what they add to it. */
export interface StageReport {
  diagnostics: Diagnostic[];
  /** Their instructions. */
  texts: string[];
  /** What they pre-approve, all together. */
  allowedTools: string[];
}

/** The stages of a wizard skill can be read, and their instructions are in order. */
export async function judgeStages(skill: Skill): Promise<StageReport> {
  const none: StageReport = { diagnostics: [], texts: [], allowedTools: [] };
  const isMarked = skill.metadata.wizard !== undefined;
  if (!isMarked && !existsSync(join(skill.directory, "stages"))) return none;
  // Reading stages loads a validator of JSON Schema, which most skills have no need of.
  const { readDrafts, toWizard } = await import("../stages/read-wizard.ts");
  const read = readDrafts(skill);
  if (read === undefined) return none;
  const { wizard, diagnostics } = toWizard(skill, read);
  const stages = wizard?.stages ?? [];
  return {
    // Where a stage cannot be read, that comes first.
    diagnostics: [
      ...diagnostics,
      ...stages.flatMap((stage, index) => judgeStage(stage, read.drafts[index]!.place, skill, wizard!)),
    ],
    texts: stages.map(({ text }) => text),
    allowedTools: stages.flatMap(({ allowedTools }) => allowedTools),
  };
}

/** Files of a skill with stages of it, as they may be mended. */
export function listStagePaths(directory: string): string[] {
  return ["stages", "steps"].flatMap((folder) => {
    const place = join(directory, folder);
    if (!existsSync(place)) return [];
    try {
      return readdirSync(place).map((name) => join(place, name));
    } catch {
      return []; // A file of that name, or a folder that may not be read: nothing in it is mended.
    }
  });
}

function judgeStage(stage: Stage, place: StageDraft["place"], skill: Skill, wizard: Wizard): Diagnostic[] {
  const { path, textLine, checkLine } = place;
  const folders = [skill.directory, dirname(path)];
  const instructions = { text: stage.text, firstLine: textLine, folders };
  // The SKILL.md is judged as a whole, and with it the stages that are headings of it.
  const findings = [
    ...(path === skill.path ? [] : judgeFile(stage, path, instructions, skill)),
    ...judgeFields(instructions, stage, wizard),
    ...judgeCheck(checkLine, stage, wizard),
  ];
  return findings.map((finding) => ({ ...finding, path }));
}

function judgeFile(stage: Stage, path: string, instructions: Instructions, skill: Skill): Finding[] {
  const { allowedTools, check, text } = stage;
  const { firstLine } = instructions;
  const file = normalizeText(decodeUtf8(readRegularFile(path)));
  const lines = file.split("\n");
  const toLine = (part: string): number =>
    Math.max(
      0,
      lines.findIndex((line) => line.includes(part)),
    ) + 1;
  const checked = check === undefined ? [] : [{ text: check, line: toLine("check:"), isProse: false }];
  return [
    ...judgeLinks(instructions),
    ...judgeRunBlocks(instructions),
    ...judgeHidden(file),
    ...judgeDangers([...checked, ...toSpokenLines(text, firstLine)]),
    ...judgeBroadTools(allowedTools, toLine),
    ...judgeMissingTools(allowedTools, skill.allowedTools, instructions),
  ];
}
