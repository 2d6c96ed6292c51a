import { describe, expect, it } from "vitest";
import { runWithin } from "../../../src/skills/json-schema/time-limit.ts";

describe("runWithin", () => {
  it("gives back what the work returned, the same object", () => {
    const value = { a: 1 };
    expect(runWithin(1_000, () => value)?.value).toBe(value);
    expect(runWithin(1_000, () => undefined)).toEqual({ value: undefined });
  });

  it("throws what the work throws", () => {
    const error = new TypeError("broken");
    expect(() =>
      runWithin(1_000, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it.each<[string, () => unknown]>([
    ["a regular expression", () => /^(a+)+$/.test(`${"a".repeat(60)}!`)],
    ["one in Unicode mode", () => /^(a+)+$/u.test(`${"a".repeat(60)}!`)],
    ["a loop that catches all", runForEver],
  ])("interrupts %s", (_title, work) => {
    expect(runWithin(50, work)).toBeUndefined();
    expect(runWithin(1_000, () => 1)).toEqual({ value: 1 });
  });
});

// The interruption is nothing that can be caught.
function runForEver(): never {
  const caught: unknown[] = [];
  for (;;) {
    try {
      for (;;);
    } catch (error) {
      caught.push(error);
    }
  }
}
