import { describe, expect, it } from "vitest";
import { parseAnswer, parseObject } from "../../src/cli/json-text.ts";

describe("what is typed", () => {
  it.each(["007", "1.10", "1e3", "12345678901234567890", "{broken", "yes"])("%s stays text", (text) => {
    expect(parseAnswer(text)).toBe(text);
  });

  it.each(["[1]", "null", '"x"', "1", "{broken", ""])("%j is no object", (text) => {
    expect(parseObject(text)).toBeUndefined();
    expect(parseObject('{"a":[1]}')).toEqual({ a: [1] });
  });
});
