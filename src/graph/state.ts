import type { BaseMessage } from "@langchain/core/messages";
import { DeltaValue, MessagesDeltaValue, messagesDeltaReducer, StateSchema } from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { z } from "zod";
import { activeSkill, pendingDrift, skillRecord, wantedSkill } from "./skill-state.ts";

/**
 * One tool call of the current turn, from the model's request to its result.
 * `ready` runs next · `ask` and `question` wait for a person · `unknown` was begun and its end is not known ·
 * `gate` completed a stage and waits for a person · `settled` has its text without running · `load` is a skill to
 * load · `done` has its result in the messages.
 */
const pendingCall = z.object({
  id: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  status: z.enum(["ready", "ask", "question", "unknown", "gate", "settled", "load", "done"]),
  /** Why it is asked, allowed or refused, in one sentence. */
  reason: z.string(),
  /** True when a person allowed this very call. */
  approved: z.boolean().optional(),
  /** What the person was told when they allowed it: another reason is another question. */
  approvedFor: z.string().optional(),
  /** The rule that decided, and the skill that brings it; absent for a rule of the settings. */
  rule: z.string().optional(),
  skill: z.string().optional(),
  /** True when the mode made this of a question. */
  byMode: z.boolean().optional(),
  /** What it is known to write. Of a call that asks. */
  writes: z.array(z.string()).optional(),
  /** What it would change of a file that is there, as a patch. Of a call that asks. */
  difference: z.string().optional(),
  /** Rules that a yes may add, as they are shown: what the call lacks to be allowed. Of a call that asks or asked. */
  offered: z.array(z.string()).optional(),
  /** Rules that the person adds with their yes; written when the call is next looked at. */
  always: z.array(z.string()).optional(),
  /** True when a person changed its input. */
  edited: z.boolean().optional(),
  /** The text of its result, once known without running. */
  result: z.string().optional(),
  failed: z.boolean().optional(),
  /** What was answered to the questions that its own body asked. */
  answers: z.array(z.unknown()).optional(),
  /** The run in which it began. */
  life: z.string().optional(),
});

/** What `route` decided last, and from what. */
const routeDecision = z.object({
  /** `unload`: the message lets a skill go, and needs no model. */
  method: z.enum(["person", "model", "none", "unload"]),
  names: z.array(z.string()),
  candidates: z.number(),
  reason: z.string(),
  catalogDigest: z.string(),
  /** The person's message it answered. */
  messageId: z.string().optional(),
  /** How the catalog was shown to the model: what did not fit its budget is counted, and the first are named. */
  offer: z
    .object({
      offered: z.number(),
      /** Descriptions that were cut, and to how many characters. */
      cut: z.number(),
      limit: z.number().optional(),
      /** Skills of which only the name is shown. */
      namesOnly: z.number(),
      /** Skills that are only found by a search. */
      unlisted: z.number(),
      shortened: z.array(z.string()),
    })
    .optional(),
});

/** Why a run ended without an answer. Cleared by the next run. */
const stop = z.object({ code: z.enum(["step-limit", "faulty-calls", "declined"]), reason: z.string() });

/** One decision on one call, or on what else a person was asked. Written once, read by whoever looks back. */
const auditRecord = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** Id of the call, or of what else was decided. */
  id: z.string(),
  kind: z.enum(["call", "question", "outcome", "skill", "stage", "drift", "upgrade"]),
  /** The tool, the skill, or skill and stage with a slash between. */
  name: z.string(),
  /** What it was for, in one line: a command, a path, an address; shortened. */
  subject: z.string(),
  verdict: z.enum(["allow", "ask", "deny", "approve", "edit", "reject", "respond", "goto"]),
  /** `rules`: allow, ask and deny by the policy and the grants · `mode`: what the mode made of a question. */
  by: z.enum(["rules", "mode", "person"]),
  reason: z.string(),
  rule: z.string().optional(),
  /** The skill that brings the rule. */
  skill: z.string().optional(),
  /** The request that was answered. */
  request: z.string().optional(),
  /** The person who answered, as far as it is known: `anna@host`, or the name that a caller gave. */
  who: z.string().optional(),
  /** Rules that the person added. */
  always: z.array(z.string()).optional(),
});

/** Values of a form that do not fit yet: those that do, and why the others do not, by their names. */
const formDraft = z.object({
  /** Id of the item that they are for. */
  item: z.string(),
  values: z.record(z.string(), z.unknown()),
  faults: z.record(z.string(), z.string()),
});

