import { describe, expect, it } from "vitest";
import { checkValue } from "../../../src/skills/json-schema/json-schema.ts";

const areas = { type: "array", items: { enum: ["docs", "code", "a, b"] } };
const level = { oneOf: [{ const: 1, title: "Minor" }, { const: "two", title: "Major" }, { const: "Minor" }] };
const read = (schema: object, value: unknown) => checkValue(schema as never, value, { coerce: true });

describe("what a person typed", () => {
  it.each<[object, string, unknown]>([
    [areas, "docs, code", ["docs", "code"]],
    [areas, " docs ,, code, ", ["docs", "code"]],
    [areas, "docs\na, b\n", ["docs", "a, b"]],
    [areas, "a, b", ["a, b"]],
    [areas, '["docs"]', ["docs"]],
    [areas, "", []],
    [{ type: "array", items: { type: "integer" } }, "1, 2", [1, 2]],
    [{ type: "array", items: { type: "string" } }, "Rome", ["Rome"]],
    [{ type: "array" }, "Rome, Oslo", ["Rome", "Oslo"]],
    [{ type: ["array", "string"] }, "a, b", "a, b"],
    [level, "1", 1],
    [level, "major", "two"],
    [level, "two", "two"],
    [level, "Minor", "Minor"],
    [{ enum: ["red", "blue"] }, " red ", "red"],
    [{ type: "number", enum: [1.5, 2] }, "2.0", 2],
    [{ type: "string", format: "date" }, " 2026-11-30 ", "2026-11-30"],
    [{ type: "string" }, " as typed ", " as typed "],
    [{ type: "boolean" }, "Yes", true],
  ])("%j reads %j as %j", (schema, typed, value) => {
    expect(read(schema, typed)).toEqual({ ok: true, value });
  });

  it.each<[object, string]>([
    [areas, "docs, cod"],
    [areas, "[docs]"],
    [{ ...areas, uniqueItems: true }, "docs, docs"],
    [{ type: "array", items: { type: "object" } }, "a, b"],
    [{ type: "string", format: "date" }, "2026-02-30"],
    [{ type: "string", format: "date" }, "30.11.2026"],
    [level, "huge"],
  ])("%j refuses %j", (schema, typed) => {
    expect(read(schema, typed).ok).toBe(false);
  });

  it("each field has its reason, inner ones with their place", () => {
    const schema = {
      type: "object",
      required: ["who"],
      properties: { who: {}, days: { type: "integer" }, list: { type: "array", items: { type: "integer" } } },
    };
    expect(read(schema, { days: "x", list: [1, "y"] })).toMatchObject({
      ok: false,
      fields: {
        who: "is missing",
        days: 'must be integer, got "x"',
        list: '"[1]": must be integer, got "y"',
      },
    });
  });
});
