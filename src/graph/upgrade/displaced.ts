import { isRecord } from "../../skills/record.ts";
import type { Wizard } from "../../skills/stages/stage.ts";
import { findStage, isUnderWay } from "../../skills/stages/stage-machine.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State } from "../state.ts";
import { readStoredWizard } from "../wizard/wizard.ts";
import { isOutgrown } from "./version.ts";

/** The wizard whose place a person must name next; one that they ask for anew begins anew. */
export function findDisplaced({ active, wanted }: Pick<State, "active" | "wanted">): ActiveSkill | undefined {
  const isAsked = (name: string) =>
    wanted.some((each) => each.name === name && each.chosenBy === "person" && each.way === "name");
  return active.findLast(
    ({ name, wizard }) => isUnderWay(wizard) && wizard?.displaced !== undefined && !isAsked(name),
  );
}

/** True when a wizard may stand in the wrong place, and `route` has not seen to it. */
export function mustBePlaced({
  active,
  texts,
  version,
}: Pick<State, "active" | "texts" | "version">): boolean {
  return active.some(
    ({ wizard }) =>
      wizard !== undefined &&
      isUnderWay(wizard) &&
      (isOutgrown(version) || !holdsStage(texts, wizard.digest, wizard.stage)),
  );
}

/** The stages as a thread keeps them; undefined where they cannot be read. */
export function readStages(texts: State["texts"], digest: string): Wizard | undefined {
  try {
    const wizard: unknown = readStoredWizard(texts, digest);
    const isWizard = isRecord(wizard) && Array.isArray(wizard.stages) && wizard.stages.length > 0;
    return isWizard ? (wizard as unknown as Wizard) : undefined;
  } catch {
    return undefined; // A broken text is as good as none.
  }
}

function holdsStage(texts: State["texts"], digest: string, stage: string): boolean {
  const wizard = readStages(texts, digest);
  return wizard !== undefined && findStage(wizard, stage) !== undefined;
}
