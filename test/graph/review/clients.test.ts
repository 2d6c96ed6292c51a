import { describe, expect, it } from "vitest";
import { toDriftItem } from "../../../src/graph/drift/drift-item.ts";
import { readReply } from "../../../src/graph/review/reply.ts";
import { type ReviewRequest, toClientShapes, toReviewRequest } from "../../../src/graph/review/request.ts";
import type { PendingCall, State } from "../../../src/graph/state.ts";
import type { Stage } from "../../../src/skills/stages/stage.ts";

const base: PendingCall = {
  id: "c1",
  tool: "Write",
  input: { path: "a" },
  status: "ask",
  reason: "unlisted",
};
const form = {
  type: "object",
  required: ["level", "day"],
  properties: {
    level: { enum: ["minor", "major"] },
    day: { type: "string", format: "date" },
    areas: { type: "array", items: { enum: ["docs", "code"] }, uniqueItems: true },
    final: { type: "boolean" },
    rounds: { type: "integer", default: 2 },
  },
};
const output = { type: "object", properties: { days: { type: "integer" }, route: { type: "string" } } };

function openGate(stage: Partial<Stage>, handed: unknown): ReviewRequest {
  const whole: Stage = {
    ...{ id: "plan", title: "Plan", gate: "approve", allowedTools: [], restrict: false, needs: [] },
    ...{ maxAttempts: 3, text: "Plan." },
    ...stage,
  };
  const digest = JSON.stringify(stage);
  const wizard = {
    ...{ digest, anchor: "", stage: "plan", status: "gate", results: [], attempts: 0, failures: [] },
    handed: { summary: "Done.", output: handed },
  };
  const active = [{ name: "trip", directory: "/", wizard }] as unknown as State["active"];
  const texts = { [digest]: JSON.stringify({ intro: "", stages: [whole] }) };
  const calls: PendingCall[] = [{ ...base, tool: "CompleteStage", input: {}, status: "gate" }];
  return toReviewRequest({ calls, wanted: [], active, texts, reviewErrors: [] });
}

const ask = (call: Partial<PendingCall>, wanted: State["wanted"] = []) =>
  toReviewRequest({
    calls: wanted.length > 0 ? [] : [{ ...base, ...call }],
    wanted,
    active: [],
    reviewErrors: [],
  });
const driftItem = toDriftItem({
  ...{ name: "tidy", path: "SKILL.md", files: ["SKILL.md (changed)"], digest: "d", difference: "" },
} as never);

const requests: Record<string, ReviewRequest> = {
  approve: openGate({ output }, { days: 2, route: "by train" }),
  list: openGate({ output: { type: "array", items: { type: "string" } } }, ["Rome"]),
  form: openGate({ gate: "form", form }, undefined),
  output: openGate({ gate: "form", output: form }, { level: "minor" }),
  call: ask({}),
  question: ask({ tool: "AskUser", input: { question: "Who?" }, status: "question" }),
  questions: ask({ tool: "AskUser", input: { question: "Who?", form }, status: "question" }),
  outcome: ask({ status: "unknown" }),
  skill: ask({}, [{ name: "tidy", arguments: "", chosenBy: "model", consent: "it is not trusted" }]),
  drift: { id: "req-1", items: [driftItem], ...toClientShapes([driftItem], [driftItem.form]) },
};
const kinds = Object.keys(requests);
const read = (kind: string, reply: unknown) => readReply(reply, requests[kind]?.items ?? []);
const find = (kind: string): ReviewRequest => requests[kind] ?? ask({});

/** True where agent-chat-ui renders an interrupt as cards: src/lib/agent-inbox-interrupt.ts there. */
function passesChat({ action_requests: actions, review_configs: configs }: ReviewRequest): boolean {
  const isFull = (list: unknown) => Array.isArray(list) && list.length > 0;
  return (
    isFull(actions) &&
    isFull(configs) &&
    actions.every(
      ({ name, args }) => typeof name === "string" && typeof args === "object" && args !== null,
    ) &&
    configs.every((each) => typeof each.action_name === "string" && Array.isArray(each.allowed_decisions))
  );
}

