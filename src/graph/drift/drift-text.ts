import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Stage } from "../../skills/stages/stage.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State } from "../state.ts";
import { readStoredWizard } from "../wizard/wizard.ts";
import type { Refreshed } from "./refresh-skill.ts";

const MAX_LINES = 200;
const MAX_CHARACTERS = 10_000;
/** How long a difference may be looked for, in milliseconds. */
const DIFF_MS = 1_000;

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
  if (old === now) return "";
  const patch = createTwoFilesPatch("as loaded", "on disk", old, now, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: DIFF_MS,
  });
  return patch === undefined ? "The texts differ too much to be compared." : shorten(patch.trimEnd());
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

/** Whole lines, as many as anybody reads; one that is too long alone is cut. */
function shorten(patch: string): string {
  const lines = patch.split("\n");
  const kept: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of lines.slice(0, MAX_LINES)) {
    if (line.length > left && kept.length > 0) break;
    kept.push(line.slice(0, MAX_CHARACTERS));
    left -= line.length + 1;
  }
  const hidden = lines.length - kept.length;
  return hidden > 0 ? `${kept.join("\n")}\n… ${hidden} more lines` : kept.join("\n");
}
