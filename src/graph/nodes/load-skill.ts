import { ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { listResources } from "../../skills/resources.ts";
import type { Skill } from "../../skills/schema.ts";
import { readSkillText } from "../../skills/snapshot.ts";
import { hasStages, readWizard } from "../../skills/stages/read-wizard.ts";
import type { Wizard } from "../../skills/stages/stage.ts";
import { isUnderWay, startWizard } from "../../skills/stages/stage-machine.ts";
import { emitEvent } from "../events.ts";
import { fillFolder } from "../fill-folder.ts";
import { explainUnknownSkill } from "../judge.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill, WantedSkill } from "../skill-state.ts";
import type { State, StateUpdate } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { announceStage, readOpenWizard, toProgress } from "../wizard.ts";

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
      if (request.path !== undefined && request.path !== skill.path) {
        const moved = `Not loaded: the person agreed to ${request.path}, and "${skill.name}" is now another file. Ask again.`;
        answer(moved, true);
        emitEvent(config, { type: "notice", text: moved });
        continue;
      }
      try {
        const anchor = findAnchor(state, request);
        // A person who goes on with a wizard need not ask for its stages again.
        const isWizard = active.some(({ name, wizard }) => name === skill.name && isUnderWay(wizard));
        const { digest, wizard, ...read } = readSkill(skill, request.asWizard === true || isWizard);
        if (isSame(active, request, digest)) {
          answer(`Already active: ${skill.name}. Its instructions are above.`);
          continue;
        }
        texts[read.key] = read.text;
        const loaded = toActiveSkill(skill, request, { digest, text: wizard?.intro ?? read.text, anchor });
        if (wizard) loaded.wizard = toProgress(startWizard(wizard), { digest: read.key, anchor });
        active = [...active.filter(({ name }) => name !== skill.name), loaded];
        answer(`Launching skill: ${skill.name}`);
        const { name, path, tokens, chosenBy } = loaded;
        emitEvent(config, { type: "skill-loaded", name, path, digest, tokens, chosenBy });
        announceStage(readOpenWizard(loaded, texts), config);
      } catch (error) {
        // A person who named a wizard must not get a run without its stages.
        if (request.callId === undefined && (request.asWizard || hasStages(skill))) throw error;
        answer(toMessage(error), true);
        emitEvent(config, { type: "notice", text: toMessage(error) });
      }
    }
    return { wanted: [], active, texts, messages: results };
  };
}

/** The text to keep under `key`: the instructions, or a wizard with all its stages, so that no later edit counts. */
function readSkill(skill: Skill, asWizard: boolean): SkillReading {
  const { text, digest } = readSkillText(skill);
  if (!asWizard && !hasStages(skill)) return { digest, key: digest, text };
  const read = readWizard(skill, { asked: asWizard });
  const faults = read.diagnostics.filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const list = faults.map(({ path, line, message }) => `${path}:${line}: ${message}`).join(" ");
    throw new SkillgraphError("skill-unreadable", `The wizard "${skill.name}" cannot be used. ${list}`);
  }
  if (!read.wizard || read.digest === undefined) return { digest, key: digest, text };
  return { digest, key: read.digest, text: JSON.stringify(read.wizard), wizard: read.wizard };
}

interface SkillReading {
  /** Digest of the SKILL.md. */
  digest: string;
  key: string;
  text: string;
  wizard?: Wizard;
}

function isSame(active: ActiveSkill[], request: WantedSkill, digest: string): boolean {
  const current = active.find(({ name }) => name === request.name.normalize("NFC"));
  // A model cannot start a wizard over in the middle, whatever became of its files; one that is finished it can.
  if (request.chosenBy === "model" && isUnderWay(current?.wizard)) return true;
  if (current?.digest !== digest || current.wizard?.status === "finished") return false;
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
