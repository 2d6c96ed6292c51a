import { SkillgraphError } from "../errors.ts";
import type { ReviewRequest } from "../graph/review/request.ts";
import type { ReviewItem } from "../graph/review/review-item.ts";
import { isRecord } from "../skills/record.ts";
import { END_STAGE } from "../skills/stages/stage-names.ts";
import { pickOne, type ResumeFlags } from "./flags.ts";
import { parseAnswer, parseJson } from "./json-text.ts";
import { listUpgradeAnswers } from "./render-upgrade.ts";
import {
  explainValues,
  isUnchanged,
  listDecisions,
  listPlaces,
  mergeOutput,
  readValues,
} from "./stage-item.ts";

/** One decision, as the graph reads it. */
export type Decision =
  | { type: "approve"; always?: true }
  | { type: "edit"; edited_action: { name: string; args: Record<string, unknown> } }
  | { type: "reject"; message: string }
  | { type: "respond"; value: unknown };

/** Back to a stage of the wizard, or to its end. */
export interface GoTo {
  goto: string;
}

/** A whole reply: decisions for the first items, in order, or where to go instead. */
export type Reply = { decisions: Decision[] } | GoTo;

const ANSWERS = ["approve", "reject", "edit", "answer", "goto"] as const;

/**
 * The kind of answer that the flags give, or undefined for none.
 *
 * @throws SkillgraphError `usage` for two answers at once, and for `--always` without `--approve`
 */
export function pickAnswer(flags: ResumeFlags): (typeof ANSWERS)[number] | undefined {
  const answer = pickOne(flags, ANSWERS);
  if (flags.always && answer !== "approve") {
    const got = answer === undefined ? "alone" : `with --${answer}`;
    throw new SkillgraphError("usage", `--always goes with --approve; it was given ${got}.`);
  }
  return answer;
}

/**
 * Turns the flags into a reply to a request. `--approve` and `--reject` are for every item that takes them, from
 * the first on; `--always` beside `--approve` adds the rules of those that offer some; `--answer` and `--edit` are for the one open item, or for items by id; `--goto` leaves what is open.
 *
 * @throws SkillgraphError `answer-invalid` when the answer does not fit what is asked
 */
export function toReply(flags: ResumeFlags, request: ReviewRequest): Reply | undefined {
  const answer = pickAnswer(flags);
  if (answer === undefined) return undefined;
  if (answer === "goto") return goTo(flags.goto ?? "", request);
  // A tool of a caller asked in words of its own.
  if (!Array.isArray(request.items))
    return { decisions: [{ type: "respond", value: flags.answer ?? flags.reject }] };
  switch (answer) {
    case "approve":
      return { decisions: approve(request.items, flags.always === true) };
    case "reject":
      return { decisions: request.items.map(() => ({ type: "reject", message: flags.reject ?? "" })) };
    case "edit":
      return { decisions: edit(flags.edit ?? "", request.items) };
    case "answer":
      return { decisions: respond(flags.answer ?? "", request.items) };
  }
}

/** Whatever a wizard waits for names the stages that one can go back to; a run can be ended anywhere. */
function goTo(name: string, { items }: ReviewRequest): GoTo {
  const place = name.normalize("NFC");
  const item = Array.isArray(items) ? items[0] : undefined;
  // Without a wizard it is the run that ends.
  if (item && place === END_STAGE) return { goto: place };
  if (item?.back === undefined) {
    const why = "What waits here belongs to no wizard, so there is no stage to go to";
    throw invalid(`${why}: --goto ${quote(name)}.${item ? ` Choices: ${END_STAGE} (ends the run).` : ""}`);
  }
  const places = listPlaces(item);
  if (places.includes(place)) return { goto: place };
  throw invalid(
    `--goto cannot go to ${quote(name)}. Choices: ${places.join(", ")} (${END_STAGE} stops the wizard).`,
  );
}

