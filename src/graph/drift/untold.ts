import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { emitEvent } from "../events.ts";
import { addRecords, toRecord } from "../loading/records.ts";
import type { ActiveSkill, SkillRecord } from "../skill-state.ts";
import type { State } from "../state.ts";
import { isMoreThanText } from "./drift-item.ts";
import { findChange, type SkillChange } from "./skill-files.ts";

/** A skill whose files are not those that a person was last told of. */
export interface Untold {
  skill: ActiveSkill;
  /** Absent when the files are again as they were loaded. */
  change?: SkillChange;
}

type Loaded = Pick<State, "active" | "loads">;

/** Compares the active skills with their files on disk. Changes nothing. */
export function listUntold({ active, texts }: Pick<State, "active" | "texts">): Untold[] {
  return active.flatMap((skill): Untold[] => {
    const change = findChange(skill, texts, {});
    if (!change) return skill.drift === undefined ? [] : [{ skill }];
    return change.digest === skill.drift?.digest ? [] : [{ skill, change }];
  });
}

/** True when a command may not do any more what it would have done when it was asked about. */
export function isAnotherDeed({ change }: Untold): boolean {
  return change === undefined || change.digest === "" || isMoreThanText(change.files);
}

/** Why an approval does not count any more. */
export function explainUntold(untold: Untold[]): string {
  return untold
    .map(({ skill, change }) => {
      const what = change ? change.files.join(", ") : "they are again as they were loaded";
      return `the files of skill "${skill.name}" changed since you were asked: ${what}`;
    })
    .join("; ");
}

/** Tells what changed, so that the next question is put by people who know of it. The stored texts go on. */
export function tellUntold(
  { active, loads }: Loaded,
  untold: Untold[],
  config: LangGraphRunnableConfig,
): Loaded {
  if (untold.length === 0) return { active, loads };
  const told = new Map(untold.map(({ skill, change }) => [skill, change]));
  const records: SkillRecord[] = [];
  const next = active.map((skill): ActiveSkill => {
    if (!told.has(skill)) return skill;
    const { drift: _drift, ...rest } = skill;
    const change = told.get(skill);
    if (!change) return rest;
    const { name, path } = skill;
    const { digest, files } = change;
    emitEvent(config, { type: "skill-drifted", name, path, choice: "pin", files });
    records.push(toRecord(skill, { type: "pinned", by: "settings", files }));
    return { ...rest, drift: { digest, choice: "pin" } };
  });
  return { active: next, loads: addRecords(loads, records) };
}
