import { describe, expect, it } from "vitest";
import type { JsonSchema, Stage } from "../../../src/skills/stages/stage.ts";
import { readAnswer, readDraft, readEdit } from "../../../src/skills/stages/stage-values.ts";

const properties = { version: { type: "string" }, changelog: { type: "string" } };
const plan: Stage = {
  id: "plan",
  title: "Plan",
  gate: "approve",
  output: { type: "object", properties },
  allowedTools: [],
  restrict: false,
  needs: [],
  maxAttempts: 3,
  text: "Plan.",
};
const handed = { summary: "Done.", output: { version: "1.2.0" } };
const error =
  '"verison" is no field of the output of the stage "plan". Fields: version, changelog. Nearest: version.';

describe("a key that the schema does not name", () => {
  it("is refused in an edit, with the nearest name", () => {
    expect(readEdit(plan, handed, { version: "1.2.0", verison: "1.9.0" })).toEqual({ error });
    expect(readEdit(plan, undefined, '{"verison":"1.9.0"}')).toEqual({ error });
  });

  it("is told before what is missing because of it", () => {
    const strict = {
      ...plan,
      output: { ...plan.output, required: ["version"], additionalProperties: false },
    };
    expect(readEdit(strict, handed, { verison: "1.9.0" })).toEqual({ error });
  });

  it("has no nearest name where none is near, and several are named together", () => {
    expect(readEdit(plan, handed, { colour: 1, size: 2 })).toEqual({
      error: '"colour", "size" are no fields of the output of the stage "plan". Fields: version, changelog.',
    });
  });

  it("stays where the stage itself handed it over", () => {
    const more = { summary: "Done.", output: { version: "1.2.0", note: "x" } };
    expect(readEdit(plan, more, { version: "2", note: "x" })).toMatchObject({
      output: { version: "2", note: "x" },
    });
    expect(readAnswer({ ...plan, gate: "form" }, more, { version: "2" })).toMatchObject({
      output: { version: "2", note: "x" },
    });
  });

  it.each<JsonSchema>([
    { properties, additionalProperties: true },
    { properties, additionalProperties: { type: "string" } },
    { properties, patternProperties: { "^v": {} } },
    { properties, anyOf: [{ required: ["verison"] }, {}] },
    { properties, allOf: [{ properties: { verison: {} } }] },
    { properties, $ref: "#/$defs/x", $defs: { x: {} } },
    { type: "object" },
    { properties: {} },
  ])("is taken where the schema leaves it open: %j", (output) => {
    expect(readEdit({ ...plan, output }, undefined, { verison: "1" })).toMatchObject({
      output: { verison: "1" },
    });
  });

  it("is refused in the values of a form, that of the output and one of its own", () => {
    const values = { verison: "1.9.0" };
    expect(readAnswer({ ...plan, gate: "form" }, handed, values)).toEqual({ error });
    const form = { properties: { days: { type: "integer" } } };
    expect(readAnswer({ ...plan, gate: "form", form }, handed, { day: 1 })).toEqual({
      error: '"day" is no field of the form of the stage "plan". Fields: days. Nearest: days.',
    });
    expect(readAnswer({ ...plan, gate: "form", form }, handed, '{"day":1}')).toHaveProperty("error");
  });
});

describe("a form beside an output", () => {
  it("is not taken while the output does not fit, as after another text of the stage", () => {
    const form = { properties: { days: { type: "integer" } } };
    const output = { type: "object", required: ["changelog"], properties };
    expect(readAnswer({ ...plan, gate: "form", form, output }, handed, { days: 1 })).toEqual({
      error: expect.stringMatching(/"changelog".*Edit the output first, or reject the stage\.$/),
    });
  });
});

describe("a draft of a form", () => {
  it("holds what was given and fits, and no default of a field that was not given", () => {
    const fields = { days: { type: "integer" }, city: { type: "string", default: "Bonn" } };
    expect(readDraft({ type: "object", properties: fields }, { days: "2", town: "Ulm" })).toEqual({
      values: { days: 2 },
      faults: { town: "is no field of the form" },
    });
  });
});
