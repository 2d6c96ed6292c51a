import { describe, expect, it } from "vitest";
import { readReply } from "../../../src/graph/review/reply.ts";
import type { ReviewItem } from "../../../src/graph/review/review-item.ts";

const call: ReviewItem = {
  kind: "call",
  id: "c1",
  name: "Write",
  args: { path: "a" },
  description: "",
  allowed: ["approve", "edit", "reject"],
};
const question: ReviewItem = {
  ...call,
  kind: "question",
  id: "q1",
  name: "AskUser",
  allowed: ["respond", "reject"],
};
const outcome: ReviewItem = { ...call, kind: "outcome", id: "o1", allowed: ["approve", "respond", "reject"] };

it("of the fields of a response the one that is filled in is the answer", () => {
  const said = (value: unknown) => ({ decisions: [{ type: "respond", value }] });
  const empty = { type: "respond", value: null, args: null };
  expect(readReply({ ...empty, message: "Oslo" }, [question])).toEqual(said("Oslo"));
  expect(readReply(empty, [question])).toEqual(said(null));
});

describe("a reply to a call", () => {
  it.each([
    [true, { type: "approve" }],
    ["approve", { type: "approve" }],
    ["Yes", { type: "approve" }],
    ["true", { type: "approve" }],
    [{ resume: "yes" }, { type: "approve" }],
    [{ type: "approve" }, { type: "approve" }],
    [{ type: "accept", args: null }, { type: "approve" }],
    [[{ type: "accept" }], { type: "approve" }],
    [{ decisions: [{ type: "approve" }] }, { type: "approve" }],
    ['{"decisions":[{"type":"approve"}]}', { type: "approve" }],
    [{ c1: true }, { type: "approve" }],
    [false, { type: "reject" }],
    ["no", { type: "reject" }],
    [{ type: "ignore" }, { type: "reject" }],
    [
      { type: "reject", message: "why" },
      { type: "reject", message: "why" },
    ],
    ["use another folder", { type: "reject", message: "use another folder" }],
    [
      { type: "edit", edited_action: { name: "Write", args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [
      { type: "edit", editedAction: { args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [
      { type: "edit", args: { action: "Write", args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [{ path: "b" }, { type: "edit", args: { path: "b" } }],
  ])("%j is read as %j", (reply, decision) => {
    expect(readReply(reply, [call])).toEqual({ decisions: [decision] });
  });

  it("a response with a text is a no with a reason, as Agent Inbox sends it", () => {
    const said = { decisions: [{ type: "reject", message: "not that" }] };
    expect(readReply([{ type: "response", args: "not that" }], [call])).toEqual(said);
    expect(readReply({ decision: "reject", feedback: "not that" }, [call])).toEqual(said);
  });

  it.each([
    undefined,
    null,
    7,
    "",
    "  ",
    {},
    [],
    [[]],
    { decisions: [] },
    { type: "edit" },
    { type: "respond", value: 3 },
    { approved: true },
    { decision: "maybe" },
    { reject: "no" },
  ])("%j is refused with a reason", (reply) => {
    expect(readReply(reply, [call])).toHaveProperty("errors");
  });
});

describe("a yes for ever", () => {
  const offering: ReviewItem = { ...call, always: ["Write(a)"] };
  const stage: ReviewItem = { ...call, kind: "stage", id: "s1", name: "go/look" };
  const skill: ReviewItem = { ...call, kind: "skill", id: "go", name: "go", allowed: ["approve", "reject"] };
  const always = [
    ...[
      "always",
      "Always ",
      "approve_always",
      "approve-always",
      "approveAlways",
      "accept_always",
      "allow always",
    ],
    ...[{ type: "approve", always: true }, { type: "accept", always: "true" }, { decision: "always" }],
    ...[{ type: "approve_always" }, { type: "approveAlways" }, { action: "accept-always" }],
    ...[{ decision: "approve", always: true }, { resume: "always" }, { resume: { type: "always" } }],
    ...[["always"], [{ type: "always" }], { decisions: ["always"] }, { decisions: [{ type: "always" }] }],
    ...[{ c1: "always" }, { c1: { type: "approve", always: true } }],
    ...['{"type":"approve","always":true}', '{"decisions":[{"type":"approve_always"}]}'],
  ];

  it.each(always)("%j is read where a rule is offered", (reply) => {
    expect(readReply(reply, [offering])).toEqual({ decisions: [{ type: "approve", always: true }] });
  });

  it.each(always)("%j is refused, with why, where none is", (reply) => {
    expect(readReply(reply, [call])).toEqual({
      errors: [
        '"always" is not offered for Write (c1): no rule is to be added for it; choose approve, edit, reject.',
      ],
    });
    for (const item of [{ ...call, always: [] }, outcome, stage, skill]) {
      const other = JSON.parse(JSON.stringify(reply).replaceAll("c1", item.id)) as unknown;
      expect(readReply(other, [item]), item.kind).toHaveProperty("errors");
    }
  });

  it.each([
    { type: "reject", always: true },
    { type: "edit", args: { path: "b" }, always: true },
    { type: "approve", always: "perhaps" },
    { type: "approve", always: 1 },
    { always: true },
  ])("%j is nothing that could be kept", (reply) => {
    expect(readReply(reply, [offering])).toMatchObject({ errors: [expect.stringContaining("always")] });
  });

  it.each([
    [{ type: "approve", always: false }, { type: "approve" }],
    [{ type: "reject", always: false }, { type: "reject" }],
    ["always run the tests first", { type: "reject", message: "always run the tests first" }],
    [
      { type: "reject", message: "always" },
      { type: "reject", message: "always" },
    ],
  ])("%j is none", (reply, decision) => {
    expect(readReply(reply, [offering])).toEqual({ decisions: [decision] });
  });

  it("is the answer to a question, as any word is", () => {
    expect(readReply("always", [question])).toEqual({ decisions: [{ type: "respond", value: "always" }] });
  });

  it("an argument of that name is an argument", () => {
    const item = { ...call, args: { always: false } };
    expect(readReply({ always: true }, [item])).toEqual({
      decisions: [{ type: "edit", args: { always: true } }],
    });
  });

  it.each([
    [["always", "no"]],
    [{ decisions: ["always", "no"] }],
    [{ decisions: [{ type: "approve", always: true }, { type: "reject" }] }],
    [[{ type: "always" }, { type: "ignore" }]],
    [{ c1: "always", c2: false }],
  ])("of two calls %j is for the first", (reply) => {
    expect(readReply(reply, [offering, { ...call, id: "c2" }])).toEqual({
      decisions: [{ type: "approve", always: true }, { type: "reject" }],
    });
  });

  it("a bare word is none for two calls, and for a call that offers no rule the whole reply is refused", () => {
    expect(readReply("always", [offering, { ...offering, id: "c2" }])).toHaveProperty("errors");
    expect(readReply(["always", "always"], [offering, { ...call, id: "c2" }])).toEqual({
      errors: [expect.stringContaining("c2")],
    });
  });
});

describe("a reply to the question whether a skill is loaded", () => {
  const skill: ReviewItem = { ...call, kind: "skill", id: "go", name: "go", allowed: ["approve", "reject"] };

  it.each([
    ...["pin", "Refresh", "stop", "later", "use another one"],
    ...[
      { choice: "pin" },
      { type: "respond", value: "pin" },
      { decisions: [{ type: "response", args: "stop" }] },
    ],
    ...[{ decisions: ["refresh"] }, 7, "", {}],
  ])("%j is neither yes nor no, so it is asked again with the reason", (reply) => {
    expect(readReply(reply, [skill])).toEqual({ errors: [expect.stringContaining("go")] });
  });

  it.each([
    [true, { type: "approve" }],
    ["yes", { type: "approve" }],
    ["no", { type: "reject" }],
    [{ go: false }, { type: "reject" }],
    [
      { type: "reject", message: "pin" },
      { type: "reject", message: "pin" },
    ],
    [
      { type: "response", args: "not that one" },
      { type: "reject", message: "not that one" },
    ],
  ])("%j is read as %j", (reply, decision) => {
    expect(readReply(reply, [skill])).toEqual({ decisions: [decision] });
  });
});

describe("a reply to a question", () => {
  it.each([false, 0, "", "yes", "no", "{not json", { city: "Rome" }, ["a"]])(
    "%j is the answer as it is",
    (reply) => {
      expect(readReply(reply, [question])).toEqual({ decisions: [{ type: "respond", value: reply }] });
    },
  );

  it.each([
    [{ type: "respond", message: "Rome" }, "Rome"],
    [{ type: "response", args: "Rome" }, "Rome"],
    [{ decisions: [{ type: "respond", value: 0 }] }, 0],
  ])("%j answers %j", (reply, value) => {
    expect(readReply(reply, [question])).toEqual({ decisions: [{ type: "respond", value }] });
  });

  it("an approval is no answer", () => {
    expect(readReply({ type: "approve" }, [question])).toHaveProperty("errors");
  });
});

describe("a reply to an unknown outcome", () => {
  it.each([
    ["retry", { type: "approve" }],
    ["skip", { type: "reject" }],
    ["it printed 7", { type: "respond", value: "it printed 7" }],
  ])("%j is read as %j", (reply, decision) => {
    expect(readReply(reply, [outcome])).toEqual({ decisions: [decision] });
  });
});

describe("a reply to several items", () => {
  const two = [call, { ...call, id: "c2" }];

  it("a plain value is refused, and the items are listed", () => {
    const read = readReply(true, two);
    expect(read).toMatchObject({ errors: [expect.stringMatching(/c1.*c2/)] });
  });

  it("one decision settles the first item", () => {
    expect(readReply({ decisions: [{ type: "reject" }] }, two)).toEqual({ decisions: [{ type: "reject" }] });
  });

  it("decisions by id are taken in the order of the items", () => {
    expect(readReply({ c2: false, c1: true }, two)).toEqual({
      decisions: [{ type: "approve" }, { type: "reject" }],
    });
  });

  it("more decisions than items are refused", () => {
    expect(
      readReply({ decisions: [{ type: "approve" }, { type: "approve" }, { type: "approve" }] }, two),
    ).toHaveProperty("errors");
  });

  it("an id that leaves a gap is refused, since it would settle another item", () => {
    expect(readReply({ c2: true }, two)).toHaveProperty("errors");
  });
});

it.each(["message", "type", "args", "decision"])(
  "a decision stays one where a skill is called %s, as one of its keys",
  (name) => {
    const skill: ReviewItem = { ...call, kind: "skill", id: name, name, allowed: ["approve", "reject"] };
    const no = { type: "reject", message: "yes" } as const;
    expect(readReply(no, [skill])).toEqual({ decisions: [no] });
    expect(readReply({ type: "accept", args: null }, [skill])).toEqual({ decisions: [{ type: "approve" }] });
    expect(readReply({ [name]: true }, [skill])).toEqual({ decisions: [{ type: "approve" }] });
  },
);

it("D6: a decision in a list that names another request than the open one cannot be used", () => {
  const [open, other] = ["req-0123456789ab", "req-000000000000"];
  for (const wrap of [(yes: unknown) => [yes], (yes: unknown) => ({ decisions: [yes] })]) {
    const read = (request: string) => readReply(wrap({ type: "approve", request }), [call], open);
    expect(read(other)).toEqual({ errors: [expect.stringContaining(other)] });
    expect(read(open)).toEqual({ decisions: [{ type: "approve" }] });
  }
});

describe("a decision that says two things is none, and opens nothing", () => {
  const stage: ReviewItem = {
    kind: "stage",
    id: "s1",
    name: "trip/plan",
    args: { days: 3 },
    description: "",
    allowed: ["approve", "edit", "reject"],
  };

  it.each([
    { type: "approve", decision: "reject" },
    { type: "accept", action: "no" },
    { decision: "yes", action: "ignore" },
    { type: "approve", approved: false },
    { type: "approve", rejected: "true" },
    { type: "approve", goto: "look" },
    { decisions: [{ type: "approve" }], goto: "look" },
    { decisions: [{ type: "approve", goto: "look" }] },
    { type: "approve", days: 4 },
    { decisions: [{ type: "approve" }], approved: false },
    { decisions: ["yes"], rejected: true },
    { decisions: [{ type: "approve" }], type: "reject" },
    { decisions: [{ type: "edit", args: { days: 4 } }], decision: "no" },
    { s1: true, goto: "look" },
    { s1: { type: "approve" }, rejected: "true" },
    { type: "edit", args: { days: 4 }, approved: false },
    { type: "edit", args: { days: 4 }, rejected: true },
    { type: "edit", args: { days: 4 }, goto: "look" },
    { goto: "look", type: "approve", stage: "look" },
    { goto: "look", days: 4 },
    { type: "stop", goto: "look" },
    {},
  ])("%j", (reply) => {
    expect(readReply(reply, [stage])).toHaveProperty("errors");
    expect(readReply(JSON.stringify(reply), [stage])).toHaveProperty("errors");
  });

  it.each([
    { decisions: [{ type: "reject" }], rejected: true },
    { s1: false, approved: false },
    { s1: { days: 4 }, action: "ignore" },
    { type: "reject", approved: true },
  ])("%j is a no", (reply) => {
    expect(readReply(reply, [stage])).toEqual({ decisions: [{ type: "reject" }] });
  });

  it.each([[[{ type: "approve" }, { path: "b" }]], [["yes", "use another folder"]]])(
    "a list of which one is no clear word answers none of two calls: %j",
    (reply) => {
      expect(readReply(reply, [call, { ...call, id: "c2" }])).toHaveProperty("errors");
    },
  );

  it.each([
    { path: "b", approved: false },
    { path: "b", rejected: true },
    { path: "b", goto: "look" },
  ])("%j changes no call, unless the call has an argument of that name", (reply) => {
    expect(readReply(reply, [call])).toHaveProperty("errors");
    const own = { ...call, args: { ...reply, path: "a" } };
    expect(readReply(reply, [own])).toEqual({ decisions: [{ type: "edit", args: reply }] });
  });

  it("words for a yes that a call has as an argument, too, are words", () => {
    const item = { ...call, args: { message: "a" } };
    expect(readReply({ type: "approve", message: "fine" }, [item])).toEqual({
      decisions: [{ type: "approve" }],
    });
  });

  it("a skill that is called as a key of a no is agreed to by that name", () => {
    const skill: ReviewItem = { ...stage, kind: "skill", id: "goto", name: "goto" };
    expect(readReply({ goto: true }, [skill])).toEqual({ decisions: [{ type: "approve" }] });
  });

  it.each([
    { type: "accept", args: null },
    { type: "accept", args: { action: "trip/plan", args: { days: 3 } } },
    { type: "approve", decision: "yes", approved: true },
    { decisions: [{ type: "approve" }], type: "approve", approved: true, goto: null },
    { s1: "yes", rejected: false },
    { type: "approve", goto: "" },
    { type: "approve", message: "well done" },
    { type: "approve", goto: false, always: null, message: null, edited_action: null, rejected: false },
    { decisions: [{ type: "approve", args: null, always: null }], goto: null },
    { type: null, decision: "approve", action: null },
  ])("%j says one", (reply) => {
    expect(readReply(reply, [stage])).toEqual({ decisions: [{ type: "approve" }] });
  });
});
