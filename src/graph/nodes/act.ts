import type { UsageMetadata } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { collectTurn } from "../../model/collect.ts";
import { collectIds, type ToolDefinition, toToolDefinition } from "../../model/wire.ts";
import { toToolName } from "../../permissions/rule.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { defaultListingBudget, renderListing } from "../../skills/listing.ts";
import { createSkillTool } from "../../tools/skill.ts";
import type { Tool } from "../../tools/tool.ts";
import { type RunContext, readContext } from "../context.ts";
import { emitEvent } from "../events.ts";
import { isOutsideStage, judgeCalls } from "../judge.ts";
import { ensureId } from "../message-id.ts";
import type { GraphParts, WantedModel } from "../parts.ts";
import { renderPrompt } from "../prompt.ts";
import { readRun } from "../run.ts";
import type { State, StateUpdate } from "../state.ts";
import { findOpenWizard, openToolbox } from "../wizard.ts";

/** How much of the catalog's budget the list of permitted names may take. */
const MAX_SHARE_OF_CHOICES = 0.25;
/** Choices of skills, as the contexts of runs make them, whose description is kept. */
const MAX_KEPT = 20;

/** Makes exactly one model call and judges what it requests. Runs nothing. */
export function createActNode(parts: GraphParts) {
  const describeSkillTool = createSkillDescriber(parts.listingBudget ?? defaultListingBudget);
  return async (state: State, config: LangGraphRunnableConfig): Promise<StateUpdate> => {
    const catalog = parts.catalog();
    const context = readContext(config);
    const model = await parts.chooseModel(findWantedModel(state, context));
    if (model.diagnostic) emitEvent(config, { type: "notice", text: model.diagnostic });
    emitEvent(config, { type: "model-start", model: model.name });
    const skillTool = describeSkillTool(catalog, context);
    const definitions = describeTools(parts, skillTool, state);
    const bound = model.chat.bindTools?.(definitions) ?? model.chat;
    const prompt = renderPrompt(state, parts.systemPrompt, parts.historyBudget);
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
    const calls = judgeCalls(turn.calls, {
      parts,
      catalog: isNew ? parts.refreshCatalog() : catalog,
      state,
      ...(context.skills ? { offered: context.skills } : {}),
    });
    return {
      messages: [turn.message],
      calls,
      ...count(state, config, calls.length > 0 && calls.every(isFaulty), tokens),
    };
  };
}

/** The tools as the model sees them; without a skill to offer there is no `Skill` tool. */
function describeTools(parts: GraphParts, skillTool: ToolDefinition | undefined, state: State) {
  return openToolbox(parts.toolbox, state)
    .list()
    .filter((tool) => !isOutsideStage(tool.name, state))
    .flatMap((tool) => (tool.name === "Skill" ? (skillTool ?? []) : describeTool(tool)));
}

/** Describes the `Skill` tool, which holds the catalog within its budget. Kept until the catalog changes. */
function createSkillDescriber(listingBudget: number) {
  let known: Catalog | undefined;
  const definitions = new Map<string, ToolDefinition | undefined>();
  return (catalog: Catalog, { skills }: RunContext): ToolDefinition | undefined => {
    if (catalog !== known || definitions.size >= MAX_KEPT) definitions.clear();
    known = catalog;
    const choice = skills === undefined ? "all" : JSON.stringify([...skills].sort());
    if (!definitions.has(choice)) definitions.set(choice, describeSkills(catalog, skills, listingBudget));
    return definitions.get(choice);
  };
}

function describeSkills(catalog: Catalog, skills: RunContext["skills"], listingBudget: number) {
  const offered = catalog.skills.filter(
    ({ name, modelInvocable }) => modelInvocable && (skills === undefined || skills.has(name)),
  );
  if (offered.length === 0) return undefined;
  const names = offered.map((skill) => skill.name);
  const namesSize = JSON.stringify(names).length;
  // The choices repeat the listing's names, so they count too, and give way when there are many.
  const choices = namesSize <= listingBudget * MAX_SHARE_OF_CHOICES ? names : [];
  const budget = listingBudget - (choices.length > 0 ? namesSize : 0);
  return describeTool(createSkillTool(renderListing(offered, budget).text, choices));
}

/** A stage's model beats its skill's; the run's context beats the session's. */
function findWantedModel(state: State, context: RunContext): WantedModel {
  const skill =
    findOpenWizard(state)?.stage.model ?? state.active.findLast(({ model }) => model !== undefined)?.model;
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
