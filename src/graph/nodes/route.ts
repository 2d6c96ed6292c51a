import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { checkContext, readContext } from "../context.ts";
import { followDrift } from "../drift/drift.ts";
import { emitEvent } from "../events.ts";
import { withConsent } from "../loading/consent.ts";
import { explainMistypedSkill, explainUnknownSkill } from "../loading/explain.ts";
import { readMentions, readSlash, readUnload } from "../loading/slash.ts";
import { holdTrust } from "../loading/trust.ts";
import { unloadByMessage } from "../loading/unload.ts";
import { listMentionedFiles, unlock } from "../loading/unlock.ts";
import type { GraphParts } from "../parts.ts";
import { readRun } from "../run.ts";
import type { WantedSkill } from "../skill-state.ts";
import type { RouteDecision, State, StateUpdate } from "../state.ts";
import { takeOver } from "../upgrade/upgrade.ts";
import { cancelOpenCalls, recordOpenQuestions } from "../withdraw.ts";

/** Decides which skills to load: those a person named, then those the model asked for. Loads nothing itself. */
export function createRouteNode(parts: GraphParts) {
  return (stored: State, config: LangGraphRunnableConfig): StateUpdate => {
    const { life } = readRun(config);
    const isNewRun = stored.run.life !== life;
    // Within a run the skills stay as they are, unless one is asked for that is not known: `act` looks again then.
    const catalog = isNewRun ? parts.refreshCatalog() : parts.catalog();
    const context = readContext(config);
    checkContext(context, catalog);
    const pinned = context.wizard ?? parts.wizard;
    const taken = isNewRun ? takeOver(stored, { parts, catalog }) : {};
    const texts = taken.texts ? { ...stored.texts, ...taken.texts } : stored.texts;
    const state = { ...stored, ...taken, texts };
    // Asked first here, so that a skill which grants no more is told before anything is decided.
    holdTrust(parts, catalog, state.active, config);
    const update: StateUpdate = { ...taken, stop: null, reviewErrors: [] };
    if (isNewRun) update.run = { life, modelCalls: 0, faultyTurns: 0 };
    const message = state.messages.at(-1);
    const isNewMessage =
      isPersons(message) && (message?.id === undefined || message.id !== state.decision?.messageId);
    // From inside the loop every call has its result; what is still open was left behind.
    const isEntry = state.calls.some((call) => call.status !== "done");
    if (isNewMessage || isEntry) {
      Object.assign(update, cancelOpenCalls(state, config));
      Object.assign(update, recordOpenQuestions(state, isNewMessage, parts, config));
    }
    // A pinned wizard begins with the first message, whatever that says.
    const isPinned = pinned !== undefined && state.decision === null;
    const unloaded = isNewMessage && !isPinned ? readUnload(message, catalog) : undefined;
    if (unloaded !== undefined) return withUnloaded(state, update, unloaded, catalog, config);
    const wanted = isNewMessage
      ? withPinned(readWanted(message, catalog), pinned, message, state)
      : state.wanted;
    if (isNewMessage) {
      const files = listMentionedFiles(message?.text ?? "", parts.policy.workspace);
      Object.assign(update, unlock(state, catalog, files, parts.policy.workspace));
    }
    checkWanted(wanted, catalog);
    const isPlain = isNewMessage && !wanted.some(({ way }) => way === "name");
    const mistyped = isPlain ? explainMistypedSkill(message?.text ?? "", catalog) : undefined;
    if (mistyped !== undefined) emitEvent(config, { type: "notice", text: mistyped });
    const guesses = parts.guesses(context.model);
    update.wanted = wanted.map((request) => withConsent(request, catalog, { parts, guesses }));
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
    return isNewRun ? followDrift(state, update, { parts, catalog, config }) : update;
  };
}

/** What a message asks for: the skill at its beginning, then those that it mentions. */
function readWanted(message: BaseMessage | undefined, catalog: Catalog): WantedSkill[] {
  const named = readSlash(message, catalog);
  const mentioned = readMentions(message, catalog);
  return [...named, ...mentioned.filter(({ name }) => name !== named[0]?.name)];
}

/** A message that lets a skill go is answered at once. */
function withUnloaded(
  state: State,
  update: StateUpdate,
  name: string,
  catalog: Catalog,
  config: LangGraphRunnableConfig,
): StateUpdate {
  const active = update.active ?? state.active;
  const { messages = [], ...unloaded } = unloadByMessage({ active, loads: state.loads }, name, config);
  const decision = toDecision([], catalog, state.messages.at(-1), state.decision);
  return {
    ...update,
    ...unloaded,
    wanted: [],
    messages: [...(update.messages ?? []), ...messages],
    decision: { ...decision, method: "unload", reason: "the person lets a skill go" },
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
  const [first] = typed;
  const isNamed = first?.way === "name";
  if (isNamed && first.name === pinned) return [{ ...first, asWizard: true }, ...typed.slice(1)];
  if (state.decision !== null) return typed;
  const text = isNamed ? "" : (message?.text.trim() ?? "");
  const others = typed.filter(({ name }) => name !== pinned);
  return [{ name: pinned, arguments: text, chosenBy: "person", way: "preset", asWizard: true }, ...others];
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
