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
});
