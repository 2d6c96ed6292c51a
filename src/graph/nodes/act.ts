import { isDeepStrictEqual } from "node:util";
import type { UsageMetadata } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { collectTurn } from "../../model/collect.ts";
import { collectIds, type ToolDefinition, toToolDefinition } from "../../model/wire.ts";
import { toToolName } from "../../permissions/rule.ts";
import { explainShortened } from "../../skills/listing/listing-report.ts";
import { createSkillTool } from "../../tools/skill.ts";
import type { Tool } from "../../tools/tool.ts";
import { recordVerdicts } from "../audit/audit.ts";
import { type RunContext, readContext } from "../context.ts";
import { hasDrift } from "../drift/drift.ts";
import { emitEvent } from "../events.ts";
import { type Bench, createToolFilter, judgeCalls } from "../judge.ts";
import { createOfferWriter, isShortened, type Offer, renderOffer, toOfferFacts } from "../loading/offer.ts";
import { holdTrust } from "../loading/trust.ts";
import { ensureId } from "../message-id.ts";
import type { GraphParts, WantedModel } from "../parts.ts";
import { renderPrompt } from "../prompt.ts";
import { withOffer } from "../review/offer.ts";
import { readRun } from "../run.ts";
import type { State, StateUpdate } from "../state.ts";
import { mustBePlaced } from "../upgrade/displaced.ts";
import { GRAPH_VERSION } from "../upgrade/version.ts";
import { findOpenWizard, openToolbox } from "../wizard/wizard.ts";

/** Makes exactly one model call and judges what it requests. Runs nothing. */
export function createActNode(parts: GraphParts) {
  const writeOffer = createOfferWriter(parts);
  return async (state: State, config: LangGraphRunnableConfig): Promise<StateUpdate> => {
    // A run that begins here has not looked at the skills yet: `route` does.
    const isNewRun = state.run.life !== readRun(config).life;
    if (isNewRun && (mustBePlaced(state) || hasDrift(state, parts))) {
      return { run: { life: "", modelCalls: 0, faultyTurns: 0 } };
    }
    const catalog = parts.catalog();
    const context = readContext(config);
    const model = await parts.chooseModel(findWantedModel(state, context));
    if (model.diagnostic) emitEvent(config, { type: "notice", text: model.diagnostic });
    emitEvent(config, { type: "model-start", model: model.name });
    const offer = writeOffer(catalog, context, state, model.chat);
    reportShortened(offer, state, config);
    const mayGrant = holdTrust(parts, catalog, state.active, config);
    const definitions = describeTools(parts, offer, state, mayGrant);
    const bound = model.chat.bindTools?.(definitions) ?? model.chat;
    const prompt = renderPrompt(state, toSystemPrompt(parts, offer), parts.historyBudget);
    const turn = await collectTurn(bound, prompt, config, {
      onText: (text) => emitEvent(config, { type: "text-delta", text }),
      usedIds: collectIds(state.messages),
    });
    ensureId(turn.message);
    const tokens = readTokens(turn.message.usage_metadata);
    emitEvent(config, { type: "model-end", model: model.name, calls: turn.calls.length, ...tokens });
    if (turn.cut && turn.calls.length === 0) {
      emitEvent(config, { type: "notice", text: "The answer was cut off before its end." });
    }
    const isNew = turn.calls.some(({ name, input }) => {
      return toToolName(name) === "Skill" && !catalog.get(String(input.name ?? input.command ?? ""));
    });
    const toolbox = openToolbox(parts.toolbox, state);
    const bench: Bench = {
      parts,
      catalog: isNew ? parts.refreshCatalog() : catalog,
      state,
      mayGrant,
      ...(context.skills ? { offered: context.skills } : {}),
    };
    const seen = { ...bench, parts: { ...parts, toolbox } };
    const calls = judgeCalls(turn.calls, bench).map((call) => withOffer(call, seen));
    return {
      messages: [turn.message],
      calls,
      ...(state.version === GRAPH_VERSION ? {} : { version: GRAPH_VERSION }),
      ...recordVerdicts(calls, { toolbox, policy: parts.policy, active: state.active, config }),
      ...recordOffer(offer, state),
      ...count(state, config, calls.length > 0 && calls.every(isFaulty), tokens),
    };
  };
}

