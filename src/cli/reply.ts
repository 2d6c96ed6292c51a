import { SkillgraphError } from "../errors.ts";
import type { ReviewItem, ReviewRequest } from "../graph/request.ts";
import { pickOne, type ResumeFlags } from "./flags.ts";

/** One decision, as the graph reads it. */
export type Decision =
  | { type: "approve" }
  | { type: "edit"; edited_action: { name: string; args: Record<string, unknown> } }
  | { type: "reject"; message: string }
  | { type: "respond"; value: unknown };

/** A whole reply: decisions for the first items, in order. */
export interface Reply {
  decisions: Decision[];
}

const ANSWERS = ["approve", "reject", "edit", "answer", "goto"] as const;

/**
 * The kind of answer that the flags give, or undefined for none.
 *
 * @throws SkillgraphError `usage` for two answers at once and for `--goto`, which needs stages
 */
export function pickAnswer(flags: ResumeFlags): Exclude<(typeof ANSWERS)[number], "goto"> | undefined {
  const answer = pickOne(flags, ANSWERS);
  if (answer === "goto")
    throw new SkillgraphError("usage", `There is no stage to go to: --goto "${flags.goto}".`);
  return answer;
}

/**
 * Turns the flags into a reply to a request. `--approve` and `--reject` are for every item that takes them, from
 * the first on; `--answer` and `--edit` are for the one open item, or for items by id.
 *
 * @throws SkillgraphError `answer-invalid` when the answer does not fit what is asked
 */
export function toReply(flags: ResumeFlags, request: ReviewRequest): Reply | undefined {
  const answer = pickAnswer(flags);
  if (answer === undefined) return undefined;
  // A tool of a caller asked in words of its own.
  if (!Array.isArray(request.items))
    return { decisions: [{ type: "respond", value: flags.answer ?? flags.reject }] };
  switch (answer) {
    case "approve":
      return { decisions: approve(request.items) };
    case "reject":
      return { decisions: request.items.map(() => ({ type: "reject", message: flags.reject ?? "" })) };
    case "edit":
      return { decisions: edit(flags.edit ?? "", request.items) };
    case "answer":
      return { decisions: respond(flags.answer ?? "", request.items) };
  }
}

/**
 * Reads an answer: JSON when it is JSON, else the text as it was typed. A number that JSON would change, such as
 * 1.10 or 007, stays text.
 */
export function parseAnswer(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) return text;
  if (typeof value === "number" && String(value) !== text.trim()) return text;
  return value;
}

/** Items after a question stay open: their turn comes when it is answered. */
function approve(items: ReviewItem[]): Decision[] {
  const first = items.findIndex((item) => !item.allowed.includes("approve"));
  if (first === 0) {
    throw invalid(`"${items[0]?.description}" asks for an answer, not for an approval: use --answer TEXT.`);
  }
  return items.slice(0, first === -1 ? undefined : first).map(() => ({ type: "approve" }));
}

function respond(text: string, items: ReviewItem[]): Decision[] {
  const value = parseAnswer(text);
  const byId = pickById(value, items, "--answer");
  if (byId) return byId.map(([item, answer]) => toResponse(item, answer));
  return items.slice(0, 1).map((item) => toResponse(item, value));
}

function toResponse(item: ReviewItem, value: unknown): Decision {
  if (!item.allowed.includes("respond")) {
    throw invalid(`${item.name} (${item.id}) asks for a decision, not for an answer: use ${toFlags(item)}.`);
  }
  if (value === null) throw invalid("null is no answer. Give a value, or use --reject TEXT to give none.");
  return { type: "respond", value };
}

function edit(text: string, items: ReviewItem[]): Decision[] {
  const value = parseJson(text);
  if (!isRecord(value)) throw invalid(`--edit takes a JSON object of new arguments, not ${quote(text)}.`);
  const edits =
    pickById(value, items, "--edit") ?? (items.length === 1 ? [[items[0]!, value] as const] : undefined);
  if (!edits) {
    const ids = items.map((item) => `"${item.id}"`).join(", ");
    throw invalid(`${items.length} items are open: --edit takes {"<item id>": {…}} here. Ids: ${ids}.`);
  }
  return edits.map(([item, args]) => {
    if (!item.allowed.includes("edit")) {
      throw invalid(`${item.name} (${item.id}) has no arguments to edit: use ${toFlags(item)}.`);
    }
    if (!isRecord(args))
      throw invalid(`--edit takes an object for "${item.id}", not ${quote(JSON.stringify(args))}.`);
    return { type: "edit", edited_action: { name: item.name, args } };
  });
}

/** Decisions are taken in order, so what is named by id must be the first items. */
function pickById(
  value: unknown,
  items: ReviewItem[],
  flag: string,
): (readonly [ReviewItem, unknown])[] | undefined {
  if (!isRecord(value) || !items.some((item) => Object.hasOwn(value, item.id))) return undefined;
  const count = Object.keys(value).length;
  const named = items.slice(0, count);
  const missing = named.find((item) => !Object.hasOwn(value, item.id));
  if (missing || count > items.length) {
    const ids = items.map((item) => `"${item.id}"`).join(", ");
    throw invalid(`${flag} must name open items from the first on, in this order: ${ids}.`);
  }
  return named.map((item) => [item, value[item.id]] as const);
}

function toFlags(item: ReviewItem): string {
  const flags = {
    approve: "--approve",
    edit: "--edit JSON",
    reject: "--reject TEXT",
    respond: "--answer TEXT",
  };
  return item.allowed.map((type) => flags[type]).join(", ");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // No JSON: the caller decides what the text is.
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

function invalid(message: string): SkillgraphError {
  return new SkillgraphError("answer-invalid", message);
}
