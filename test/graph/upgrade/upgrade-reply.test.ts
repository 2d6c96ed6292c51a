import { describe, expect, it } from "vitest";
import { readReply } from "../../../src/graph/review/reply.ts";
import { toReviewRequest } from "../../../src/graph/review/request.ts";
import type { ActiveSkill } from "../../../src/graph/skill-state.ts";
import type { State } from "../../../src/graph/state.ts";

const stage = (id: string) => ({
  id,
  title: id,
  gate: "approve",
  allowedTools: [],
  needs: [],
  maxAttempts: 3,
  text: "",
});
const stages = JSON.stringify({ intro: "", stages: ["look", "plan", "apply"].map(stage) });
const texts = { w: stages, other: stages };

/** The question about a wizard that stood at a stage, and may go on as far as `plan`. */
function ask(at: string, wanted: State["wanted"] = [], digest = "w") {
  const displaced = { stage: at, why: `its stage "${at}" is gone` };
  const wizard = {
    digest,
    anchor: "m",
    stage: "plan",
    status: "working",
    results: [],
    attempts: 0,
    failures: [],
    displaced,
  };
  const active = [{ name: "trip", path: "/s/trip/SKILL.md", wizard } as unknown as ActiveSkill];
  return toReviewRequest({ calls: [], wanted, active, reviewErrors: [], texts, drifts: [] });
}
const { items } = ask("plan");
const { items: lost } = ask("gone");

describe("the question about a wizard that lost its place", () => {
  it("names the stages at which it can go on, and no later one", () => {
    expect(items).toMatchObject([
      {
        kind: "upgrade",
        args: { choice: "restart", stage: "plan" },
        allowed: ["edit", "respond", "reject"],
        back: ["look", "plan"],
        choices: ["restart", "map", "stop"],
      },
    ]);
  });

  it("offers no restart of a stage that is gone", () => {
    expect(lost[0]).toMatchObject({
      stage: "gone",
      choices: ["map", "stop"],
      args: { choice: "map", stage: "plan" },
    });
    expect(lost[0]?.form).toMatchObject({
      properties: { choice: { enum: ["map", "stop"] }, stage: { enum: ["look", "plan"] } },
    });
  });
});

it("a question over other stages has another id, so that a late answer is none to it", () => {
  expect(ask("plan").id).toBe(ask("plan").id);
  expect(ask("plan", [], "other").id).not.toBe(ask("plan").id);
});

it("only a person who asks for the wizard by name begins it anew instead; a mention leaves the question", () => {
  const want = (chosenBy: "person" | "model", way: "name" | "mention") =>
    ask("plan", [{ name: "trip", arguments: "", chosenBy, way }]).items.map(({ kind }) => kind);
  expect(want("person", "name")).toEqual([]);
  expect(want("person", "mention")).toEqual(["upgrade"]);
  expect(want("model", "name")).toEqual(["upgrade"]);
});

describe("an answer about a wizard that lost its place", () => {
  it.each<[unknown, unknown[]]>([
    [
      { choice: "restart" },
      [
        "restart",
        " Restart ",
        { choice: "restart" },
        { choice: "restart", stage: "plan" },
        { choice: "restart", stage: null },
        { type: "restart", goto: null, stage: null },
        { type: "edit", edited_action: { name: "trip", args: { choice: "restart", stage: null } } },
        '{"choice":"restart"}',
        { resume: "restart" },
        { trip: "restart" },
        { type: "restart" },
        { type: "respond", value: "restart" },
        { decisions: [{ type: "response", args: "restart" }] },
        [{ type: "response", args: { choice: "restart" } }],
        {
          decisions: [
            { type: "edit", edited_action: { name: "trip", args: { choice: "restart", stage: "plan" } } },
          ],
        },
        {
          decisions: [
            { type: "edit", editedAction: { name: "trip", args: { choice: "restart", stage: "plan" } } },
          ],
        },
        { type: "edit", args: { action: "trip", args: { choice: "restart", stage: "plan" } } },
      ],
    ],
    [
      { choice: "map", stage: "look" },
      [
        { choice: "map", stage: "look" },
        { goto: "look" },
        { type: "goto", stage: "look" },
        { type: "map", stage: "look", goto: null },
        { type: "goto", goto: "look" },
        { type: "map", decision: "goto", stage: "look" },
        "look",
        "map look",
        "goto look",
        { decisions: [{ goto: "look" }] },
        {
          decisions: [
            { type: "edit", editedAction: { name: "trip", args: { choice: "map", stage: "look" } } },
          ],
        },
      ],
    ],
    [
      { choice: "stop" },
      [
        "stop",
        false,
        "no",
        { choice: "stop" },
        { choice: "stop", stage: "plan" },
        { goto: "__end__" },
        { type: "reject" },
        { type: "ignore" },
      ],
    ],
  ])("%j", (value, replies) => {
    for (const reply of replies) {
      expect([reply, readReply(reply, items)]).toEqual([reply, { decisions: [{ type: "respond", value }] }]);
    }
  });

  it.each([
    [true],
    ["yes"],
    [{ type: "approve" }],
    [{ goto: "apply" }],
    [{ choice: "map" }],
    [{ choice: "map", stage: 2 }],
    [{ choice: "restart", stage: "look" }],
    [{ choice: "restart", days: 2 }],
    [{ type: "stop", goto: "look" }],
    [{ choice: "stop", goto: "look" }],
    [{ type: "restart", decision: "stop" }],
    [{ type: "reject", choice: "restart" }],
    [{ type: "restart", rejected: true }],
    [{ type: "edit", args: { choice: "restart" }, approved: false }],
    [{ type: "respond", value: "restart", decision: "no" }],
    [{ goto: "look", rejected: true }],
    [{ trip: "restart", other: 1 }],
    [{ type: ["restart"] }],
    ["look now"],
    ["restart now"],
    [{ type: "edit", edited_action: { args: { days: 2 } } }],
    [{ decisions: ["restart", "stop"] }],
    [null],
    [[]],
    [""],
  ])("%j is none", (reply) => {
    expect(readReply(reply, items)).toEqual({
      errors: [expect.stringContaining("choose restart, map with a stage (look, plan), stop")],
    });
  });

  it("is none where a list and a key beside it lead to different places", () => {
    expect(readReply({ decisions: ["restart"], goto: "look" }, items)).toHaveProperty("errors");
    expect(readReply({ decisions: ["restart"], rejected: true }, items)).toHaveProperty("errors");
  });

  it("does not restart a stage that is gone", () => {
    expect(readReply("restart", lost)).toEqual({
      errors: [
        '{"choice":"restart"} does not say where the wizard "trip" goes on; choose map with a stage (look, plan), stop.',
      ],
    });
  });

  it("takes no word with more behind it: what else is said may mean the opposite", () => {
    for (const reply of ["stop not", "no hurry", "restart look"]) {
      expect(readReply(reply, items)).toHaveProperty("errors");
    }
  });

  it("finds a stage in any Unicode form", () => {
    const [item] = items;
    const asked = [{ ...item!, back: ["m\u00fcnchen"] }];
    const map = { decisions: [{ type: "respond", value: { choice: "map", stage: "m\u00fcnchen" } }] };
    expect(readReply({ goto: "mu\u0308nchen" }, asked)).toEqual(map);
    expect(readReply("map mu\u0308nchen", asked)).toEqual(map);
  });
});
