import { describe, expect, it } from "vitest";
import { readFormFields, renderFormFields, toFormExample } from "../../src/cli/form-fields.ts";

describe("the parts of a form", () => {
  it.each([undefined, {}, { properties: null }, { properties: "x" }])("%j has none", (broken) => {
    expect(readFormFields(broken as never)).toEqual([]);
  });

  it("a faulty part is a text", () => {
    expect(readFormFields({ properties: { a: null, b: { enum: [] } }, required: "a" })).toEqual([
      { name: "a", required: false },
      { name: "b", required: false },
    ]);
  });

  it("what is known beats the default of the schema", () => {
    const form = { properties: { a: { default: 1 }, b: { default: 2 }, c: {} } };
    const fields = readFormFields(form, { b: 0 });
    expect(fields.map(({ fallback }) => fallback)).toEqual([1, 0, undefined]);
    expect(renderFormFields(fields)).toEqual(["  - a (default 1)", "  - b (default 0)", "  - c"]);
    expect(toFormExample(fields)).toEqual({ a: 1, b: 0, c: "…" });
  });

  it("a name that every object has is not known by itself", () => {
    expect(readFormFields({ properties: { toString: {} } })).toEqual([{ name: "toString", required: false }]);
  });

  it("an example has a value of each field's kind where what is known does not fit", () => {
    const form = {
      properties: {
        days: { type: "integer" },
        price: { type: "number" },
        city: { type: "string" },
        stops: { type: "array" },
        extras: { type: "object" },
        sure: { type: "boolean" },
        colour: { enum: ["red", "blue"] },
        size: { type: "string", enum: ["S", "L"] },
      },
    };
    const known = {
      days: "",
      price: "2",
      city: "",
      stops: "",
      extras: [],
      sure: "yes",
      colour: "green",
      size: "L",
    };
    expect(toFormExample(readFormFields(form, known))).toEqual({
      days: 1,
      price: 1,
      city: "…",
      stops: ["…"],
      extras: {},
      sure: true,
      colour: "red",
      size: "L",
    });
    const fits = {
      days: 3,
      price: 2.5,
      city: "Rome",
      stops: ["a"],
      extras: { a: 1 },
      sure: false,
      colour: "blue",
    };
    expect(toFormExample(readFormFields(form, fits))).toMatchObject(fits);
  });
});
