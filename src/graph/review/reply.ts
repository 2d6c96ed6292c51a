import { z } from "zod";
import { END_STAGE } from "../../skills/stages/stage-names.ts";
import { isDriftAnswer, readDriftReply } from "../drift/drift-reply.ts";
import { readUpgradeReply } from "../upgrade/upgrade-reply.ts";
import { readAddressed } from "./addressed.ts";
import { explainAlways, explainContradiction, isAlways, readType, readWord } from "./decision-words.ts";
import { findFormFault } from "./form-reply.ts";
import type { DecisionType, ItemDecision, ReviewItem } from "./review-item.ts";
import { readJsonObject, unwrapReply } from "./unwrap-reply.ts";

/** A reply, read: decisions for the first items in order, a stage to go to, or why it cannot be used. */
export type ReadReply = { decisions: ItemDecision[] } | { goto: string } | { errors: string[] };

/** Keys by which people and clients mean a decision. */
const STRAY_KEYS = [
  "type",
  "always",
  "decision",
  "decisions",
  "action",
  "approved",
  "approve",
  "reject",
  "rejected",
  "response",
  "goto",
];

/** Keys of a typed decision, whatever the fields of the item are called. */
const DECISION_KEYS = [...STRAY_KEYS, "args", "message", "value"];

const record = z.record(z.string(), z.unknown());

/**
 * Reads a reply in any client's dialect: `{decisions: […]}` in either casing, a bare decision or list of them,
 * `true`, `false`, `"approve"`, a bare string, or the bare values of a form. Never throws.
 *
 * @param open id of the open request: a reply that names another one cannot be used
 */
export function readReply(raw: unknown, items: ReviewItem[], open?: string): ReadReply {
  const unwrapped = unwrapReply(raw, items);
  if ("error" in unwrapped) return { errors: [unwrapped.error] };
  const { reply, request = open } = unwrapped;
  if (open !== undefined && request !== open)
    return { errors: [`The reply is for request "${request}", which is not open. Open: "${open}".`] };
  if (items[0]?.kind === "drift") return readDriftReply(reply, items[0]);
  if (items[0]?.kind === "upgrade") return readUpgradeReply(reply, items[0]);
  const stage = readGoto(reply);
  if (stage !== undefined) return { goto: stage };
  const contradiction = explainContradiction(
    reply,
    items.map(({ id }) => id),
  );
  if (contradiction !== undefined) return { errors: [contradiction] };
  const replies = toList(reply, items);
  const other = replies
    .map((each) => readAddressed(each)?.request)
    .find((name) => name !== undefined && name !== open);
  if (open !== undefined && other !== undefined)
    return { errors: [`The reply is for request "${other}", which is not open. Open: "${open}".`] };
  if (replies.length === 0) return { errors: [`The reply holds no decision; ${describe(items)}.`] };
  if (replies.length > items.length) {
    return { errors: [`The reply holds ${replies.length} decisions for ${items.length} item(s).`] };
  }
  if (replies.length === 1 && items.length > 1 && !isDecision(replies[0])) {
    return { errors: [`A plain value cannot answer ${items.length} items at once; ${describe(items)}.`] };
  }
  const read = replies.map((reply, index) => readDecision(reply, items[index]!));
  const errors = read.flatMap((result) => ("error" in result ? [result.error] : []));
  if (errors.length > 0) return { errors };
  return { decisions: read.flatMap((result) => ("error" in result ? [] : [result])) };
}

/** A stage to go to, alone or as the one decision. */
function readGoto(reply: unknown): string | undefined {
  const value = record.safeParse(reply).data;
  const only = Array.isArray(value?.decisions) && value.decisions.length === 1 ? value.decisions[0] : value;
  const { type, ...rest } = record.safeParse(only).data ?? {};
  if (type === "stop" && Object.keys(rest).length === 0) return END_STAGE;
  const keys = Object.keys(rest).join();
  const stage = rest.goto ?? (type === "goto" ? rest.stage : undefined);
  const isGoto = (type === undefined || type === "goto") && (keys === "goto" || keys === "stage");
  return isGoto && typeof stage === "string" && stage !== "" ? stage : undefined;
}

