import { describe, expect, it } from "vitest";
import type { HeaderSource } from "../../../src/skills/header/entries.ts";
import {
  applyEdits,
  applyFixes,
  toFenceFix,
  toKeyFix,
  toMetadataFix,
  toNameFix,
  toRemovalFix,
  toToolsFix,
  toValueFix,
} from "../../../src/skills/header/fix.ts";
import type { TextEdit } from "../../../src/skills/schema.ts";

function toSource(header: string, pending: TextEdit[] = []): HeaderSource {
  return { lines: header.split("\n"), firstLine: 2, pending };
}

/** The header after a fix. */
function mend(header: string, toFix: (source: HeaderSource) => ReturnType<typeof toValueFix>) {
  const fix = toFix(toSource(header));
  return fix && applyFixes(`---\n${header}\n---\n`, [fix]).slice(4, -5);
}

describe("edits", () => {
  it.each<[string, string, TextEdit[], string]>([
    ["replace a line", "a\nb\nc\n", [{ line: 2, count: 1, text: "x" }], "a\nx\nc\n"],
    ["take lines out", "a\nb\nc\n", [{ line: 1, count: 2 }], "c\n"],
    ["put lines before one", "a\nb\n", [{ line: 2, count: 0, text: "x\ny" }], "a\nx\ny\nb\n"],
    ["put a line at the end", "a\n", [{ line: 2, count: 0, text: "x" }], "a\nx\n"],
    ["put a line behind one without an end", "a", [{ line: 2, count: 0, text: "x" }], "a\nx\n"],
    ["replace a last line without an end", "a\nb", [{ line: 2, count: 1, text: "x\ny" }], "a\nx\ny"],
    [
      "give new lines the ends of the file",
      "a\r\nb\r\n",
      [{ line: 2, count: 1, text: "x\ny" }],
      "a\r\nx\r\ny\r\n",
    ],
    ["know lone carriage returns", "a\rb\r", [{ line: 2, count: 1, text: "x" }], "a\rx\r"],
    ["leave other ends alone", "a\r\nb\nc\r", [{ line: 1, count: 1, text: "x" }], "x\r\nb\nc\r"],
    ["keep a byte-order mark", "\uFEFFa\nb\n", [{ line: 2, count: 1, text: "x" }], "\uFEFFa\nx\n"],
    ["keep it before a new first line", "\uFEFFa\n", [{ line: 1, count: 0, text: "x" }], "\uFEFFx\na\n"],
    ["drop it with the first line", "\uFEFFa\nb\n", [{ line: 1, count: 1, text: "a" }], "a\nb\n"],
    [
      "come in any order",
      "a\nb\nc\n",
      [
        { line: 3, count: 1, text: "z" },
        { line: 1, count: 1, text: "x" },
      ],
      "x\nb\nz\n",
    ],
    [
      "let the first of two win",
      "a\nb\nc\n",
      [
        { line: 2, count: 2, text: "x" },
        { line: 3, count: 1, text: "y" },
      ],
      "a\nx\n",
    ],
    [
      "are made once",
      "a\n",
      [
        { line: 1, count: 0, text: "x" },
        { line: 1, count: 0, text: "x" },
      ],
      "x\na\n",
    ],
    [
      "may stand side by side",
      "a\nb\n",
      [
        { line: 1, count: 1, text: "x" },
        { line: 2, count: 1 },
      ],
      "x\n",
    ],
    ["take `$&` as it stands", "a\n", [{ line: 1, count: 1, text: "$& $1" }], "$& $1\n"],
    ["may be none", "\uFEFFa\r\nb\rc\n", [], "\uFEFFa\r\nb\rc\n"],
  ])("%s", (_, text, edits, expected) => {
    expect(applyEdits(text, edits)).toBe(expected);
  });

  it("a fix that touches a line of another is left out whole", () => {
    const first = { description: "first", edits: [{ line: 2, count: 1, text: "x" }] };
    const second = {
      description: "second",
      edits: [
        { line: 1, count: 1, text: "y" },
        { line: 2, count: 1, text: "y" },
      ],
    };
    expect(applyFixes("a\nb\n", [first, second])).toBe("a\nx\n");
    expect(applyFixes("a\nb\n", [second, first])).toBe("y\ny\n");
  });
});

