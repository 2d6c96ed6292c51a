import type { Stage, Wizard } from "./stage.ts";

/** What a stage handed over once its gate was passed. */
export interface StageResult {
  id: string;
  summary: string;
  output?: unknown;
  /** What a person filled in at a `form` gate with a form of its own. */
  answer?: unknown;
  /** The person went back to this stage, or to one that it depends on: it counts no more. */
  stale?: true;
}

/** What a stage may read: the results of the stages that it needs, none of them stale, in their order. */
export function listResults(
  { stages }: Wizard,
  { results }: { results: StageResult[] },
  stage: Stage,
): StageResult[] {
  const valid = new Map(results.filter(({ stale }) => !stale).map((result) => [result.id, result]));
  return stages
    .filter(({ id }) => stage.needs.includes(id))
    .map(({ id }) => valid.get(id))
    .filter((result) => result !== undefined);
}

/** Ids of the stages that need this one, or need one that does. */
export function listDependants({ stages }: Wizard, id: string): Set<string> {
  const found = new Set([id]);
  // A stage needs earlier ones only, so one pass finds all.
  for (const stage of stages) if (stage.needs.some((need) => found.has(need))) found.add(stage.id);
  found.delete(id);
  return found;
}

/** The results once a stage is to be done again: its own and those that depend on it count no more. */
export function reopenResults(wizard: Wizard, results: StageResult[], id: string): StageResult[] {
  const reopened = listDependants(wizard, id).add(id);
  return results.map((result) => (reopened.has(result.id) ? { ...result, stale: true } : result));
}

/** The results with a new one, in the order of the stages: what was made from an older one counts no more. */
export function addResult(wizard: Wizard, results: StageResult[], result: StageResult): StageResult[] {
  const order = wizard.stages.map(({ id }) => id);
  const others = reopenResults(wizard, results, result.id).filter(({ id }) => id !== result.id);
  return [...others, result].sort((left, right) => order.indexOf(left.id) - order.indexOf(right.id));
}

/** The first stage in order that has no result that counts. */
export function findUndone({ stages }: Wizard, results: StageResult[]): Stage | undefined {
  const done = new Set(results.filter(({ stale }) => !stale).map(({ id }) => id));
  return stages.find(({ id }) => !done.has(id));
}
