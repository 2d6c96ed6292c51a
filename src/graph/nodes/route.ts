import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { withConsent } from "../consent.ts";
import { checkContext, readContext } from "../context.ts";
import { reportDrift } from "../drift.ts";
import { emitEvent } from "../events.ts";
import { explainUnknownSkill } from "../judge.ts";
import type { GraphParts } from "../parts.ts";
import { readRun } from "../run.ts";
import type { WantedSkill } from "../skill-state.ts";
import { readSlash } from "../slash.ts";
import type { RouteDecision, State, StateUpdate } from "../state.ts";
import { cancelOpenCalls } from "../withdraw.ts";

/** Decides which skills to load: those a person named, then those the model asked for. Loads nothing itself. */
export function createRouteNode(parts: GraphParts) {
  return (state: State, config: LangGraphRunnableConfig): StateUpdate => {
    const { life } = readRun(config);
    const isNewRun = state.run.life !== life;
    // Within a run the skills stay as they are, unless one is asked for that is not known: `act` looks again then.
    const catalog = isNewRun ? parts.refreshCatalog() : parts.catalog();
    const context = readContext(config);
    checkContext(context, catalog);
    const pinned = context.wizard ?? parts.wizard;
    if (isNewRun) reportDrift(state, config);
    const update: StateUpdate = { stop: null, reviewErrors: [] };
    if (isNewRun) update.run = { life, modelCalls: 0, faultyTurns: 0 };
    const message = state.messages.at(-1);
    const isNewMessage =
      isPersons(message) && (message?.id === undefined || message.id !== state.decision?.messageId);
    // From inside the loop every call has its result; what is still open was left behind.
    const isEntry = state.calls.some((call) => call.status !== "done");
    if (isNewMessage || isEntry) Object.assign(update, cancelOpenCalls(state, config));
    const wanted = isNewMessage
      ? withPinned(readSlash(message, catalog), pinned, message, state)
      : state.wanted;
    checkWanted(wanted, catalog);
    const guesses = parts.guesses(context.model);
    update.wanted = wanted.map((request) =>
      withConsent(request, catalog, { mode: parts.policy.mode, guesses }),
    );
    const decision = toDecision(update.wanted, catalog, message, state.decision);
    // On its way through the loop it decides nothing new; what was decided last stays to be read.
    update.decision =
      isNewMessage || update.wanted.length > 0 || !state.decision
        ? decision
        : { ...state.decision, catalogDigest: catalog.digest };
    if (update.wanted.length > 0) {
      const { names, candidates, reason } = decision;
      const method = update.wanted[0]!.chosenBy;
      emitEvent(config, { type: "skill-routed", names, method, candidates, reason });
    }
    return update;
  };
}

function isPersons(message: BaseMessage | undefined): boolean {
  return message !== undefined && HumanMessage.isInstance(message);
}

/** A pinned wizard begins with the first message of a thread, whatever that says, and with no later one. */
function withPinned(
  typed: WantedSkill[],
  pinned: string | undefined,
  message: BaseMessage | undefined,
  state: State,
): WantedSkill[] {
  if (pinned === undefined) return typed;
  if (typed.some(({ name }) => name === pinned)) {
    return typed.map((request) => (request.name === pinned ? { ...request, asWizard: true } : request));
  }
  if (state.decision !== null) return typed;
  const text = typed.length > 0 ? "" : (message?.text.trim() ?? "");
  return [{ name: pinned, arguments: text, chosenBy: "person", asWizard: true }, ...typed];
}

/** A pinned wizard that is gone was pinned for nothing, which the person must hear. */
function checkWanted(wanted: WantedSkill[], catalog: Catalog): void {
  const gone = wanted.find(({ name, asWizard }) => asWizard && !catalog.get(name));
  if (gone) throw new SkillgraphError("skill-unknown", explainUnknownSkill(gone.name, catalog));
}

function toDecision(
  wanted: WantedSkill[],
  catalog: Catalog,
  message: BaseMessage | undefined,
  previous: RouteDecision | null,
): RouteDecision {
  const method = wanted[0]?.chosenBy ?? "none";
  const reasons = {
    person: "named by the person",
    model: "asked for by the model",
    none: "no skill is asked for",
  };
  const messageId = isPersons(message) ? message?.id : previous?.messageId;
  return {
    method,
    names: wanted.map((request) => request.name),
    candidates: catalog.skills.length,
    reason: reasons[method],
    catalogDigest: catalog.digest,
    ...(messageId === undefined ? {} : { messageId }),
  };
}