describe("fixes of a header", () => {
  it.each<[string, string, string]>([
    ["a: x\nb: y", "b", 'a: x\nb: "1: 2"'],
    ["b: y\n  z\n\n# c\na: x", "b", 'b: "1: 2"\n\n# c\na: x'],
    ["b: |\n  # y\n  z\na: x", "b", 'b: "1: 2"\na: x'],
    ["b:\n- y\n- z\na: x", "b", 'b: "1: 2"\na: x'],
    ["  b: y\n    z\n  a: x", "b", '  b: "1: 2"\n  a: x'],
    ["'b': y", "b", 'b: "1: 2"'],
    ["a:\n  b: y\nb: z", "b", 'a:\n  b: y\nb: "1: 2"'],
  ])("all lines of a key become one: %j", (header, key, expected) => {
    expect(mend(header, (source) => toValueFix(source, key, "1: 2"))).toBe(expected);
  });

  it("a plain word stands without quotes, and what YAML takes for something else does not", () => {
    const write = (text: string) => mend("a: x", (source) => toValueFix(source, "a", text));
    expect(["tidy-2", "true", "No", "12", "1e3", "~", "a b", ""].map(write)).toEqual([
      ...["a: tidy-2", 'a: "true"', 'a: "No"', 'a: "12"', 'a: "1e3"', 'a: "~"', 'a: "a b"', 'a: ""'],
    ]);
  });

  it("a key without lines of its own is left to a person", () => {
    expect(mend("{a: x}", (source) => toValueFix(source, "a", "y"))).toBeUndefined();
    expect(mend("b: x", (source) => toValueFix(source, "a", "y"))).toBeUndefined();
    expect(mend("{a: x}", (source) => toNameFix(source, "y"))).toBeUndefined();
  });

  it("lines that are mended otherwise are left alone", () => {
    const source = toSource("a: x\nb: y", [{ line: 3, count: 1, text: "b: z" }]);
    expect(toValueFix(source, "b", "1")).toBeUndefined();
    expect(toValueFix(source, "a", "1")).toBeDefined();
  });

  it("a name is set, or put before the other keys", () => {
    expect(mend("# c\na: x", (source) => toNameFix(source, "tidy"))).toBe("name: tidy\n# c\na: x");
    expect(mend("  a: x", (source) => toNameFix(source, "tidy"))).toBe("  name: tidy\n  a: x");
    expect(mend("a: x\nname:", (source) => toNameFix(source, "007"))).toBe('a: x\nname: "007"');
  });

  it("a list of tools becomes one text", () => {
    const tools = ["Read", "Bash(git add *)"];
    const fix = (source: HeaderSource) => toToolsFix(source, "allowed-tools", tools);
    expect(mend("allowed-tools:\n  - Read\n  - Bash(git add *)\na: x", fix)).toBe(
      "allowed-tools: Read Bash(git add *)\na: x",
    );
    expect(mend("allowed-tools: [x]", (source) => toToolsFix(source, "allowed-tools", ["Bash(a: b)"]))).toBe(
      'allowed-tools: "Bash(a: b)"',
    );
  });

  it("a value of metadata is put in quotes, a key beside it is not", () => {
    const header = "version: 1\nmetadata:\n  version: 1.10\n  a: x";
    expect(mend(header, (source) => toMetadataFix(source, "version", "1.10", 4))).toBe(
      'version: 1\nmetadata:\n  version: "1.10"\n  a: x',
    );
    expect(mend(header, (source) => toMetadataFix(source, "version", "1", 2))).toBeUndefined();
  });

  it("a key is spelled right and keeps its value", () => {
    expect(
      mend("allowedTools:\n  - Read", (source) => toKeyFix(source, "allowedTools", "allowed-tools")),
    ).toBe("allowed-tools:\n  - Read");
  });

  it("a key is taken out with its lines, but not what another value refers to", () => {
    expect(mend("a: x\na: >-\n  y\nb: z", (source) => toRemovalFix(source, "a", 3))).toBe("a: x\nb: z");
    expect(mend("a: x\na: &y z\nb: *y", (source) => toRemovalFix(source, "a", 3))).toBeUndefined();
  });
});

describe("fences", () => {
  const good = "---\nname: x\n---\nBody.\n";

  it.each([
    ["a byte-order mark", `\uFEFF${good}`],
    ["blank lines", `\n \n${good}`],
    ["both", `\uFEFF\n${good}`],
    ["trailing blanks", "---  \nname: x\n---\t\nBody.\n"],
  ])("%s", (_, text) => {
    const fix = toFenceFix(text);
    expect(applyFixes(text, fix ? [fix] : [])).toBe(good);
  });

  it.each([
    good,
    "---\nname: x\n---",
    "---\n---\n",
    "---\n\n---\n",
    "No header.\n",
    "---\nname: x\n",
    "---js\n---\n",
  ])("%j is left as it stands", (text) => {
    expect(toFenceFix(text)).toBeUndefined();
  });
});
