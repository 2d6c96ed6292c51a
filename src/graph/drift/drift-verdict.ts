import type { Catalog } from "../../skills/catalog.ts";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill, PendingDrift, WantedSkill } from "../skill-state.ts";
import type { State } from "../state.ts";
import { type Refreshed, refreshSkill } from "./refresh-skill.ts";
import type { SkillChange } from "./skill-files.ts";

/** What becomes of a skill that changed. `none`: the person knows of it already. */
export type Verdict =
  | { choice: "none" }
  | { choice: "pin"; asked: boolean }
  | { choice: "ask"; why?: string }
  | { choice: "refresh"; refreshed: Refreshed; asked: boolean }
  /** A person named it, and gets the new text as they load it. */
  | { choice: "reload" };

/** What a verdict depends on besides the skill. */
export interface DriftPlace {
  parts: GraphParts;
  catalog: Catalog;
  texts: State["texts"];
  wanted: WantedSkill[];
  /** The questions that are open, or answered and not yet carried out. */
  drifts: PendingDrift[];
}

/** An answer comes first, then what was chosen for the run; without any the skill goes on as it was loaded. */
export function decideDrift(skill: ActiveSkill, change: SkillChange, place: DriftPlace): Verdict {
  const { parts, wanted, drifts } = place;
  if (wanted.some((request) => isNamed(request, skill))) return { choice: "reload" };
  const answered = drifts.find(({ name, choice }) => name === skill.name && choice !== undefined);
  if (answered) return carryOut(answered, skill, change, place);
  const isLost = change.digest === "" && isUnderWay(skill.wizard);
  switch (parts.drift ?? (isLost ? "ask" : "pin")) {
    case "pin":
      return toPin(skill, change);
    case "ask":
      return ask(skill, change, parts, isLost ? "Its wizard is under way." : undefined);
    case "refresh": {
      // Of an ordinary skill that is gone there is nothing to ask about.
      if (change.digest === "" && !isLost) return toPin(skill, change);
      const refreshed = refreshSkill(skill, change, place);
      if ("fault" in refreshed) return ask(skill, change, parts, undefined);
      const { doubt } = refreshed;
      if (doubt === undefined || parts.policy.mode === "allow") {
        return { choice: "refresh", refreshed, asked: false };
      }
      return ask(skill, change, parts, `It needs your word because ${doubt}.`);
    }
  }
}

function carryOut(
  { choice, digest }: PendingDrift,
  skill: ActiveSkill,
  change: SkillChange,
  place: DriftPlace,
): Verdict {
  if (digest !== change.digest) return { choice: "ask", why: "It changed again after you were asked." };
  if (choice === "pin") return { choice: "pin", asked: true };
  const refreshed = refreshSkill(skill, change, place);
  return "fault" in refreshed ? { choice: "ask" } : { choice: "refresh", refreshed, asked: true };
}

/** Nobody is asked twice about the same files, and in the mode that refuses questions nobody at all. */
function ask(
  skill: ActiveSkill,
  change: SkillChange,
  { policy }: Pick<GraphParts, "policy">,
  why: string | undefined,
): Verdict {
  const isAnswered = skill.drift?.digest === change.digest && skill.drift.asked === true;
  if (isAnswered || policy.mode === "deny") return toPin(skill, change);
  return { choice: "ask", ...(why === undefined ? {} : { why }) };
}

function toPin({ drift }: ActiveSkill, { digest }: SkillChange): Verdict {
  return drift?.digest === digest ? { choice: "none" } : { choice: "pin", asked: false };
}

/** A mention leaves a skill that is in force as it is. */
function isNamed({ name, chosenBy, way }: WantedSkill, skill: ActiveSkill): boolean {
  return name === skill.name && chosenBy === "person" && way !== "mention";
}