/** How far the wizard under way has come, for people. */
const progress = z.object({
  skill: z.string(),
  stage: z.string(),
  title: z.string(),
  /** Which stage it is, counted from one. */
  number: z.number(),
  total: z.number(),
  /** `waiting`: for a person. */
  status: z.enum(["working", "waiting", "finished", "stopped"]),
  /** All of it in a line: `2/4 plan · waiting for you`. */
  line: z.string(),
});

/** Counters of one run, which is one life of the graph on a thread. */
const run = z.object({ life: z.string(), modelCalls: z.number(), faultyTurns: z.number() });

const usage = z.object({ inputTokens: z.number(), outputTokens: z.number(), modelCalls: z.number() });

const facts = {
  /** Version of the graph that wrote the thread last; 0 from before versions were kept. */
  version: z.number().default(0),
  /** Null where no wizard was under way. */
  progress: progress.nullable().default(null),
  active: z.array(activeSkill).default([]),
  wanted: z.array(wantedSkill).default([]),
  calls: z.array(pendingCall).default([]),
  decision: routeDecision.nullable().default(null),
  /** Why the last reply could not be used; shown when the review asks again. */
  reviewErrors: z.array(z.string()).default([]),
  draft: formDraft.nullable().default(null),
  stop: stop.nullable().default(null),
  run: run.default({ life: "", modelCalls: 0, faultyTurns: 0 }),
  usage: usage.default({ inputTokens: 0, outputTokens: 0, modelCalls: 0 }),
  /** Names of skills that were loaded or asked for, the latest first. */
  recent: z.array(z.string()).default([]),
  /** What happened to skills, the latest last. */
  loads: z.array(skillRecord).default([]),
  /** Skills whose `paths` fit a file that was worked with. */
  unlocked: z.array(z.string()).default([]),
  drifts: z.array(pendingDrift).default([]),
};

/** Updates of a channel until all of it is written again. More make long threads smaller and slower to read. */
const SNAPSHOT_EVERY = 500;
/** The same where about one update is written in a turn: a reader asks every step since, whether it wrote one. */
const RARE_SNAPSHOT_EVERY = 150;

const messages = new DeltaValue(MessagesDeltaValue.valueSchema, {
  reducer: messagesDeltaReducer,
  snapshotFrequency: SNAPSHOT_EVERY,
});

/** Texts by digest: only what is new is written into a checkpoint. */
const texts = new DeltaValue(z.record(z.string(), z.string()).default({}), {
  reducer: (state: Record<string, string>, writes: Record<string, string>[]) =>
    Object.assign({}, state, ...writes) as Record<string, string>,
});

/** Only what is new is written into a checkpoint. */
const audit = new DeltaValue(z.array(auditRecord).default([]), {
  reducer: (state: AuditRecord[], writes: AuditRecord[][]) => [...state, ...writes.flat()],
  snapshotFrequency: RARE_SNAPSHOT_EVERY,
});

const channels = new StateSchema({ messages, texts, audit, ...facts });

const messagesExtra = {
  jsonSchemaExtra: { langgraph_type: "messages", description: "Chat messages" },
} as const;

/**
 * The state as clients see it. The real channels are in {@link stateChannels}: a zod state alone would reset
 * every field at each new message, and a StateSchema alone shows no context form in Studio.
 */
export const stateSchema = z.object({
  messages: withLangGraph(z.array(z.any()).default([]) as unknown as z.ZodType<BaseMessage[]>, messagesExtra),
  texts: z.record(z.string(), z.string()).default({}),
  audit: z.array(auditRecord).default([]),
  ...facts,
});

/** What a client may send: messages, and nothing else. */
export const inputSchema = z.object({
  messages: withLangGraph(z.array(z.any()).optional() as unknown as z.ZodType<BaseMessage[]>, messagesExtra),
});

/** What a client may set for a run. Nothing in it widens what may run: permissions come from the settings. */
export const contextSchema = z.strictObject({
  model: z.string().optional().describe("Model for this run; the session's model by default."),
  skills: z
    .array(z.string())
    .optional()
    .describe("Names of the skills that the model is offered; all by default."),
  wizard: z.string().optional().describe("Wizard skill that a new thread is worked through."),
});

/** The channels that keep the state. */
export function stateChannels(): ReturnType<typeof channels.getChannels> {
  return channels.getChannels();
}

export type State = typeof channels.State;
export type StateUpdate = Partial<{ [Key in keyof State]: State[Key] }>;
export type PendingCall = z.infer<typeof pendingCall>;
export type RouteDecision = z.infer<typeof routeDecision>;
export type Stop = z.infer<typeof stop>;
export type Progress = z.infer<typeof progress>;
export type FormDraft = z.infer<typeof formDraft>;
export type AuditRecord = z.infer<typeof auditRecord>;
