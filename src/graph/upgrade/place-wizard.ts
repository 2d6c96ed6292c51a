import { isDeepStrictEqual } from "node:util";
import { checkValue } from "../../skills/json-schema/json-schema.ts";
import type { Stage, Wizard } from "../../skills/stages/stage.ts";
import { findStage, isUnderWay } from "../../skills/stages/stage-machine.ts";
import { findUndone, reopenResults, type StageResult } from "../../skills/stages/stage-results.ts";
import { findMisfit } from "../../skills/stages/stage-values.ts";
import type { WizardProgress } from "../skill-state.ts";

/** The stages of a wizard as they were, where they are known, and as they are now. */
export interface Stages {
  before: Wizard | undefined;
  after: Wizard;
}

/**
 * A wizard's progress over other stages. Where its place is not there any more, or would pass over a stage, it is
 * displaced: a person says where it goes on.
 */
export function carryOver(old: WizardProgress, stages: Stages, digest: string): WizardProgress {
  const results = dropUnfit(old.results as StageResult[], stages);
  if (!isUnderWay(old)) return { ...old, digest, results };
  const why = explainLost(old.stage, results, stages.after);
  return why === undefined ? { ...old, digest, results } : displace(old, stages, why, digest);
}

/** A wizard that goes on where a person says. What they approved stays where its stage is the same. */
export function displace(old: WizardProgress, stages: Stages, why: string, digest: string): WizardProgress {
  const { handed: _handed, feedback: _feedback, changes: _changes, ...rest } = old;
  const { after } = stages;
  const kept = dropChanged(dropUnfit(old.results as StageResult[], stages), stages);
  const furthest = findUndone(after, kept) ?? after.stages.at(-1);
  return {
    ...rest,
    digest,
    stage: furthest?.id ?? old.stage,
    status: "working",
    results: kept,
    attempts: 0,
    failures: [],
    displaced: { stage: old.displaced?.stage ?? old.stage, why },
  };
}

/** Ids of the stages at which a displaced wizard may go on: none is passed over. */
export function listPlaces(wizard: Wizard, { stage }: Pick<WizardProgress, "stage">): string[] {
  const ids = wizard.stages.map(({ id }) => id);
  return ids.slice(0, ids.indexOf(stage) + 1);
}

function explainLost(id: string, results: StageResult[], after: Wizard): string | undefined {
  const stage = findStage(after, id);
  if (!stage) return `its stage "${id}" is gone`;
  const undone = findUndone(
    { ...after, stages: after.stages.slice(0, after.stages.indexOf(stage)) },
    results,
  );
  if (!undone) return undefined;
  const isKnown = results.some((result) => result.id === undone.id);
  const what = isKnown ? "is to be done again" : "was not worked through";
  return `its stage "${undone.id}" stands before "${id}" now, and ${what}`;
}

/**
 * Results of stages that are gone are of no use to the others. Those that do not fit any more count no more, nor those
 * that passed without a person where one is asked now.
 */
function dropUnfit(results: StageResult[], { before, after }: Stages): StageResult[] {
  const kept = after.stages.flatMap(({ id }) => results.find((result) => result.id === id) ?? []);
  const misfits = after.stages.filter((stage) =>
    kept.some((result) => result.id === stage.id && !result.stale && !fits(stage, result)),
  );
  const unasked = after.stages.filter(
    ({ id, gate }) => gate !== "none" && before && findStage(before, id)?.gate === "none",
  );
  return [...misfits, ...unasked].reduce((rest, { id }) => reopenResults(after, rest, id), kept);
}

function fits(stage: Stage, { output, answer }: StageResult): boolean {
  if (findMisfit(stage, output) !== undefined) return false;
  return stage.gate !== "form" || stage.form === undefined || checkValue(stage.form, answer).ok;
}

/** An approval was given to what the stage said then. */
function dropChanged(results: StageResult[], { before, after }: Stages): StageResult[] {
  const changed = after.stages.filter((stage) => {
    const old = before && findStage(before, stage.id);
    return !old || old.text !== stage.text || !isDeepStrictEqual(old.output, stage.output);
  });
  return changed.reduce((rest, { id }) => reopenResults(after, rest, id), results);
}