/** The tools as the model sees them; without a skill to offer there is no `Skill` tool, and what is shown whole need not be searched. */
function describeTools(
  parts: GraphParts,
  offer: Offer,
  state: State,
  mayGrant: Bench["mayGrant"],
): ToolDefinition[] {
  return openToolbox(parts.toolbox, state)
    .list()
    .filter(createToolFilter({ parts, catalog: parts.catalog(), state, mayGrant }))
    .flatMap((tool) => {
      if (tool.name === "Skill") return offer.skills.length === 0 ? [] : describeSkillTool(offer, parts);
      return tool.name === "SearchSkills" && !isShortened(offer) ? [] : describeTool(tool);
    });
}

function toSystemPrompt({ systemPrompt, catalogPlace }: GraphParts, offer: Offer): string {
  const catalog = catalogPlace === "system-prompt" ? renderOffer(offer) : "";
  return catalog === "" ? systemPrompt : `${systemPrompt}\n\n${catalog}`;
}

const skillTools = new WeakMap<Offer, ToolDefinition>();

/** The `Skill` tool with the catalog, where it stands there. It is the same as long as the offer is. */
function describeSkillTool(offer: Offer, { catalogPlace }: GraphParts): ToolDefinition {
  const known = skillTools.get(offer);
  if (known) return known;
  const listing = catalogPlace === "tool" ? offer.listing.text : "";
  const definition = describeTool(createSkillTool(listing, offer.choices, isShortened(offer)));
  skillTools.set(offer, definition);
  return definition;
}

/** Told once in a run: with its first call, or when skills that came in later no longer fit. */
function reportShortened(offer: Offer, state: State, config: LangGraphRunnableConfig): void {
  const before = state.decision?.offer;
  const isFirst = state.run.life !== readRun(config).life || state.run.modelCalls === 0;
  if (!isFirst && (before === undefined || before.shortened.length > 0)) return;
  const text = explainShortened(offer.listing, offer.budget);
  if (text !== undefined) emitEvent(config, { type: "notice", text });
}

/** How the catalog was shown, when that changed. */
function recordOffer(offer: Offer, { decision }: State): Pick<StateUpdate, "decision"> {
  const facts = toOfferFacts(offer);
  if (decision === null || isDeepStrictEqual(decision.offer, facts)) return {};
  return { decision: { ...decision, offer: facts } };
}

/** A stage's model beats its skill's; the run's context beats the session's. */
function findWantedModel(state: State, context: RunContext): WantedModel {
  const open = findOpenWizard(state);
  const ofStage = open?.skill.trusted === false ? undefined : open?.stage.model;
  const skill = ofStage ?? state.active.findLast(({ model }) => model !== undefined)?.model;
  return {
    ...(skill === undefined ? {} : { skill }),
    ...(context.model === undefined ? {} : { session: context.model }),
  };
}

const described = new WeakMap<Tool, ToolDefinition>();

/** A tool's schema does not change, and the tools are sent with every call. */
function describeTool(tool: Tool): ToolDefinition {
  const known = described.get(tool);
  if (known) return known;
  const schema = tool.jsonSchema ?? (z.toJSONSchema(tool.input, { io: "input" }) as Record<string, unknown>);
  const definition = toToolDefinition(tool.name, tool.description, schema);
  described.set(tool, definition);
  return definition;
}

function isFaulty(call: { status: string; failed?: boolean | undefined }): boolean {
  return call.status === "settled" && call.failed === true;
}

function readTokens(usage: UsageMetadata | undefined): { inputTokens?: number; outputTokens?: number } {
  return usage ? { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } : {};
}

function count(
  state: State,
  config: LangGraphRunnableConfig,
  faulty: boolean,
  tokens: { inputTokens?: number; outputTokens?: number },
): Pick<StateUpdate, "run" | "usage"> {
  const { life } = readRun(config);
  const before = state.run.life === life ? state.run : { modelCalls: 0, faultyTurns: 0 };
  return {
    run: { life, modelCalls: before.modelCalls + 1, faultyTurns: faulty ? before.faultyTurns + 1 : 0 },
    usage: {
      modelCalls: state.usage.modelCalls + 1,
      inputTokens: state.usage.inputTokens + (tokens.inputTokens ?? 0),
      outputTokens: state.usage.outputTokens + (tokens.outputTokens ?? 0),
    },
  };
}
