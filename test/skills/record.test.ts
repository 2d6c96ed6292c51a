import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/skills/record.ts";

describe("isRecord", () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)], [new Error("x")]])("%j has keys", (value) => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], [[{}]], ["{}"], [1], [true]])("%j is no record", (value) => {
    expect(isRecord(value)).toBe(false);
  });
});
