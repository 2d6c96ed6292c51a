import { existsSync } from "node:fs";
import { toToolName } from "../../permissions/rule.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { findNearest } from "../../skills/nearest.ts";
import type { Skill } from "../../skills/schema.ts";
import type { Toolbox } from "../../tools/toolbox.ts";

/** How many names are listed where none is near. */
const MAX_NAMES = 20;

/**
 * One line for a name that is no skill, with the nearest names.
 *
 * @param told the names that the model may be told; absent where a person reads the line, who may know of all
 */
export function explainUnknownSkill(
  name: string,
  catalog: Pick<Catalog, "skills">,
  told?: readonly string[],
): string {
  const names = told ?? catalog.skills.map((skill) => skill.name);
  const nearest = findNearest(name, names);
  if (nearest.length > 0) return `No skill named "${name}". Nearest: ${nearest.join(", ")}.`;
  if (names.length === 0) return `No skill named "${name}". There are no skills here.`;
  const more = names.length - MAX_NAMES;
  const where = told === undefined ? 'see "skillgraph list"' : "SearchSkills finds them";
  const rest = more > 0 ? ` … and ${more} more; ${where}` : "";
  return `No skill named "${name}". Known skills: ${names.slice(0, MAX_NAMES).join(", ")}${rest}.`;
}

/**
 * One line for a message that begins with `/` and a word which is nearly a person's skill, and so was taken for text.
 * A path is text that is meant so.
 */
export function explainMistypedSkill(text: string, { skills }: Pick<Catalog, "skills">): string | undefined {
  const name = /^\s*\/([^\s./]+)(?=\s|$)/u.exec(text)?.[1]?.normalize("NFC");
  if (name === undefined || skills.some((skill) => skill.name === name) || existsSync(`/${name}`))
    return undefined;
  const named = skills.filter(({ userInvocable }) => userInvocable).map((skill) => skill.name);
  const nearest = findNearest(name, named);
  if (nearest.length === 0) return undefined;
  return `No skill named "${name}"; nearest: ${nearest.join(", ")}. The message was sent as text.`;
}

/** One line for a call of a tool that is not there; the name may be a skill's, or nearly. */
export function explainUnknownTool(
  name: string,
  toolbox: Toolbox,
  catalog: Pick<Catalog, "get" | "skills">,
  names: readonly string[],
): string {
  const canonical = toToolName(name);
  if (canonical === "CompleteStage") return "No wizard is under way, so there is no stage to complete.";
  if (canonical === "UnloadSkill") return "No skill is loaded, so there is none to unload.";
  const skill = findByToolName(name, catalog);
  if (skill && names.includes(skill.name)) {
    return `"${skill.name}" is a skill, not a tool. Load it with Skill {"name": "${skill.name}"}.`;
  }
  const tools = toolbox.list().map((tool) => tool.name);
  const [near] = findNearest(name, names);
  const hint = near === undefined ? "" : ` The skill "${near}" is loaded with Skill {"name": "${near}"}.`;
  return `No tool named "${name}".${hint} Tools: ${tools.join(", ")}.`;
}

/** The skill that a tool's name means: models write `pdf_report` for `pdf-report`, since tools are spelled so. */
export function findByToolName(
  name: string,
  { get, skills }: Pick<Catalog, "get" | "skills">,
): Skill | undefined {
  const exact = get(name);
  if (exact) return exact;
  const alike = skills.filter((skill) => toSpelling(skill.name) === toSpelling(name));
  return alike.length === 1 ? alike[0] : undefined;
}

function toSpelling(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/gu, "_");
}
