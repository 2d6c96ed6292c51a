import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { emitEvent } from "../events.ts";
import type { ReadReply } from "../review/reply.ts";
import type { ItemDecision, ReviewItem } from "../review/review-item.ts";
import { readRun } from "../run.ts";
import type { AuditRecord, PendingCall, StateUpdate } from "../state.ts";
import { describeUpgrade } from "../upgrade/upgrade-reply.ts";
import { toLine } from "./line.ts";
import { type SubjectPlace, toSubject } from "./subject.ts";

/** Longest reason of a record, in characters. */
const REASON_LIMIT = 500;

/** Where records are made: under `config`, watchers are told. */
export interface AuditPlace extends SubjectPlace {
  config: LangGraphRunnableConfig;
}

/** Where an answer is recorded: `request` is the id of what was asked. */
interface AnswerPlace extends AuditPlace {
  request: string;
}

/** The first verdict of each call, as the records of a step. */
export function recordVerdicts(calls: PendingCall[], place: AuditPlace): Pick<StateUpdate, "audit"> {
  return keep(
    calls.map((call) => toVerdict(call, place)),
    place,
  );
}

/** Verdicts that are other ones now than when the calls were last looked at. */
export function recordChanges(
  before: PendingCall[],
  after: PendingCall[],
  place: AuditPlace,
): Pick<StateUpdate, "audit"> {
  return recordVerdicts(
    after.filter(({ status }, index) => status !== before[index]?.status),
    place,
  );
}

/**
 * A person's word on what they were asked, or the refusal that the mode speaks in their place.
 *
 * @param after the calls as the word leaves them
 */
export function recordAnswers(
  items: ReviewItem[],
  reply: Exclude<ReadReply, { errors: string[] }>,
  { after, by, ...place }: AnswerPlace & { after: PendingCall[]; by: "person" | "mode" },
): Pick<StateUpdate, "audit"> {
  const answered = "goto" in reply ? items : items.slice(0, reply.decisions.length);
  const records = answered.flatMap((item, index): AuditRecord[] => {
    const decision = "goto" in reply ? reply : reply.decisions[index]!;
    const call = after.find(({ id }) => id === item.id);
    // What an edit makes of a call is what may run.
    const input = item.kind === "call" ? (call?.input ?? item.args) : item.args;
    const record: AuditRecord = {
      ...toRecord(item, input, place),
      verdict: by === "mode" ? "deny" : "goto" in decision ? "goto" : decision.type,
      by,
      request: place.request,
      ...(by === "person" ? { who: readRun(place.config).who } : {}),
      reason: toLine(
        by === "mode" ? "the mode refuses questions" : explainWord(decision, item),
        REASON_LIMIT,
      ),
      ...(call?.always ? { always: call.always } : {}),
    };
    // A changed call is decided anew, and may be asked about once more.
    const isAskedAgain = "type" in decision && decision.type === "edit" && call?.status === "ask";
    return isAskedAgain ? [record, toVerdict(call, place)] : [record];
  });
  return keep(records, place);
}

/** Questions to which a new message came instead of an answer. */
export function recordWithdrawn(items: ReviewItem[], place: AnswerPlace): Pick<StateUpdate, "audit"> {
  const records = items.map(
    (item): AuditRecord => ({
      ...toRecord(item, item.args, place),
      verdict: "reject",
      by: "person",
      request: place.request,
      who: readRun(place.config).who,
      reason: "a new message came instead of an answer",
    }),
  );
  return keep(records, place);
}

/** What was answered to questions that calls of a caller's own tools asked. */
export function recordToolAnswers(calls: PendingCall[], place: AuditPlace): AuditRecord[] {
  const { who, request } = readRun(place.config);
  const records = calls.map(
    (call): AuditRecord => ({
      ...toRecord({ id: call.id, kind: "question", name: call.tool }, call.input, place),
      verdict: "respond",
      by: "person",
      ...(request === undefined ? {} : { request }),
      who,
      reason: "the person answered",
    }),
  );
  return keep(records, place).audit ?? [];
}

/** Gates that were opened without a person. */
export function recordAutoGates(items: ReviewItem[], place: AuditPlace): AuditRecord[] {
  const records = items.map(
    (item): AuditRecord => ({
      ...toRecord(item, item.args, place),
      verdict: "approve",
      by: "mode",
      reason: "the stage says auto, and such gates are opened without a person",
    }),
  );
  return keep(records, place).audit ?? [];
}

function toRecord(
  { id, kind, name }: Pick<ReviewItem, "id" | "kind" | "name">,
  input: Record<string, unknown>,
  place: AuditPlace,
): Pick<AuditRecord, "at" | "id" | "kind" | "name" | "subject"> {
  const subject = toSubject({ tool: name, input }, place);
  return { at: now(), id: toLine(id), kind, name: toLine(name), subject };
}

function toVerdict(call: PendingCall, place: AuditPlace): AuditRecord {
  const { id, tool, status, reason, rule, skill, byMode } = call;
  return {
    at: now(),
    id: toLine(id),
    kind: "call",
    name: toLine(tool),
    subject: toSubject(call, place),
    verdict: status === "ask" ? "ask" : status === "settled" ? "deny" : "allow",
    by: byMode ? "mode" : "rules",
    reason: toLine(reason.replace(/^Not allowed: /, ""), REASON_LIMIT),
    ...(rule === undefined ? {} : { rule: toLine(rule) }),
    ...(skill === undefined ? {} : { skill }),
  };
}

function explainWord(decision: ItemDecision | { goto: string }, { kind }: ReviewItem): string {
  if ("goto" in decision) return `the person went to "${decision.goto}"`;
  switch (decision.type) {
    case "approve":
      return kind === "outcome" ? "the person lets it run again" : "the person said yes";
    case "edit":
      return "the person changed it";
    case "reject":
      return decision.message === undefined
        ? "the person said no"
        : `the person said no: ${decision.message}`;
    case "respond":
      if (kind === "upgrade") return `the person chose "${describeUpgrade(decision.value)}"`;
      return kind === "drift" ? `the person chose "${decision.value}"` : "the person answered";
  }
}

function now(): string {
  return new Date().toISOString();
}

/** What a node returns is kept once, however often it begins: only then is a record there. */
function keep(records: AuditRecord[], { config }: Pick<AuditPlace, "config">): Pick<StateUpdate, "audit"> {
  for (const record of records) emitEvent(config, { type: "call-decided", ...record });
  return records.length === 0 ? {} : { audit: records };
}
