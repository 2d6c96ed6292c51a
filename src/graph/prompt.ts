import { type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { pairToolMessages, trimHistory } from "../model/wire.ts";
import { applyArguments } from "../skills/arguments.ts";
import { renderSkillEnvelope } from "../skills/envelope.ts";
import type { ActiveSkill, State } from "./state.ts";

/** What a prompt is rendered from. */
type PromptState = Pick<State, "messages" | "texts" | "active">;

/**
 * The messages for the model: the system prompt, the history with every tool call answered, and the text of
 * each active skill once, at the place where it was loaded. A skill's text comes from state, so it survives
 * trimming and a resume.
 */
export function renderPrompt(state: PromptState, systemPrompt: string, historyBudget: number): BaseMessage[] {
  const history = trimHistory(pairToolMessages(state.messages), historyBudget);
  const anchors = new Map<string, ActiveSkill[]>();
  const kept = new Set(history.map((message) => message.id));
  const rendered: BaseMessage[] = [new SystemMessage(systemPrompt)];
  for (const skill of state.active) {
    if (!kept.has(skill.anchor)) rendered.push(toSkillMessage(skill, state.texts));
    else anchors.set(skill.anchor, [...(anchors.get(skill.anchor) ?? []), skill]);
  }
  const due: ActiveSkill[] = [];
  for (const [index, message] of history.entries()) {
    rendered.push(message);
    due.push(...(anchors.get(message.id ?? "") ?? []));
    // A strict server wants all results of a turn together, so the text waits for the last of them.
    if (isToolMessage(history[index + 1])) continue;
    rendered.push(...due.splice(0).map((skill) => toSkillMessage(skill, state.texts)));
  }
  return rendered;
}

function isToolMessage(message: BaseMessage | undefined): boolean {
  return message !== undefined && ToolMessage.isInstance(message);
}

function toSkillMessage(skill: ActiveSkill, texts: Record<string, string>): HumanMessage {
  const text = texts[skill.digest] ?? "";
  return new HumanMessage({
    // Chat clients hide messages whose id starts like this.
    id: `do-not-render-skill-${skill.digest}`,
    content: renderSkillEnvelope({
      name: skill.name,
      directory: skill.directory,
      arguments: skill.arguments,
      ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
      digest: skill.digest,
      resources: skill.resources,
      text: applyArguments(text, { arguments: skill.arguments, skillDirectory: skill.directory }),
    }),
  });
}
