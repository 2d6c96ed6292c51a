import { type Grant, toGrant } from "../../permissions/decide.ts";
import type { Skill } from "../../skills/schema.ts";
import { hasStages, readWizard } from "../../skills/stages/read-wizard.ts";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import { fillFolder } from "../fill-folder.ts";
import type { State } from "../state.ts";
import { type OpenWizard, readOpenWizard } from "./wizard.ts";

type WizardPlace = Pick<State, "active" | "texts">;
type Limiting = Pick<OpenWizard, "stage"> & { skill: Pick<Skill, "name" | "directory"> };

/** Stages whose tools are a limit: of every wizard under way, so that none is left by loading another. */
export function listLimits({ active, texts }: WizardPlace): OpenWizard[] {
  return active
    .map((skill) => readOpenWizard(skill, texts))
    .filter((open) => open?.stage.restrict === true)
    .filter((open) => open !== undefined);
}

/** First stages that limit, of wizards that the same turn begins. */
export function listFirstLimits(loading: Skill[], { active }: Pick<State, "active">): Limiting[] {
  return loading.flatMap((skill) => {
    const isBegun = active.some(({ name, wizard }) => name === skill.name && isUnderWay(wizard));
    const stage =
      isBegun || !hasStages(skill) ? undefined : readWizard(skill, { asked: true }).wizard?.stages[0];
    return stage?.restrict === true ? [{ skill, stage }] : [];
  });
}

/** What a stage grants; as a limit, what it leaves. */
export function toStageGrant({ skill, stage }: Limiting, isTrusted: boolean): Grant {
  const entries = stage.allowedTools.map((entry) => fillFolder(entry, skill.directory));
  return toGrant(`${skill.name}/${stage.id}`, isTrusted ? entries : [], []);
}
