import { ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { toMessage } from "../../errors.ts";
import { applyDirectory } from "../../skills/arguments.ts";
import { listResources } from "../../skills/resources.ts";
import type { Skill } from "../../skills/schema.ts";
import { readSkillText } from "../../skills/snapshot.ts";
import { emitEvent } from "../events.ts";
import { explainUnknownSkill } from "../judge.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill, State, StateUpdate, WantedSkill } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";

/** Characters of English text in a token, roughly: https://platform.openai.com/tokenizer */
const CHARACTERS_PER_TOKEN = 4;

/** Reads the skills that `route` took, makes them active and answers the model's `Skill` calls. */
export function createLoadSkillNode(parts: GraphParts) {
  return (state: State, config: LangGraphRunnableConfig): StateUpdate => {
    const catalog = parts.catalog();
    const results: ToolMessage[] = [];
    const texts: Record<string, string> = {};
    let active = state.active;
    for (const request of state.wanted) {
      const answer = (result: string, failed = false) => {
        if (request.callId === undefined) return;
        results.push(toToolMessage({ id: request.callId, tool: "Skill", result, failed }));
      };
      const skill = catalog.get(request.name);
      if (!skill) {
        answer(explainUnknownSkill(request.name, catalog), true);
        continue;
      }
      try {
        const { text, digest } = readSkillText(skill);
        const anchor = findAnchor(state, request);
        if (isSame(active, request, digest)) {
          answer(`Already active: ${skill.name}. Its instructions are above.`);
          continue;
        }
        texts[digest] = text;
        const loaded = toActiveSkill(skill, request, { digest, text, anchor });
        active = [...active.filter(({ name }) => name !== skill.name), loaded];
        answer(`Launching skill: ${skill.name}`);
        const { name, path, tokens, chosenBy } = loaded;
        emitEvent(config, { type: "skill-loaded", name, path, digest, tokens, chosenBy });
      } catch (error) {
        answer(toMessage(error), true);
        emitEvent(config, { type: "notice", text: toMessage(error) });
      }
    }
    return { wanted: [], active, texts, messages: results };
  };
}

function isSame(active: ActiveSkill[], request: WantedSkill, digest: string): boolean {
  const current = active.find(({ name }) => name === request.name);
  if (current?.digest !== digest) return false;
  // A person who types the same line again wants it done again, and so wants the text at its new place.
  return (
    request.chosenBy === "model" && (request.arguments === "" || request.arguments === current.arguments)
  );
}

/** The text follows the person's message, or the result of the call that asked for it. */
function findAnchor(state: State, request: WantedSkill): string {
  if (request.callId !== undefined) return toToolMessage({ id: request.callId, tool: "Skill" }).id ?? "";
  return state.messages.findLast((message) => !ToolMessage.isInstance(message))?.id ?? "";
}

function toActiveSkill(
  skill: Skill,
  request: WantedSkill,
  loaded: { digest: string; text: string; anchor: string },
): ActiveSkill {
  const fill = (entries: string[]) => entries.map((entry) => fillFolder(entry, skill.directory));
  return {
    name: skill.name,
    digest: loaded.digest,
    path: skill.path,
    directory: skill.directory,
    arguments: request.arguments,
    ...(skill.argumentHint === undefined ? {} : { argumentHint: skill.argumentHint }),
    chosenBy: request.chosenBy,
    allowedTools: skill.trusted ? fill(skill.allowedTools) : [],
    disallowedTools: fill(skill.disallowedTools),
    ...(skill.model === undefined ? {} : { model: skill.model }),
    resources: listResources(skill.directory),
    anchor: loaded.anchor,
    tokens: Math.ceil(loaded.text.length / CHARACTERS_PER_TOKEN),
  };
}

/** Rules for commands are read as a shell reads words; patterns for paths are not, and a quote would be part of them. */
function fillFolder(entry: string, directory: string): string {
  if (/^(Bash|Shell)\b/i.test(entry)) return applyDirectory(entry, directory);
  return entry.replace(/\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/g, () => directory);
}