function toList(reply: unknown, items: ReviewItem[]): unknown[] {
  const value = record.safeParse(reply).data;
  if (value && Array.isArray(value.decisions)) return value.decisions;
  if (Array.isArray(reply) && reply.length > 0 && reply.every(isDecision)) return reply;
  // A word for each item. Where something is asked in words the list may be its answer.
  const takesWords = items.some(({ allowed }) => allowed.includes("respond"));
  if (Array.isArray(reply) && !takesWords && reply.length > 0 && reply.every(isClear)) return reply;
  if (reply === undefined || reply === null) return [];
  // A decision is one also where a skill is called as one of its keys.
  if (isDecision(reply)) return [reply];
  const byId = value && items.filter((item) => Object.hasOwn(value, item.id));
  if (value && byId && byId.length > 0) {
    const isGapless = items.slice(0, byId.length).every((item) => Object.hasOwn(value, item.id));
    return isGapless ? byId.map((item) => value[item.id]) : [];
  }
  return [reply];
}

function isDecision(reply: unknown): boolean {
  return readType(reply) !== undefined;
}

/** A decision, or a bare word for one. */
function isClear(reply: unknown): boolean {
  return isDecision(reply) || readWord(reply) !== undefined;
}

function readDecision(reply: unknown, item: ReviewItem): ItemDecision | { error: string } {
  const type = readType(reply);
  const contradiction = explainContradiction(reply) ?? explainLostFields(reply, item);
  if (contradiction !== undefined) return { error: contradiction };
  const decision = type ? readTyped(type, record.parse(reply), item) : readBare(reply, item);
  if ("error" in decision) return decision;
  const said = decision.type === "edit" ? decision.args : "value" in decision ? decision.value : undefined;
  const fault = explainAlways(reply, decision, item) ?? findFormFault(said, item, false);
  if (fault !== undefined) return { error: fault };
  // A late answer to the question about a changed skill must not decide whether one is loaded.
  if (item.kind === "skill" && decision.type === "respond" && isDriftAnswer(decision.value)) {
    return toNoConsent(decision.value, item);
  }
  // Agent Inbox has one way to say no with a reason: a response. A form takes fields, and words are none.
  const isRefusal =
    decision.type === "respond" &&
    typeof decision.value === "string" &&
    (item.gate === "form" ? !decision.value.trim().startsWith("{") : !item.allowed.includes("respond"));
  if (isRefusal && item.allowed.includes("reject"))
    return { type: "reject", message: String(decision.value) };
  if (item.allowed.includes(decision.type)) return decision;
  if (decision.type === "approve" && item.kind === "question") {
    return { error: `"${item.description}" asks for an answer, not for an approval.` };
  }
  return { error: `"${decision.type}" is no decision for ${item.name}; choose ${item.allowed.join(", ")}.` };
}

function readTyped(
  type: DecisionType,
  reply: Record<string, unknown>,
  item: ReviewItem,
): ItemDecision | { error: string } {
  if (type === "approve") return isAlways(reply) ? { type, always: true } : { type };
  if (type === "reject") {
    const message = reply.message ?? reply.feedback ?? reply.reason ?? reply.args;
    return typeof message === "string" && message !== "" ? { type, message } : { type };
  }
  if (type === "edit") {
    const written = reply.edited_action ?? reply.editedAction ?? reply.args ?? reply.value;
    const action = toRecord(written);
    const args = toRecord(action?.args ?? action) ?? wrapOutput(written, item);
    return args
      ? { type, args }
      : { error: "An edit needs edited_action.args, an object with the new arguments." };
  }
  // Clients with typed fields send all of them: null is an answer where no other field has one.
  const said = ["value", "message", "args", "answer", "response"].filter((name) => reply[name] !== undefined);
  const key = said.find((name) => reply[name] !== null) ?? said[0];
  return key === undefined
    ? { error: "A response needs a message." }
    : { type: "respond", value: reply[key] };
}

