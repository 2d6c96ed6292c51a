import { ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { parseRule } from "../../permissions/rule.ts";
import { listResources } from "../../skills/resources.ts";
import type { Skill } from "../../skills/schema.ts";
import { readSkillText } from "../../skills/snapshot.ts";
import { hasStages, readWizard } from "../../skills/stages/read-wizard.ts";
import type { Wizard } from "../../skills/stages/stage.ts";
import { isUnderWay, startWizard } from "../../skills/stages/stage-machine.ts";
import { estimateTokens } from "../../skills/tokens.ts";
import { readContext } from "../context.ts";
import { rememberFiles } from "../drift/skill-files.ts";
import { emitEvent } from "../events.ts";
import { fillFolder } from "../fill-folder.ts";
import { findLoadFault } from "../loading/consent.ts";
import { explainUnknownSkill } from "../loading/explain.ts";
import { listOffered } from "../loading/offer.ts";
import { readAgain } from "../loading/read-again.ts";
import { addRecords, putInFront, toRecord } from "../loading/records.ts";
import { noteTrust } from "../loading/trust.ts";
import type { GraphParts } from "../parts.ts";
import type { ActiveSkill, SkillRecord, WantedSkill } from "../skill-state.ts";
import type { State, StateUpdate } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { announceStage, readOpenWizard, toProgress } from "../wizard/wizard.ts";

const READ_HINT = ". Its instructions follow; Read with an offset or a limit gives the file itself.";

/** Reads the skills that `route` took, makes them active and answers the model's `Skill` calls. */
export function createLoadSkillNode(parts: GraphParts) {
  return (state: State, config: LangGraphRunnableConfig): StateUpdate => {
    // What a header grants must be what the check of trust sees, so it is looked at again.
    const catalog = state.wanted.length > 0 ? parts.refreshCatalog() : parts.catalog();
    const results: ToolMessage[] = [];
    const texts: Record<string, string> = {};
    const records: SkillRecord[] = [];
    const asked: string[] = [];
    let active = state.active;
    for (const request of state.wanted) {
      const answer = (result: string, failed = false) => {
        if (request.callId === undefined) return;
        results.push(toToolMessage({ id: request.callId, tool: toToolOf(request), result, failed }));
      };
      const known = catalog.get(request.name);
      const skill = known && readAgain(known, catalog);
      if (!skill || skill.name !== known.name) {
        const names = listOffered(catalog, readContext(config), state).map(({ name }) => name);
        answer(explainUnknownSkill(request.name, catalog, names), true);
        continue;
      }
      asked.push(skill.name);
      const trust = parts.trust.check(skill);
      noteTrust(config, skill.path, trust.trusted);
      const fault = findLoadFault(request, skill, trust, parts.policy.mode);
      if (fault !== undefined) {
        answer(fault, true);
        emitEvent(config, { type: "notice", text: fault });
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
        const { trusted } = trust;
        const text = wizard?.intro ?? read.text;
        const loaded = toActiveSkill({ ...skill, trusted }, request, { digest, text, anchor });
        // A model that loads a skill again does not shed what it forbids.
        const kept = request.chosenBy === "model" ? findDenials(active, skill.name) : [];
        loaded.disallowedTools = [...new Set([...loaded.disallowedTools, ...kept])];
        if (wizard) loaded.wizard = toProgress(startWizard(wizard), { digest: read.key, anchor });
        loaded.files = rememberFiles(loaded, texts);
        active = [...active.filter(({ name }) => name !== skill.name), loaded];
        const by = request.way === "preset" ? "settings" : request.chosenBy;
        records.push(toRecord(loaded, { type: "loaded", by, ...(request.way ? { way: request.way } : {}) }));
        answer(`Launching skill: ${skill.name}${request.way === "read" ? READ_HINT : ""}`);
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
    return {
      wanted: [],
      active,
      texts,
      messages: results,
      ...(records.length > 0 ? { loads: addRecords(state.loads, records) } : {}),
      ...(asked.length > 0 ? { recent: putInFront(state.recent, asked) } : {}),
    };
  };
}

/** The text to keep under `key`: the instructions, or a wizard with all its stages, so that no later edit counts. */
export function readSkill(skill: Skill, asWizard: boolean): SkillReading {
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
  const isMention = request.way === "mention";
  // Neither a model nor a mention starts a wizard over in the middle, whatever became of its files.
  if ((isMention || request.chosenBy === "model") && isUnderWay(current?.wizard)) return true;
  // A person who was asked chose the text that was loaded: a call does not undo that.
  if (request.chosenBy === "model" && current?.drift?.asked) return true;
  if (current?.digest !== digest || current.wizard?.status === "finished") return false;
  // A person who types the same line again wants it done again, and so wants the text at its new place.
  if (isMention) return true;
  return (
    request.chosenBy === "model" && (request.arguments === "" || request.arguments === current.arguments)
  );
}

function findDenials(active: ActiveSkill[], skill: string): string[] {
  return active.find(({ name }) => name === skill)?.disallowedTools ?? [];
}

/** The tool that the model called, as far as it is one of ours. */
function toToolOf({ way }: WantedSkill): string {
  return way === "read" ? "Read" : "Skill";
}

/** The text follows the person's message, or the result of the call that asked for it. */
function findAnchor(state: State, request: WantedSkill): string {
  if (request.callId !== undefined) return toToolMessage({ id: request.callId, tool: "Skill" }).id ?? "";
  return state.messages.findLast((message) => !ToolMessage.isInstance(message))?.id ?? "";
}

/** A folder's name can make a rule unreadable, and a limit must not be lost by that. */
function checkDenials({ name, disallowedTools }: Skill, filled: string[]): string[] {
  const lost = disallowedTools.find((entry, index) => parseRule(entry) && !parseRule(filled[index] ?? ""));
  if (lost === undefined) return filled;
  throw new SkillgraphError(
    "skill-unreadable",
    `The skill "${name}" is not loaded: with the name of its folder, "${lost}" of "disallowed-tools" cannot be read. Give the folder a name without brackets.`,
  );
}

/** A skill as it is in force from now on, with the grants that its trust allows. */
export function toActiveSkill(
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
    ...(skill.trusted ? {} : { trusted: false }),
    disallowedTools: checkDenials(skill, fill(skill.disallowedTools)),
    ...(skill.model === undefined || !skill.trusted ? {} : { model: skill.model }),
    ...(skill.version === undefined ? {} : { version: skill.version }),
    ...(skill.argumentNames.length === 0 ? {} : { argumentNames: skill.argumentNames }),
    resources: listResources(skill.directory),
    anchor: loaded.anchor,
    tokens: estimateTokens(loaded.text),
  };
}
