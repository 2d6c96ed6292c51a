import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Diagnostic, Skill } from "../schema.ts";
import type { Stage, Wizard } from "../stages/stage.ts";
import type { StageDraft } from "../stages/stage-files.ts";
import { judgeLinks } from "./links.ts";
import { judgeRunBlocks } from "./run-blocks.ts";
import { judgeCheck, judgeFields } from "./stage-fields.ts";

/** The stages of a wizard skill can be read, and their instructions are in order. */
export async function judgeStages(skill: Skill): Promise<Diagnostic[]> {
  const isMarked = skill.metadata.wizard !== undefined;
  if (!isMarked && !existsSync(join(skill.directory, "stages"))) return [];
  // Reading stages loads a validator of JSON Schema, which most skills have no need of.
  const { readDrafts, toWizard } = await import("../stages/read-wizard.ts");
  const read = readDrafts(skill);
  if (read === undefined) return [];
  const { wizard, diagnostics } = toWizard(skill, read);
  // Where a stage cannot be read, that comes first.
  if (wizard === undefined) return diagnostics;
  const findings = wizard.stages.flatMap((stage, index) =>
    judgeStage(stage, read.drafts[index]!.place, skill, wizard),
  );
  return [...diagnostics, ...findings];
}

function judgeStage(stage: Stage, place: StageDraft["place"], skill: Skill, wizard: Wizard): Diagnostic[] {
  const { path, textLine, checkLine } = place;
  const folders = [skill.directory, dirname(path)];
  const instructions = { text: stage.text, firstLine: textLine, folders };
  // The SKILL.md is judged as a whole, and with it the stages that are headings of it.
  const rules = path === skill.path ? [] : [judgeLinks, judgeRunBlocks];
  const findings = [
    ...rules.flatMap((judge) => judge(instructions)),
    ...judgeFields(instructions, stage, wizard),
    ...judgeCheck(checkLine, stage, wizard),
  ];
  return findings.map((finding) => ({ ...finding, path }));
}
