import { describe, expect, it } from "vitest";
import { fromShaped, toShaped } from "../../../src/checkpoint/sqlite/shape.ts";

const VALUES = [
  null,
  0,
  "0",
  [],
  {},
  [0, -1.5, 1e21, "", "a\u0001\u0000b", true, null, [[]], { b: { a: 0 } }],
  JSON.parse('{"2":"x","1":0,"a":{"__proto__":7,"constructor":"c"},"list":[{},{"0":0}]}'),
];

describe("shape", () => {
  it.each(VALUES.map((value) => [JSON.stringify(value), value]))(
    "%s comes back as it was",
    (_text, value) => {
      expect(JSON.stringify(fromShaped(toShaped(value)))).toBe(JSON.stringify(value));
    },
  );

  it.each(["", "{", "[0"])("what is broken is told from what is not: %s", (broken) => {
    expect(fromShaped({ shape: broken, fill: "[1]" })).toBeUndefined();
    expect(fromShaped({ shape: "[0]", fill: broken })).toBeUndefined();
  });

  it("values that differ in numbers and texts alone have one shape", () => {
    expect(toShaped({ a: [1, "x"] }).shape).toBe(toShaped({ a: [22, "yy"] }).shape);
  });
});