/** What Agent Inbox makes of a request: src/components/agent-inbox/contexts/utils.ts there. */
function toInbox({ action_requests: [first], review_configs: [config] }: ReviewRequest) {
  const allowed = config?.allowed_decisions ?? [];
  return {
    action: { action: first?.name ?? "", args: first?.arguments ?? {} },
    config: {
      allow_accept: allowed.includes("approve"),
      allow_edit: allowed.includes("edit"),
      allow_respond: allowed.includes("reject"),
    },
  };
}

/** Values as text fields send them back: what was no text as JSON. */
function toTyped(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

/** All that agent-chat-ui can send: src/components/thread/agent-inbox/utils.ts there, without the texts typed. */
function listChatReplies(request: ReviewRequest): unknown[] {
  const [action] = request.action_requests;
  const allowed: string[] = request.review_configs[0]?.allowed_decisions ?? [];
  const { name = "", args = {} } = action ?? {};
  const all = [
    { type: "approve" },
    { type: "reject", message: "Not like this." },
    { type: "edit", edited_action: { name, args: toTyped(args) } },
  ];
  return all.filter(({ type }) => allowed.includes(type)).map((decision) => ({ decisions: [decision] }));
}

/** All that Agent Inbox can send: src/components/agent-inbox/hooks/use-interrupted-actions.tsx there. */
function listInboxReplies(request: ReviewRequest): unknown[] {
  const { action, config } = toInbox(request);
  return [
    ...(config.allow_accept ? [[{ type: "accept", args: action }], [{ type: "accept", args: null }]] : []),
    ...(config.allow_edit ? [[{ type: "edit", args: { ...action, args: toTyped(action.args) } }]] : []),
    ...(config.allow_respond ? [[{ type: "response", args: "Not like this." }]] : []),
    [{ type: "ignore", args: null }],
  ];
}

describe("H8: a request of each kind", () => {
  it.each(kinds)("%s passes the checks of chat clients, and is plain JSON", (kind) => {
    const request = find(kind);
    expect(passesChat(request)).toBe(true);
    expect(toInbox(request).action.action).not.toBe("");
    expect(JSON.parse(JSON.stringify(request))).toEqual(request);
  });

  it("the check is one that a request without arguments fails", () => {
    const { action_requests: _actions, ...rest } = find("call");
    expect(passesChat({ ...rest, action_requests: [{ name: "x" }] } as never)).toBe(false);
    expect(passesChat({ ...rest, action_requests: [] })).toBe(false);
  });

  it.each(kinds)("%s takes whatever agent-chat-ui can send", (kind) => {
    const replies = listChatReplies(find(kind));
    expect(replies.length).toBeGreaterThan(0);
    for (const reply of replies) expect(read(kind, reply), JSON.stringify(reply)).toHaveProperty("decisions");
  });

  it.each(kinds)("%s takes whatever Agent Inbox can send", (kind) => {
    // A changed skill is answered with one of three words, so it asks again where the words are others.
    const replies = listInboxReplies(find(kind)).filter(
      (reply) => kind !== "drift" || !JSON.stringify(reply).includes("Not like"),
    );
    for (const reply of replies) expect(read(kind, reply), JSON.stringify(reply)).toHaveProperty("decisions");
  });

  it.each(kinds)("%s ends by __end__ in every dialect", (kind) => {
    const end = { goto: "__end__" };
    const decided = { type: "goto", stage: "__end__" };
    const all = [end, { resume: end }, { decisions: [end] }, { decisions: [decided] }, [end], "__end__"];
    for (const reply of [
      ...all,
      JSON.stringify(end),
      JSON.stringify({ decisions: [end] }),
      { resume: "__end__" },
    ]) {
      const stop = kind === "drift" ? { decisions: [{ type: "respond", value: "stop" }] } : end;
      expect(read(kind, reply), JSON.stringify(reply)).toEqual(stop);
    }
  });

  const yes = [
    true,
    "true",
    "yes",
    "approve",
    { resume: "yes" },
    { resume: true },
    '{"resume":"yes"}',
    '"yes"',
  ];
  it.each(["approve", "list", "call", "outcome", "skill"])("%s takes a yes of Studio", (kind) => {
    for (const reply of [
      ...yes,
      { decision: "approve" },
      { decisions: [{ type: "approve" }] },
      { resume: { decision: "yes" } },
    ])
      expect(read(kind, reply), JSON.stringify(reply)).toEqual({ decisions: [{ type: "approve" }] });
    for (const reply of [false, "no", { resume: "no" }, { decision: "reject" }])
      expect(read(kind, reply), JSON.stringify(reply)).toEqual({ decisions: [{ type: "reject" }] });
  });

  it.each(["form", "output"])("a yes is none to the form that needs values (%s)", (kind) => {
    for (const reply of yes) expect(read(kind, reply), JSON.stringify(reply)).toHaveProperty("errors");
  });

  const route = { route: "by bus" };
  it.each([
    { decision: "edit", value: route },
    { decision: "edit", value: JSON.stringify(route) },
    { resume: { decision: "edit", value: route } },
    JSON.stringify({ decision: "edit", value: route }),
    { resume: JSON.stringify({ resume: { decision: "edit", value: route } }) },
    { type: "edit", editedAction: { name: "trip/plan", args: route } },
    { type: "edit", edited_action: JSON.stringify({ args: route }) },
    [{ type: "edit", args: { action: "trip/plan", args: route } }],
    route,
    JSON.stringify(route),
  ])("%j changes the output", (reply) => {
    expect(read("approve", reply)).toEqual({ decisions: [{ type: "edit", args: route }] });
  });

  it("an output that is a list is changed as a list, or wrapped as it is shown", () => {
    const edit = { decisions: [{ type: "edit", args: { output: ["Oslo"] } }] };
    for (const reply of [["Oslo"], '["Oslo"]', { output: ["Oslo"] }, { decision: "edit", value: ["Oslo"] }])
      expect(read("list", reply), JSON.stringify(reply)).toEqual(edit);
  });

  const values = { level: "major", day: "2026-11-30" };
  it.each([
    values,
    JSON.stringify(values),
    { resume: values },
    { type: "respond", value: values },
    { decisions: [{ type: "respond", value: values }] },
    { c1: { type: "respond", value: values } },
  ])("%j fills in a form", (reply) => {
    expect(read("form", reply)).toEqual({ decisions: [{ type: "respond", value: values }] });
    expect(read("output", reply)).toEqual({ decisions: [{ type: "respond", value: values }] });
  });

  it("text that a person typed as an answer stays as it was typed", () => {
    for (const text of ['{"who":"ann"}', '["a"]', '"ann"', "{no json", "true"])
      expect(read("question", text)).toEqual({ decisions: [{ type: "respond", value: text }] });
  });

  it.each([
    { decision: "maybe" },
    { type: "edit" },
    { decision: "edit", value: "days" },
    { value: 3 },
    7,
    null,
  ])("%j is asked again", (reply) => expect(read("approve", reply)).toHaveProperty("errors"));

  it("a field of a form may be called as a wrapper is", () => {
    const named = openGate({ gate: "form", form: { type: "object", properties: { resume: {} } } }, undefined);
    expect(readReply({ resume: "cv.pdf" }, named.items)).toEqual({
      decisions: [{ type: "respond", value: { resume: "cv.pdf" } }],
    });
  });
});

describe("a reply that no thread can keep", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });

  it.each<[string, unknown, string]>([
    ["20 MB of text", "x".repeat(20_000_000), "1048576 characters"],
    ["more than 1 MiB of text", "x".repeat(1_048_577), "1048576 characters"],
    ["more than 1 MiB in a form", { level: "x".repeat(1_048_577) }, "1048576 characters"],
    ["two million values", { areas: Array(2_000_000).fill(1) }, "1048576 characters"],
    ["deep nesting", { level: nest(100) }, "40 levels"],
    ["deep nesting in a text", deep(100_000), "40 levels"],
    ["deep nesting in a wrapped text", { resume: deep(1000) }, "40 levels"],
    ["the envelope of a serialiser", { level: { lc: 1 } }, '"lc"'],
    ["a Map", new Map([["level", 1]]), "a Map"],
    ["a Date inside", { day: new Date() }, "a Date"],
    ["a BigInt", { level: 1n }, "a bigint"],
  ])("%s is refused by name, at once", (_name, reply, reason) => {
    const started = performance.now();
    for (const kind of ["form", "approve", "call"])
      expect(read(kind, reply)).toEqual({ errors: [expect.stringContaining(reason)] });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("one just below the limit is taken", () => {
    expect(read("form", { level: "x".repeat(1_000_000) })).toHaveProperty("decisions");
    expect(read("form", { level: nest(30) })).toHaveProperty("decisions");
  });
});
