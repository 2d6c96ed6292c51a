import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import { refreshSkill } from "../drift/refresh-skill.ts";
import { findChange } from "../drift/skill-files.ts";
import { emitEvent } from "../events.ts";
import type { GraphParts } from "../parts.ts";
import type { ItemDecision } from "../review/review-item.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State, StateUpdate } from "../state.ts";
import { announceStage, moveWizard, readOpenWizard } from "../wizard/wizard.ts";
import { findDisplaced, mustBePlaced, readStages } from "./displaced.ts";
import { displace } from "./place-wizard.ts";
import type { UpgradeChoice } from "./upgrade-reply.ts";
import { GRAPH_VERSION, isOutgrown } from "./version.ts";

interface UpgradePlace {
  parts: Pick<GraphParts, "trust">;
  catalog: Catalog;
  texts: State["texts"];
  version: number;
}

/**
 * Takes over a thread as another version of the graph left it, or one that does not hold its stages: wizards that may
 * stand in the wrong place wait for a person's word, all else goes on.
 */
export function takeOver(
  { active, texts, version }: State,
  { parts, catalog }: Pick<UpgradePlace, "parts" | "catalog">,
): Pick<StateUpdate, "version" | "active" | "texts"> {
  const known = version === GRAPH_VERSION ? {} : { version: GRAPH_VERSION };
  if (!mustBePlaced({ active, texts, version })) return known;
  const added: State["texts"] = {};
  const place = { parts, catalog, texts, version };
  const placed = active.map((skill) => {
    const isLost = mustBePlaced({ active: [skill], texts, version });
    return isLost && isUnderWay(skill.wizard) ? placeSkill(skill, place, added) : skill;
  });
  return { ...known, active: placed, ...(Object.keys(added).length > 0 ? { texts: added } : {}) };
}

/** What a person's answer makes of the wizard that lost its place. */
export function settleUpgrade(
  state: State,
  decision: ItemDecision,
  config: LangGraphRunnableConfig,
): StateUpdate {
  const skill = findDisplaced(state);
  const open = skill && readOpenWizard(skill, state.texts);
  if (!open) return { reviewErrors: ["The wizard is not under way any more."] };
  const answer =
    decision.type === "respond" ? (decision.value as UpgradeChoice) : { choice: "stop" as const };
  if (answer.choice === "stop") {
    const reason = `the person stopped where the wizard "${open.skill.name}" lost its place`;
    return { stop: { code: "declined", reason }, reviewErrors: [] };
  }
  const { displaced, ...progress } = open.progress;
  const stage = answer.choice === "map" ? answer.stage : (displaced?.stage ?? progress.stage);
  const settled = { ...open.skill, wizard: progress };
  const active = state.active.map((each) => (each === open.skill ? settled : each));
  const from = { ...open, skill: settled, progress };
  const anchor = state.messages.at(-1)?.id;
  const moved = moveWizard({ active, texts: state.texts }, from, { type: "goto", stage }, anchor);
  if ("error" in moved) return { reviewErrors: [moved.error] };
  emitEvent(config, {
    type: "stage-end",
    skill: skill.name,
    stage: displaced?.stage ?? stage,
    result: "reopened",
  });
  announceStage(moved.next, config);
  return { active: moved.active, reviewErrors: [] };
}

function placeSkill(skill: ActiveSkill, place: UpgradePlace, added: State["texts"]): ActiveSkill {
  const { wizard: progress } = skill;
  if (!progress) return skill;
  const wizard = readStages(place.texts, progress.digest);
  if (!wizard) return readAnew(skill, place, added);
  const why = isOutgrown(place.version)
    ? "another version of skillgraph began it, whose stages may mean something else"
    : `the thread does not hold its stage "${progress.stage}"`;
  return { ...skill, wizard: displace(progress, { before: wizard, after: wizard }, why, progress.digest) };
}

/** The stored stages cannot be read, so those of its files are all there is. */
function readAnew(skill: ActiveSkill, place: UpgradePlace, added: State["texts"]): ActiveSkill {
  const { texts } = place;
  const change = findChange(skill, texts, {}) ?? { digest: skill.files ?? "", files: [] };
  const refreshed = refreshSkill(skill, change, place);
  const after = "fault" in refreshed ? undefined : refreshed.skill.wizard;
  const stages = after && !("fault" in refreshed) ? readStages(refreshed.texts, after.digest) : undefined;
  if ("fault" in refreshed || !after || !stages || !skill.wizard) {
    const fault = "fault" in refreshed ? refreshed.fault : "it has no stages.";
    throw new SkillgraphError(
      "skill-unreadable",
      `The thread does not hold the stages of the wizard "${skill.name}", and they cannot be read anew: ${fault} Unload it with /unload ${skill.name}.`,
    );
  }
  Object.assign(added, refreshed.texts);
  const why = "the thread does not hold its stages any more; these are the ones on disk";
  return {
    ...refreshed.skill,
    wizard: displace(skill.wizard, { before: undefined, after: stages }, why, after.digest),
  };
}
