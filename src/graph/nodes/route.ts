import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { SkillgraphError } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import type { Skill } from "../../skills/schema.ts";
import { hasDrifted } from "../../skills/snapshot.ts";
import { readWizard } from "../../skills/stages.ts";
import { checkContext, readContext } from "../context.ts";
import { emitEvent } from "../events.ts";
import { explainUnknownSkill } from "../judge.ts";
import type { GraphParts } from "../parts.ts";
import { readRun } from "../run.ts";
import type { PendingCall, RouteDecision, State, StateUpdate, WantedSkill } from "../state.ts";
import { toToolMessage } from "../tool-message.ts";
import { moveWizard, readOpenWizard } from "../wizard.ts";

const CANCELLED = "Cancelled: the person wrote a new message instead of answering.";
const NOT_BEGUN = "Not carried out: the run ended before, and a new message came.";
const MAYBE_BEGUN =
  "It may have happened: the run ended before its end was seen, and a new message came. Look before you do it again.";

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

/**
 * The skill that a person named at the very start of a message, as `/name arguments` or `$name arguments`.
 * The whole first word must be a skill's name: paths, URLs and unknown words are plain text.
 */
export function readSlash(
  message: BaseMessage | undefined,
  catalog: Pick<Catalog, "get" | "skills">,
): WantedSkill[] {
  const text = /^\s*[/$](\S[\s\S]*)$/u.exec(message?.text ?? "")?.[1]?.normalize("NFC");
  if (text === undefined) return [];
  // A name may hold blanks, so the longest one that the text begins with wins over its first word.
  const spaced = catalog.skills
    .filter(({ name }) => /\s/.test(name) && text.startsWith(name) && /^(\s|$)/.test(text.slice(name.length)))
    .sort((left, right) => right.name.length - left.name.length)[0];
  const skill = spaced ?? catalog.get(/^\S+/.exec(text)?.[0] ?? "");
  if (!skill?.userInvocable) return [];
  return [{ name: skill.name, arguments: text.slice(skill.name.length).trim(), chosenBy: "person" }];
}

function isPersons(message: BaseMessage | undefined): boolean {
  return message !== undefined && HumanMessage.isInstance(message);
}

/** A new message while a question is open withdraws the question; strict servers want a result for each call. */
function cancelOpenCalls(state: State, config: LangGraphRunnableConfig): StateUpdate {
  const answered = new Set(
    state.messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  const open = state.calls.filter((call) => !answered.has(call.id));
  const active = closeGates(state);
  // An unchanged channel is not written again.
  const update: StateUpdate = { calls: [], ...(active === state.active ? {} : { active }) };
  if (open.length === 0) return update;
  emitEvent(config, { type: "notice", text: `${open.length} open call(s) cancelled by the new message.` });
  return {
    ...update,
    messages: open.map((call) => toToolMessage({ ...call, result: toLastWord(call), failed: true })),
  };
}

/** A gate whose question is withdrawn stays shut, and its stage is to be completed again. */
function closeGates(state: State): State["active"] {
  if (!state.active.some(({ wizard }) => wizard?.status === "gate")) return state.active;
  return state.active.map((skill) => {
    const open = readOpenWizard(skill, state.texts);
    if (open?.progress.status !== "gate") return skill;
    const moved = moveWizard(state, open, { type: "withdraw" });
    return ("error" in moved ? undefined : moved.active.find(({ name }) => name === skill.name)) ?? skill;
  });
}

function toLastWord({ status }: PendingCall): string {
  if (status === "ask" || status === "question" || status === "gate") return CANCELLED;
  return status === "ready" || status === "unknown" ? MAYBE_BEGUN : NOT_BEGUN;
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

function withConsent(
  request: WantedSkill,
  catalog: Catalog,
  { mode, guesses }: { mode: GraphParts["policy"]["mode"]; guesses: boolean },
): WantedSkill {
  const skill = catalog.get(request.name);
  if (request.consent !== undefined || request.agreed || !skill) return request;
  const why = findConsent(request, skill, guesses);
  if (why === undefined || mode === "allow") return request;
  return { ...request, consent: why, path: skill.path };
}

/** Loading grants permissions, so a guess and a stranger's skill need a person's word first. */
function findConsent(request: WantedSkill, skill: Skill, guesses: boolean): string | undefined {
  if (!skill.trusted) return `it comes from a folder that is not trusted: ${skill.source}`;
  if (request.chosenBy === "model" && guesses) return "it was chosen from the words of the request alone";
  return undefined;
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

function reportDrift(state: State, config: LangGraphRunnableConfig): void {
  for (const { name, path, directory, digest, wizard } of state.active) {
    const isOther = hasDrifted({ name, path }, digest);
    const stages =
      wizard && !isOther ? readWizard({ name, path, directory, metadata: {} }, { asked: true }) : undefined;
    if (isOther || (stages && stages.digest !== wizard?.digest)) {
      emitEvent(config, { type: "skill-drifted", name, path });
    }
  }
}
