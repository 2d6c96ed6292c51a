import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { isUnderWay } from "../../skills/stages/stage-machine.ts";
import { describeUnloaded } from "../../tools/unload-skill.ts";
import { emitEvent, type GraphEvent } from "../events.ts";
import { ensureId } from "../message-id.ts";
import type { BasePolicy } from "../parts.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State, StateUpdate } from "../state.ts";
import { addRecords, toRecord } from "./records.ts";

type Loaded = Pick<State, "active" | "loads">;

/** A skill that is let go, and what is in force without it. */
export interface Unloaded extends Loaded {
  skill: ActiveSkill;
}

/** The skills without one of them: its text, grants, denials and model end with it. */
export function withoutSkill(
  { active, loads }: Loaded,
  name: string,
  by: "person" | "model",
): Unloaded | undefined {
  const skill = active.find((each) => each.name === name.normalize("NFC"));
  if (!skill) return undefined;
  return {
    skill,
    active: active.filter((each) => each !== skill),
    loads: addRecords(loads, [toRecord(skill, { type: "unloaded", by })]),
  };
}

/** Tells a watcher that a skill ended, and the wizard that it was. */
export function announceUnload(
  skill: ActiveSkill,
  by: "person" | "model",
  config: LangGraphRunnableConfig,
): void {
  for (const event of toUnloadEvents(skill, by)) emitEvent(config, event);
}

/** The events of a skill's end. */
export function toUnloadEvents({ name, digest, wizard }: ActiveSkill, by: "person" | "model"): GraphEvent[] {
  const unloaded: GraphEvent = { type: "skill-unloaded", name, digest, by };
  if (!wizard || !isUnderWay(wizard)) return [unloaded];
  return [{ type: "stage-end", skill: name, stage: wizard.stage, result: "stopped" }, unloaded];
}

/** Carries out a message that is only `/unload NAME`, and answers it without a model. */
export function unloadByMessage(
  state: Loaded,
  name: string,
  config: LangGraphRunnableConfig,
): Pick<StateUpdate, "active" | "loads" | "messages"> {
  const unloaded = name === "" ? undefined : withoutSkill(state, name, "person");
  if (!unloaded) return { messages: [toAnswer(explainNotLoaded(name, state.active))] };
  const { skill, active, loads } = unloaded;
  announceUnload(skill, "person", config);
  return { active, loads, messages: [toAnswer(explainUnloaded(skill))] };
}

/** Why a model may not let a skill go: it would shed a limit, or skip the rest of a wizard. */
export function explainHold(
  skill: ActiveSkill,
  { restrict }: Pick<BasePolicy, "restrict">,
): string | undefined {
  const { name, wizard, disallowedTools } = skill;
  const onlyPerson = `Only a person can unload it, by typing /unload ${name}.`;
  if (wizard && isUnderWay(wizard)) {
    return `"${name}" is a wizard under way, at its stage "${wizard.stage}". ${onlyPerson}`;
  }
  if (disallowedTools.length > 0)
    return `"${name}" forbids tools: ${disallowedTools.join(", ")}. ${onlyPerson}`;
  if (restrict) return `"${name}" limits the tools of this run. ${onlyPerson}`;
  return undefined;
}

/** One sentence for a name that is not loaded. */
export function explainNotLoaded(name: string, active: Pick<ActiveSkill, "name">[]): string {
  const loaded =
    active.length === 0 ? "None is." : `Loaded: ${active.map((skill) => skill.name).join(", ")}.`;
  return name === ""
    ? `Which skill? /unload NAME. ${loaded}`
    : `The skill "${name}" is not loaded. ${loaded}`;
}

/** One sentence for a skill that was let go. */
function explainUnloaded({ name, wizard }: ActiveSkill): string {
  const stopped =
    wizard && isUnderWay(wizard) ? ` Its wizard was stopped at the stage "${wizard.stage}".` : "";
  return `${describeUnloaded(name)}${stopped}`;
}

function toAnswer(text: string): AIMessage {
  return ensureId(new AIMessage(text));
}