/** `false`, `0` and `""` are answers to a question, and a plain yes or no to everything else. */
function readBare(reply: unknown, item: ReviewItem): ItemDecision | { error: string } {
  if (item.kind === "question") return { type: "respond", value: reply };
  const type = readWord(reply);
  if (type === "approve") return isAlways(reply) ? { type, always: true } : { type };
  if (type === "reject") return { type };
  const args = record.safeParse(reply).data;
  // Meant as a decision in words that nobody knows: to take it for new arguments could run what was refused.
  const stray = args && STRAY_KEYS.find((key) => Object.hasOwn(args, key) && !isField(key, item));
  if (stray !== undefined) {
    return {
      error: `"${stray}": ${quote(args?.[stray])} is no decision for ${item.name}; choose ${item.allowed.join(", ")}.`,
    };
  }
  if (args && (item.kind === "call" || item.kind === "stage") && isOfItem(args, item)) {
    return item.gate === "form" ? { type: "respond", value: args } : { type: "edit", args };
  }
  if (item.kind === "skill") return toNoConsent(reply, item);
  const output = typeof reply === "string" ? undefined : wrapOutput(reply, item);
  if (output)
    return item.gate === "form" ? { type: "respond", value: reply } : { type: "edit", args: output };
  const fault = findFormFault(reply, item, true);
  if (fault !== undefined) return { error: fault };
  if (typeof reply === "string" && reply.trim() !== "") {
    return item.kind === "outcome" ? { type: "respond", value: reply } : { type: "reject", message: reply };
  }
  return {
    error: `${quote(reply)} is no decision for ${item.name}; choose ${item.allowed.join(", ")}.`,
  };
}

/** Whether a skill is loaded takes a clear yes or no. */
function toNoConsent(reply: unknown, { name }: ReviewItem): { error: string } {
  return { error: `${quote(reply)} is no yes or no to loading the skill "${name}"; choose approve, reject.` };
}

/** The new output of a stage where that is no object: arguments are, so it stands in one. */
function wrapOutput(written: unknown, { kind, form }: ReviewItem): Record<string, unknown> | undefined {
  const types = [form?.type ?? []].flat();
  const isWrapped = kind === "stage" && types.length > 0 && !types.includes("object");
  return isWrapped && typeof written === "object" && written !== null ? { output: written } : undefined;
}

/** An object, or one that came as text. */
function toRecord(value: unknown): Record<string, unknown> | undefined {
  return record.safeParse(value).data ?? readJsonObject(value);
}

function quote(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}

/** New arguments name what is there to be changed: an object of other words is no answer, and opens nothing. */
function isOfItem(args: Record<string, unknown>, item: ReviewItem): boolean {
  const keys = Object.keys(args);
  const isKnown = (key: string) => isField(key, item);
  return item.kind === "call" ? keys.some(isKnown) : keys.length > 0 && keys.every(isKnown);
}

/** A yes takes what is shown: values that stand beside it would be lost, and what they were to change goes on. */
function explainLostFields(reply: unknown, item: ReviewItem): string | undefined {
  if (readType(reply) !== "approve") return undefined;
  const keys = Object.keys(record.safeParse(reply).data ?? {});
  const lost = keys.find((key) => isField(key, item) && !DECISION_KEYS.includes(key));
  return lost === undefined
    ? undefined
    : `"${lost}" stands beside "approve", which changes nothing; send {"type":"edit","args":{…}} or approve alone.`;
}

function isField(key: string, { args, form }: ReviewItem): boolean {
  return Object.hasOwn(args, key) || Object.hasOwn(record.safeParse(form?.properties).data ?? {}, key);
}

function describe(items: ReviewItem[]): string {
  return `send {"decisions":[…]} with one decision each for ${items.map((item) => `${item.name} (${item.id})`).join(", ")}`;
}
