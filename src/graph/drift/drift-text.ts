import type { Stage } from "../../skills/stages/stage.ts";
import { createPatch } from "../../tools/files/patch.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State } from "../state.ts";
import { readStoredWizard } from "../wizard/wizard.ts";
import type { Refreshed } from "./refresh-skill.ts";

/**
 * The difference between a skill as it was loaded and as it would be loaded now, as a patch: what it asks for, its
 * instructions and its stages. Empty where these are the same.
 */
export function renderDifference(
  before: { skill: ActiveSkill; texts: State["texts"] },
  { skill, asks, texts }: Pick<Refreshed, "skill" | "asks" | "texts">,
): string {
  // Of one that was not trusted only its text is kept, and not what it asked for.
  const isKnown = before.skill.trusted !== false;
  const { model: _model, ...rest } = skill;
  const asked = isKnown ? { ...rest, ...asks } : { ...rest, allowedTools: [] };
  const [old, now] = [toText(before.skill, before.texts), toText(asked, texts)];
  return old === now ? "" : createPatch("as loaded", "on disk", old, now);
}

/**
 * What becomes of the grants where that is not for the files to say: a skill is granted nothing without trust,
 * whatever it asks for.
 */
export function explainGrants(
  before: ActiveSkill,
  { skill, doubt }: Pick<Refreshed, "skill" | "doubt">,
): string | undefined {
  const [old, now] = [before.allowedTools.join(", "), skill.allowedTools.join(", ")];
  if (old !== "" && doubt !== undefined) return `No longer granted, as it is not trusted: ${old}.`;
  if (now !== "" && before.trusted === false)
    return `Granted with the new text, as it is trusted now: ${now}.`;
  return undefined;
}

/** Everything of a skill that a thread keeps, as one text. */
function toText(skill: ActiveSkill, texts: State["texts"]): string {
  const { allowedTools, disallowedTools, model, wizard, digest } = skill;
  const read = wizard && readStoredWizard(texts, wizard.digest);
  return [
    ...(allowedTools.length > 0 ? [`allowed-tools: ${allowedTools.join(", ")}`] : []),
    ...(disallowedTools.length > 0 ? [`disallowed-tools: ${disallowedTools.join(", ")}`] : []),
    ...(model === undefined ? [] : [`model: ${model}`]),
    (read ? read.intro : (texts[digest] ?? "")).trim(),
    ...(read?.stages ?? []).map(toStageText),
    "",
  ].join("\n");
}

function toStageText({ id, text, ...fields }: Stage): string {
  const lines = Object.entries(fields)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return ["", `stage ${id}`, ...lines, text.trim()].join("\n");
}
