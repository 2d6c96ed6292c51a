import { type Risk, toRisk } from "../../permissions/risk.ts";
import type { Skill } from "../../skills/schema.ts";
import { hasStages, readWizard } from "../../skills/stages/read-wizard.ts";
import type { Stage } from "../../skills/stages/stage.ts";

/** Everything that a skill asks for, its stages included, and how far that goes. */
export function readRequests(skill: Skill): { asks: string[]; risk: Risk } {
  const asks = [...skill.allowedTools, ...(hasStages(skill) ? listStageRequests(skill) : [])];
  return { asks: [...new Set(asks)], risk: toRisk(asks) };
}

const known = new WeakMap<Skill, Risk>();

/**
 * The risk of a skill by its header and its stages as they were when it was first asked for: for what is offered,
 * which is looked at with every turn. What is loaded is read anew.
 */
export function readKnownRisk(skill: Skill): Risk {
  const ofHeader = toRisk(skill.allowedTools);
  if (ofHeader === "L2") return ofHeader;
  const risk = known.get(skill) ?? readRequests(skill).risk;
  known.set(skill, risk);
  return risk;
}

/** The check of a stage is a command, too. A wizard that cannot be read is refused at its load. */
function listStageRequests(skill: Skill): string[] {
  const stages: Stage[] = readWizard(skill, { asked: true }).wizard?.stages ?? [];
  return stages.flatMap(({ allowedTools, check }) => [
    ...allowedTools,
    ...(check === undefined ? [] : [`Bash(${check})`]),
  ]);
}
