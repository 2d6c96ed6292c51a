import { describe, expect, it } from "vitest";
import { findObject } from "../../src/model/offline-output.ts";
import { startCpuClock } from "../support/cpu-clock.ts";

describe("the JSON object in what a command printed", () => {
  it.each<[string, string, Record<string, unknown> | undefined]>([
    ["the whole", ' {"a":\n 1 }\n', { a: 1 }],
    ["the last line", 'reading …\n{"a":1}\n', { a: 1 }],
    ["a line before others", '{"a":1}\nDone.', { a: 1 }],
    ["the last of several", '{"a":1}\n{"a":2}\r\nnote', { a: 2 }],
    ["several lines", 'note\n{\n  "a": [\n    {"b": 1}\n  ]\n}\nDone.', { a: [{ b: 1 }] }],
    ["lines that end in two characters", 'note\r\n{\r\n  "a": 1\r\n}\r\nDone.', { a: 1 }],
    ["a fenced block", 'Here:\n```json\n{\n  "a": 1\n}\n```\nDone.', { a: 1 }],
    ["a broken one after a whole one", '{"a":1}\n{"a":', { a: 1 }],
    ["a key that objects inherit", '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
    ["no list", '[{"a":1}]', undefined],
    ["no number", "1", undefined],
    ["no text", "", undefined],
    ["no object in the middle of a line", 'got {"a":1}', undefined],
    [
      "no part of a larger one that was cut",
      '{\n  "a": [\n[… 9 left out …]\n    {\n      "b": 1\n    }\n  ]\n}',
      undefined,
    ],
  ])("is %s", (_title, text, expected) => {
    expect(findObject(text)).toEqual(expected);
  });

  it("is found in time in a long text of braces", () => {
    const readCpu = startCpuClock();
    expect(findObject("{\n".repeat(15_000))).toBeUndefined();
    expect(readCpu()).toBeLessThan(5_000);
  });
});
