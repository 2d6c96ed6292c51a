import { describe, expect, it } from "vitest";
import type { WizardProgress } from "../../../src/graph/skill-state.ts";
import { carryOver, listPlaces } from "../../../src/graph/upgrade/place-wizard.ts";
import type { Stage, Wizard } from "../../../src/skills/stages/stage.ts";

function stage(id: string, more: Partial<Stage> = {}): Stage {
  return {
    id,
    title: id,
    gate: "approve",
    allowedTools: [],
    restrict: false,
    needs: [],
    maxAttempts: 3,
    text: id,
    ...more,
  };
}

/** Stages that each need all before them, unless they say otherwise. */
function wizard(...stages: Stage[]): Wizard {
  const ids = stages.map(({ id }) => id);
  return { intro: "", stages: stages.map((each, index) => ({ ...each, needs: ids.slice(0, index) })) };
}

const before = wizard(stage("look"), stage("plan"), stage("apply"));
const output = { type: "object", required: ["days"] };

/** A wizard at a stage, with the stages before it approved. */
function at(id: string, more: Partial<WizardProgress> = {}): WizardProgress {
  const ids = before.stages.map((each) => each.id);
  const results = ids.slice(0, ids.indexOf(id)).map((done) => ({ id: done, summary: done }));
  return {
    digest: "old",
    anchor: "m",
    stage: id,
    status: "working",
    results,
    attempts: 0,
    failures: [],
    ...more,
  };
}

const move = (after: Wizard, id = "apply") => carryOver(at(id), { before, after }, "new");
const listValid = ({ results }: WizardProgress) => results.filter(({ stale }) => !stale).map(({ id }) => id);

describe("a wizard over other stages", () => {
  it("a stage that passed without a gate and has one now is asked about before the next", () => {
    const open = wizard(stage("look", { gate: "none" }), stage("plan"), stage("apply"));
    const moved = carryOver(at("apply"), { before: open, after: before }, "new");
    expect(moved.displaced?.why).toBe('its stage "look" stands before "apply" now, and is to be done again');
    expect(listPlaces(before, moved)).toEqual(["look"]);
    expect(listValid(moved)).toEqual([]);
    expect(listValid(carryOver(at("apply"), { before: open, after: open }, "new"))).toEqual(["look", "plan"]);
  });

  it.each([
    ["another text", wizard(stage("look"), stage("plan"), stage("apply", { text: "other" }))],
    [
      "another text of an earlier one",
      wizard(stage("look", { text: "other" }), stage("plan"), stage("apply")),
    ],
    ["a new one behind it", wizard(stage("look"), stage("plan"), stage("apply"), stage("check"))],
    ["another order of those before it", wizard(stage("plan"), stage("look"), stage("apply"))],
  ])("goes on at its stage with %s", (_name, after) => {
    expect(move(after)).toMatchObject({ digest: "new", stage: "apply" });
    expect(move(after).displaced).toBeUndefined();
  });

  it.each([
    ["is gone", wizard(stage("look"), stage("plan")), 'its stage "apply" is gone', "plan"],
    ["is renamed", wizard(stage("look"), stage("plan"), stage("book")), 'its stage "apply" is gone', "book"],
    [
      "comes behind a new one",
      wizard(stage("look"), stage("check"), stage("plan"), stage("apply")),
      'its stage "check" stands before "apply" now, and was not worked through',
      "check",
    ],
    [
      "comes behind one whose result does not fit any more",
      wizard(stage("look", { output }), stage("plan"), stage("apply")),
      'its stage "look" stands before "apply" now, and is to be done again',
      "look",
    ],
  ])("is displaced when its stage %s", (_name, after, why, furthest) => {
    const moved = move(after);
    expect(moved).toMatchObject({
      digest: "new",
      stage: furthest,
      status: "working",
      displaced: { stage: "apply", why },
    });
    expect(listPlaces(after, moved).at(-1)).toBe(furthest);
  });

  it("keeps approvals of stages with the same text and output only, and none that were made from others", () => {
    const after = wizard(stage("look"), stage("plan", { text: "other" }), stage("book"));
    expect(listValid(move(after))).toEqual(["look"]);
    expect(move(after).stage).toBe("plan");
    const first = wizard(stage("look", { text: "other" }), stage("plan"), stage("book"));
    expect(listValid(move(first))).toEqual([]);
    expect(listPlaces(first, move(first))).toEqual(["look"]);
    const wider = { type: "object", properties: { days: {} } };
    const shaped = carryOver(
      at("apply", {
        results: [
          { id: "look", summary: "look", output: {} },
          { id: "plan", summary: "plan" },
        ],
      }),
      { before, after: wizard(stage("look", { output: wider }), stage("plan"), stage("book")) },
      "new",
    );
    expect(listValid(shaped)).toEqual([]);
  });

  it("an answer that does not fit the form of its stage any more is asked for again", () => {
    const form = (type: string) =>
      wizard(
        stage("look", { gate: "form", form: { type: "object", properties: { days: { type } } } }),
        stage("plan"),
        stage("apply"),
      );
    const answered = at("plan", { results: [{ id: "look", summary: "look", answer: { days: 2 } }] });
    const place = (after: Wizard) => carryOver(answered, { before: form("integer"), after }, "new");
    expect(place(form("integer")).displaced).toBeUndefined();
    expect(place(form("boolean")).displaced?.why).toContain('"look" stands before "plan" now');
    expect(listValid(place(form("boolean")))).toEqual([]);
  });

  it("drops what waited at a gate that is gone", () => {
    const gate = at("apply", {
      status: "gate",
      handed: { summary: "Done." },
      feedback: "no",
      attempts: 2,
      failures: ["x"],
      changes: [{ path: "notes.md", what: "new" }],
    });
    const moved = carryOver(gate, { before, after: wizard(stage("look"), stage("plan")) }, "new");
    expect(moved).toMatchObject({ status: "working", attempts: 0, failures: [] });
    expect(moved.handed).toBeUndefined();
    expect(moved.feedback).toBeUndefined();
    expect(moved.changes).toBeUndefined();
  });

  it("that is not under way is not displaced", () => {
    const finished = at("apply", { status: "finished" });
    expect(carryOver(finished, { before, after: wizard(stage("look")) }, "new")).toMatchObject({
      status: "finished",
      results: [{ id: "look" }],
    });
  });

  it("remembers where it first stood when its stages change once more", () => {
    const once = move(wizard(stage("look"), stage("book")));
    const twice = carryOver(once, { before, after: wizard(stage("look"), stage("pay")) }, "newer");
    expect(twice.displaced?.stage).toBe("apply");
  });
});
