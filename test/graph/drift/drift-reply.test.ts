import { describe, expect, it } from "vitest";
import { readReply } from "../../../src/graph/review/reply.ts";
import { toReviewRequest } from "../../../src/graph/review/request.ts";
import type { PendingDrift } from "../../../src/graph/skill-state.ts";

const drift: PendingDrift = {
  name: "counter",
  path: "/skills/counter/SKILL.md",
  digest: "files-1",
  files: ["SKILL.md (changed)"],
  difference: "-a\n+b",
};
const state = { calls: [], wanted: [], active: [], reviewErrors: [] };
const { items } = toReviewRequest({ ...state, drifts: [drift] });

describe("an answer about a changed skill", () => {
  it.each<[string, unknown[]]>([
    [
      "pin",
      [
        true,
        "yes",
        "approve",
        " PIN ",
        { choice: "pin" },
        { type: "approve" },
        { type: "accept", args: null },
        { decision: "approved" },
        { decisions: [{ type: "approve" }] },
        [{ type: "approve" }],
        { decisions: ["pin"] },
        { decisions: [{ type: "respond", message: "pin" }] },
        { type: null, choice: "pin", goto: null },
        { type: "respond", value: null, message: "pin" },
        { type: "edit", edited_action: { name: "counter", args: { choice: "pin" } } },
      ],
    ],
    [
      "refresh",
      [
        "refresh",
        "Refresh",
        { choice: "refresh" },
        '{"choice":"refresh"}',
        '{"decisions":[{"type":"respond","value":"refresh"}]}',
        { resume: "refresh" },
        { counter: "refresh" },
        { type: "refresh" },
        { action: "refresh" },
        { type: "respond", value: { choice: "refresh" } },
        { type: "response", args: "refresh" },
        { type: "edit", args: { action: "counter", args: { choice: "refresh" } } },
        { decisions: [{ type: "edit", editedAction: { name: "counter", args: { choice: "refresh" } } }] },
      ],
    ],
    [
      "stop",
      [
        false,
        "no",
        "stop",
        { type: "stop" },
        { choice: "stop" },
        { type: "reject" },
        // Whatever else a person writes there, they refused.
        { type: "reject", message: "refresh" },
        { type: "ignore", args: null },
        { goto: "__end__" },
        { type: "goto", stage: "__end__" },
      ],
    ],
  ])("means %s in every dialect", (value, replies) => {
    for (const reply of replies) {
      expect([reply, readReply(reply, items)]).toEqual([reply, { decisions: [{ type: "respond", value }] }]);
    }
  });

  it.each<[unknown]>([
    ["maybe"],
    [""],
    ["edit"],
    [null],
    [undefined],
    [7],
    [{}],
    [[]],
    [[true, true]],
    [{ decisions: [] }],
    [{ decisions: [{ type: "dance" }] }],
    [{ decision: "dance" }],
    [{ choice: 1 }],
    [{ choice: "refresh", other: 1 }],
    [{ other: "refresh" }],
    [{ goto: "look" }],
    [{ type: "edit", args: {} }],
    [{ type: "respond" }],
    [{ type: "refresh", decision: "stop" }],
    [{ type: "approve", decision: "reject" }],
    [{ type: "refresh", rejected: true }],
    [{ type: "refresh", choice: "pin" }],
    [{ type: "stop", goto: "look" }],
    [{ decisions: [{ type: "refresh" }], approved: false }],
  ])("is not %j", (reply) => {
    const read = readReply(reply, items);
    expect("errors" in read && read.errors[0]).toContain("choose pin, refresh, stop");
  });

  it("cannot be to read what cannot be read", () => {
    const fault = "the SKILL.md is gone.";
    const { items } = toReviewRequest({ ...state, drifts: [{ ...drift, fault }] });
    expect(readReply("refresh", items)).toEqual({
      errors: [expect.stringMatching(/"refresh" is no answer.*the SKILL.md is gone; choose pin, stop\.$/)],
    });
    expect(items[0]?.form).toMatchObject({ properties: { choice: { enum: ["pin", "stop"] } } });
  });
});

describe("the question about a changed skill", () => {
  it("waits until the calls of the turn are decided, and comes before a skill to load", () => {
    const call = { id: "c", tool: "Bash", input: {}, status: "ask" as const, reason: "" };
    const consent = { name: "a", arguments: "", chosenBy: "model" as const, consent: "untrusted" };
    const kindsOf = (part: object) =>
      toReviewRequest({ ...state, drifts: [drift], wanted: [consent], ...part }).items.map(
        ({ kind }) => kind,
      );
    expect(kindsOf({ calls: [call] })).toEqual(["call"]);
    expect(kindsOf({})).toEqual(["drift"]);
    expect(kindsOf({ drifts: [{ ...drift, choice: "pin" }] })).toEqual(["skill"]);
  });

  it("has another id for other files and for another run", () => {
    const run = (life: string) => ({ life, modelCalls: 0, faultyTurns: 0 });
    const idOf = (digest: string, life: string) =>
      toReviewRequest({ ...state, drifts: [{ ...drift, digest }], run: run(life) }).id;
    expect(new Set([idOf("a", "1"), idOf("b", "1"), idOf("a", "2")]).size).toBe(3);
    expect(idOf("a", "1")).toBe(idOf("a", "1"));
  });

  it("shows chat clients what changed and what can be answered", () => {
    const { description } = items[0]!;
    expect(description).toContain("/skills/counter/SKILL.md");
    expect(description).toContain("pin: goes on with the text that was loaded");
    expect(description).toContain("-a\n+b");
  });
});
