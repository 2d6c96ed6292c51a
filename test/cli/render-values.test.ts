import { describe, expect, it } from "vitest";
import { renderValues } from "../../src/cli/render-values.ts";

describe("values for people", () => {
  it.each([
    ["a text", "Plan it", "key: Plan it"],
    ["a number", 3, "key: 3"],
    ["nothing", null, "key: null"],
    ["an empty list", [], "key: []"],
    ["an empty object", {}, "key: {}"],
    ["a text that reads like a number", "3", 'key: "3"'],
    ["a text that reads like a list", "[]", 'key: "[]"'],
    ["an empty text", "", 'key: ""'],
    ["a text with blanks at its end", "x ", 'key: "x "'],
    ["a small object", { a: 1, b: "x", c: "1, d: 2" }, 'key: {a: 1, b: x, c: "1, d: 2"}'],
  ])("%s is one line", (_name, value, line) => {
    expect(renderValues({ key: value }, "  ")).toEqual([`  ${line}`]);
  });

  it("lists have a line an entry, and what is nested has a margin of its own", () => {
    const value = ["a", { text: "one\ntwo\n" }, [1], { deep: { list: [{ x: 1 }] } }];
    expect(renderValues({ key: value }, "")).toEqual([
      "key:",
      "  - a",
      "  -",
      "    text:",
      "      one",
      "      two",
      "  -",
      "    - 1",
      "  -",
      "    deep:",
      "      list:",
      "        - {x: 1}",
    ]);
  });

  it("an object that is too long for a line has a line a key", () => {
    const long = "x".repeat(200);
    expect(renderValues({ key: { long } }, "")).toEqual(["key:", `  long: ${long}`]);
  });

  it("no key can pass for another line", () => {
    expect(renderValues({ "a: 1\nversion": 2 }, "")).toEqual(['"a: 1\\nversion": 2']);
  });

  it("nothing is cut from a long text", () => {
    const text = "word ".repeat(20_000).trim();
    expect(renderValues({ text }, "")).toEqual([`text: ${text}`]);
  });
});
