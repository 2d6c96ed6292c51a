import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Catalog } from "../../skills/catalog.ts";
import { emitEvent } from "../events.ts";
import { addRecords, toRecord } from "../loading/records.ts";
import { noteTrust } from "../loading/trust.ts";
import type { GraphParts } from "../parts.ts";
import type { ItemDecision } from "../review/review-item.ts";
import type { ActiveSkill, PendingDrift, SkillRecord } from "../skill-state.ts";
import type { State, StateUpdate } from "../state.ts";
import { explainGrants, renderDifference } from "./drift-text.ts";
import { type DriftPlace, decideDrift, type Verdict } from "./drift-verdict.ts";
import { refreshSkill } from "./refresh-skill.ts";
import { findChange, rememberFiles, type SkillChange } from "./skill-files.ts";

/**
 * Compares the active skills with their files on disk, at the beginning of a run, and carries out what the settings
 * or a person's answer say: goes on with what was loaded, reads what is new, or leaves a question in `drifts`.
 *
 * @param update what `route` decided so far
 * @returns the same, with what becomes of the skills
 */
export function followDrift(
  state: State,
  update: StateUpdate,
  { parts, catalog, config }: { parts: GraphParts; catalog: Catalog; config: LangGraphRunnableConfig },
): StateUpdate {
  const place = {
    parts,
    catalog,
    texts: state.texts,
    wanted: update.wanted ?? state.wanted,
    drifts: state.drifts,
  };
  const active = update.active ?? state.active;
  const texts: State["texts"] = {};
  const drifts: PendingDrift[] = [];
  const records: SkillRecord[] = [];
  const follow = (skill: ActiveSkill): ActiveSkill => {
    const change = findChange(skill, state.texts, texts);
    if (!change) return toUnchanged(skill, texts);
    const verdict = decideDrift(skill, change, place);
    if (verdict.choice === "none") return skill;
    announce(skill, change, verdict, config);
    if (verdict.choice === "reload") return skill;
    if (verdict.choice === "ask") {
      drifts.push(toPending(skill, change, verdict.why, place));
      return skill;
    }
    const next = verdict.choice === "pin" ? toPinned(skill, change, verdict.asked) : verdict.refreshed.skill;
    const type = verdict.choice === "pin" ? "pinned" : "refreshed";
    records.push(toRecord(next, { type, by: verdict.asked ? "person" : "settings", files: change.files }));
    if (verdict.choice === "refresh") {
      Object.assign(texts, verdict.refreshed.texts);
      noteTrust(config, skill.path, verdict.refreshed.doubt === undefined);
    }
    return next;
  };
  const next = active.map(follow);
  // An unchanged channel is not written again.
  const isSame = next.every((skill, index) => skill === active[index]);
  return {
    ...update,
    ...(isSame ? {} : { active: next }),
    ...(Object.keys(texts).length > 0 ? { texts: { ...update.texts, ...texts } } : {}),
    ...(drifts.length > 0 || state.drifts.length > 0 ? { drifts } : {}),
    ...(records.length > 0 ? { loads: addRecords(update.loads ?? state.loads, records) } : {}),
  };
}

/** True when there is something to be told, asked or read anew. Changes nothing. */
export function hasDrift(
  state: Pick<State, "active" | "texts" | "wanted" | "drifts">,
  parts: GraphParts,
): boolean {
  const { texts, wanted, drifts } = state;
  const place = { parts, catalog: parts.catalog(), texts, wanted, drifts };
  return state.active.some((skill) => {
    const change = findChange(skill, state.texts, {});
    return change !== undefined && decideDrift(skill, change, place).choice !== "none";
  });
}

/** What a person's answer makes of the open question. `route` carries it out. */
export function settleDrift({ drifts }: Pick<State, "drifts">, decision: ItemDecision): StateUpdate {
  const index = drifts.findIndex(({ choice }) => choice === undefined);
  const drift = drifts[index]!;
  const choice = decision.type === "respond" ? decision.value : undefined;
  if (choice === "pin" || choice === "refresh") {
    return { drifts: drifts.with(index, { ...drift, choice }), reviewErrors: [] };
  }
  const reason = `the person stopped at the changed skill "${drift.name}"`;
  return { stop: { code: "declined", reason }, reviewErrors: [] };
}

/** Files that are as they were again are told anew when they change; a thread from before learns of them here. */
function toUnchanged(skill: ActiveSkill, texts: State["texts"]): ActiveSkill {
  if (skill.files === undefined) return { ...skill, files: rememberFiles(skill, texts) };
  const { drift, ...rest } = skill;
  return drift === undefined ? skill : rest;
}

function toPinned(skill: ActiveSkill, { digest }: SkillChange, asked: boolean): ActiveSkill {
  return { ...skill, drift: { digest, choice: "pin", ...(asked ? { asked } : {}) } };
}

function toPending(
  skill: ActiveSkill,
  change: SkillChange,
  why: string | undefined,
  place: DriftPlace,
): PendingDrift {
  const { name, path } = skill;
  const refreshed = refreshSkill(skill, change, place);
  const isFaulty = "fault" in refreshed;
  const words = [
    why,
    ...(isFaulty ? [] : [explainGrants(skill, refreshed), explainDisplaced(refreshed.skill)]),
  ].filter((word) => word !== undefined);
  const base = { name, path, ...change, ...(words.length === 0 ? {} : { why: words.join(" ") }) };
  if (isFaulty) return { ...base, difference: "", fault: refreshed.fault };
  return { ...base, difference: renderDifference({ skill, texts: place.texts }, refreshed) };
}

function explainDisplaced({ wizard }: ActiveSkill): string | undefined {
  return wizard?.displaced && `With the new text you are asked where it goes on: ${wizard.displaced.why}.`;
}

function announce(
  { name, path }: ActiveSkill,
  { files }: SkillChange,
  { choice }: Exclude<Verdict, { choice: "none" }>,
  config: LangGraphRunnableConfig,
): void {
  emitEvent(config, {
    type: "skill-drifted",
    name,
    path,
    choice: choice === "reload" ? "refresh" : choice,
    files,
  });
}
