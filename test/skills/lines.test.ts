import { describe, expect, it } from "vitest";
import { readLines } from "../../src/skills/lines.ts";

const kinds = (text: string) => readLines(text).lines.map(({ kind }) => kind);

describe("what a line is part of", () => {
  it.each([
    ["text", "a\n\n# b", ["text", "text", "text"]],
    ["fenced code", "a\n```js\nb\n```\nc", ["text", "opening", "code", "closing", "text"]],
    ["code without a line", "```\n```\na", ["opening", "closing", "text"]],
    ["a comment of one line", "<!-- a -->\nb", ["comment", "text"]],
    ["a comment of three", "<!-- a\n```\n-->\nb", ["comment", "comment", "comment", "text"]],
    ["a comment within code", "```\n<!--\n```\na", ["opening", "code", "closing", "text"]],
    ["a shorter fence within a longer", "````\n```\n````\na", ["opening", "code", "closing", "text"]],
    ["tildes within backticks", "```\n~~~\n```\na", ["opening", "code", "closing", "text"]],
    ["four blanks before a fence", "    ```\na", ["text", "text"]],
    ["four blanks before a comment", "    <!--\na", ["text", "text"]],
    ["a backtick behind the fence", "```a`\nb", ["text", "text"]],
  ])("%s", (_title, text, expected) => {
    expect(kinds(text)).toEqual(expected);
    expect(readLines(text)).not.toHaveProperty("open");
  });

  it.each([
    ["a fence", "a\n~~~\nb\n", { index: 1, kind: "fence" }, ["text", "opening", "code", "code"]],
    [
      "a comment",
      "```\n```\n<!--\n```",
      { index: 2, kind: "comment" },
      ["opening", "closing", "comment", "comment"],
    ],
  ])("%s that is never closed holds the rest", (_title, text, open, expected) => {
    expect(readLines(text).open).toEqual(open);
    expect(kinds(text)).toEqual(expected);
  });

  it("the code and the end of a fence know how it was opened", () => {
    const fence = { mark: "`", length: 4, indent: 2, info: "bash run" };
    expect(readLines("  ```` bash run\na\n`````").lines).toMatchObject([{ fence }, { fence }, { fence }]);
  });

  it("places count in the text as it stands, whatever its line ends are", () => {
    const text = "a\r\nbc\rd\n";
    const { lines } = readLines(text);
    expect(lines.map(({ text: line, index }) => [index, line])).toEqual([
      [0, "a"],
      [1, "bc"],
      [2, "d"],
      [3, ""],
    ]);
    expect(lines.map(({ start, end }) => text.slice(start, end))).toEqual(["a", "bc", "d", ""]);
  });
});
