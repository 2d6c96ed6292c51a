import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { pairToolMessages, trimHistory } from "../model/wire.ts";
import { applyArguments } from "../skills/arguments/apply-arguments.ts";
import { renderSkillEnvelope } from "../skills/envelope.ts";
import { toFields } from "../skills/stages/read-wizard.ts";
import { renderStageEnvelope } from "../skills/stages/stage-envelope.ts";
import type { ActiveSkill } from "./skill-state.ts";
import type { State } from "./state.ts";
import { foldStages } from "./wizard/fold-stages.ts";
import { type OpenWizard, readOpenWizard, readStoredWizard, toStageEnvelope } from "./wizard/wizard.ts";

/** What a prompt is rendered from. */
type PromptState = Pick<State, "messages" | "texts" | "active">;

/**
 * The messages for the model: the system prompt, the history with every tool call answered, and the text of
 * each active skill once, at the place where it was loaded. A skill's text comes from state, so it survives
 * trimming and a resume. Of a wizard's stages, the current one sees the work that it needs, and no other.
 */
export function renderPrompt(state: PromptState, systemPrompt: string, historyBudget: number): BaseMessage[] {
  const { history: folded, moved } = foldStages(state, pairToolMessages(state.messages));
  const history = trimHistory(folded, historyBudget);
  const anchors = new Map<string, HumanMessage[]>();
  const kept = new Set(history.map((message) => message.id));
  const rendered: BaseMessage[] = [new SystemMessage(systemPrompt)];
  for (const { anchor: place, message } of state.active.flatMap((skill) => toAnchored(skill, state.texts))) {
    const anchor = moved.has(place) ? (moved.get(place) ?? "") : place;
    if (!kept.has(anchor)) rendered.push(message);
    else anchors.set(anchor, [...(anchors.get(anchor) ?? []), message]);
  }
  const due: HumanMessage[] = [];
  for (const [index, message] of history.entries()) {
    rendered.push(message);
    due.push(...(anchors.get(message.id ?? "") ?? []));
    // A strict server wants all results of a turn together, so the text waits for the last of them.
    if (isToolMessage(history[index + 1])) continue;
    rendered.push(...due.splice(0));
  }
  return rendered;
}

/** A skill's text at its place; of a wizard the intro there, and the current stage where it began. */
function toAnchored(skill: ActiveSkill, texts: State["texts"]): { anchor: string; message: HumanMessage }[] {
  const { anchor, wizard, digest } = skill;
  const text = wizard ? readStoredWizard(texts, wizard.digest)?.intro : texts[digest];
  const own = { anchor, message: toSkillMessage(skill, text ?? "") };
  const open = readOpenWizard(skill, texts);
  return open ? [own, { anchor: open.progress.anchor, message: toStageMessage(open) }] : [own];
}

/** What is to be done now. Stages that are done or to come are not shown. */
function toStageMessage(open: OpenWizard): HumanMessage {
  const envelope = toStageEnvelope(open);
  const { skill } = open;
  const text = applyArguments(envelope.text, {
    arguments: skill.arguments,
    ...toNames(skill),
    skillDirectory: skill.directory,
    fields: toFields(envelope.results),
  });
  return new HumanMessage({
    id: `do-not-render-stage-${skill.digest}-${envelope.id}`,
    content: renderStageEnvelope({ ...envelope, text }),
  });
}

function isToolMessage(message: BaseMessage | undefined): boolean {
  return message !== undefined && ToolMessage.isInstance(message);
}

function toSkillMessage(skill: ActiveSkill, text: string): HumanMessage {
  return new HumanMessage({
    // Chat clients hide messages whose id starts like this.
    id: `do-not-render-skill-${skill.digest}`,
    content: renderSkillEnvelope({
      name: skill.name,
      directory: skill.directory,
      arguments: skill.arguments,
      ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
      ...(skill.argumentNames === undefined ? {} : { argumentNames: skill.argumentNames }),
      digest: skill.digest,
      resources: skill.resources,
      text: applyArguments(text, {
        arguments: skill.arguments,
        ...toNames(skill),
        skillDirectory: skill.directory,
      }),
    }),
  });
}

function toNames({ argumentNames }: ActiveSkill): { names?: string[] } {
  return argumentNames === undefined ? {} : { names: argumentNames };
}