/** Items after a question stay open: their turn comes when it is answered. */
function approve(items: ReviewItem[], always: boolean): Decision[] {
  const first = items.findIndex((item) => !item.allowed.includes("approve"));
  if (first === 0) {
    const [item] = items;
    if (item?.kind === "stage")
      throw invalid(`${toName(item)} cannot be approved as it is: use ${toFlags(item)}.`);
    if (item?.kind === "upgrade") {
      const flags = listUpgradeAnswers(item).map(({ flag }) => flag);
      throw invalid(`A yes does not say where the wizard "${item.name}" goes on: use ${flags.join(", ")}.`);
    }
    throw invalid(`"${item?.description}" asks for an answer, not for an approval: use --answer TEXT.`);
  }
  const approved = items.slice(0, first === -1 ? undefined : first);
  if (always && !approved.some(offersAlways)) {
    const names = approved.map(toName).join(", ");
    throw invalid(`--always adds a rule, and none is offered for ${names}: use --approve alone.`);
  }
  return approved.map((item) =>
    always && offersAlways(item) ? { type: "approve", always } : { type: "approve" },
  );
}

function offersAlways({ always = [] }: ReviewItem): boolean {
  return always.length > 0;
}

function respond(text: string, items: ReviewItem[]): Decision[] {
  const value = readAnswer(text, items);
  const byId = pickById(value, items, "--answer");
  if (byId) return byId.map(([item, answer]) => toResponse(item, answer));
  return items.slice(0, 1).map((item) => {
    const fault = isForm(item) ? explainValues(text, item) : undefined;
    if (fault !== undefined)
      throw invalid(`${fault} Use --answer JSON, --answer NAME=VALUE, or --reject TEXT to send it back.`);
    return toResponse(item, value);
  });
}

function isForm({ kind, allowed }: ReviewItem): boolean {
  return kind === "stage" && allowed.includes("respond");
}

/** The values of a form may be one `name=value`. */
function readAnswer(text: string, [item]: ReviewItem[]): unknown {
  const values = item && (item.kind === "stage" || item.form) ? readValues(text, item) : undefined;
  return values ?? parseAnswer(text);
}

function toResponse(item: ReviewItem, value: unknown): Decision {
  if (!item.allowed.includes("respond")) {
    throw invalid(`${toName(item)} asks for a decision, not for an answer: use ${toFlags(item)}.`);
  }
  if (value === null) throw invalid("null is no answer. Give a value, or use --reject TEXT to give none.");
  return { type: "respond", value };
}

function edit(text: string, items: ReviewItem[]): Decision[] {
  const value = parseJson(text);
  const what = items[0]?.kind === "stage" ? "output" : "arguments";
  if (!isRecord(value)) throw invalid(`--edit takes a JSON object of new ${what}, not ${quote(text)}.`);
  const edits =
    pickById(value, items, "--edit") ?? (items.length === 1 ? [[items[0]!, value] as const] : undefined);
  if (!edits) {
    const ids = items.map((item) => `"${item.id}"`).join(", ");
    throw invalid(`${items.length} items are open: --edit takes {"<item id>": {…}} here. Ids: ${ids}.`);
  }
  return edits.map(([item, args]) => {
    if (!item.allowed.includes("edit")) {
      throw invalid(`${toName(item)} has no arguments to edit: use ${toFlags(item)}.`);
    }
    if (!isRecord(args))
      throw invalid(`--edit takes an object for "${item.id}", not ${quote(JSON.stringify(args))}.`);
    const edited = item.kind === "stage" ? mergeOutput(item, args) : args;
    if (!edited)
      throw invalid(
        `${toName(item)} hands over a summary only: --edit takes {"summary": TEXT}, not ${quote(text)}.`,
      );
    if (isUnchanged(item, edited)) throw invalid(`--edit ${clip(text)} changes nothing; use --approve.`);
    return toEdit(item, edited);
  });
}

/** An edit of a call's arguments, or of what a stage hands over. */
export function toEdit({ name }: ReviewItem, args: Record<string, unknown>): Decision {
  return { type: "edit", edited_action: { name, args } };
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

function toName(item: ReviewItem): string {
  return item.kind === "stage" ? `The stage "${item.stage}"` : `${item.name} (${item.id})`;
}

function toFlags(item: ReviewItem): string {
  const isStage = item.kind === "stage";
  const flags = {
    approve: "--approve",
    edit: "--edit JSON",
    reject: "--reject TEXT",
    respond: isStage ? "--answer JSON" : "--answer TEXT",
  };
  return [
    ...(isStage ? listDecisions(item) : item.allowed).map((type) => flags[type]),
    ...(isStage ? ["--goto STAGE"] : []),
  ].join(", ");
}

function quote(text: string): string {
  return JSON.stringify(clip(text));
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function invalid(message: string): SkillgraphError {
  return new SkillgraphError("answer-invalid", message);
}
