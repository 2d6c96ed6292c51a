import { existsSync } from "node:fs";
import { join } from "node:path";
import { normalizeText, splitFences } from "../fences.ts";
import { decodeUtf8 } from "../read-head.ts";
import type { Diagnostic, Skill } from "../schema.ts";
import { readRegularFile } from "../snapshot.ts";
import type { Wizard } from "../stage.ts";
import { readFileName } from "../stage-names.ts";
import { judgeLinks } from "./links.ts";
import { judgeRunBlocks } from "./run-blocks.ts";
import { judgeFields } from "./stage-fields.ts";

/** The stages of a wizard skill can be read, and their instructions are in order. */
export async function judgeStages(skill: Skill): Promise<Diagnostic[]> {
  const isMarked = skill.metadata.wizard !== undefined;
  if (!isMarked && !existsSync(join(skill.directory, "stages"))) return [];
  // Reading stages loads a validator of JSON Schema, which most skills have no need of.
  const { hasStages, readWizard } = await import("../stages.ts");
  if (!hasStages(skill)) return [];
  const { wizard, diagnostics } = readWizard(skill);
  // Where a stage cannot be read, that comes first.
  return wizard === undefined ? diagnostics : [...diagnostics, ...(await judgeFiles(skill, wizard))];
}

async function judgeFiles(skill: Skill, wizard: Wizard): Promise<Diagnostic[]> {
  const { listStageFiles } = await import("../stage-files.ts");
  for (const folder of ["stages", "steps"]) {
    const place = join(skill.directory, folder);
    const names = listStageFiles(place) ?? [];
    if (names.length > 0) return names.flatMap((name) => judgeFile(skill, wizard, place, name));
  }
  return [];
}

function judgeFile(skill: Skill, wizard: Wizard, place: string, name: string): Diagnostic[] {
  const path = join(place, name);
  const fences = splitFences(normalizeText(decodeUtf8(readRegularFile(path))));
  const { body, bodyLine } = fences.kind === "found" ? fences : { body: fences.text, bodyLine: 1 };
  const instructions = { text: body, firstLine: bodyLine, folders: [skill.directory, place] };
  const stage = wizard.stages.find(({ id }) => id === readFileName(name).id);
  const findings = [
    ...judgeLinks(instructions),
    ...judgeRunBlocks(instructions),
    ...(stage ? judgeFields(instructions, stage, wizard) : []),
  ];
  return findings.map((finding) => ({ ...finding, path }));
}
