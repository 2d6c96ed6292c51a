import { describe, expect, it } from "vitest";
import { isFamily, joinPairs, toWords } from "../../../src/skills/listing/words.ts";

describe("toWords", () => {
  const stems = (text: string) => toWords(text).map((word) => word.stem);

  it.each([
    ["organize organizes organized organizing organizer organiser organising"],
    ["file files filing"],
    ["tidy tidies tidied tidying"],
    ["sort sorts sorted sorting"],
    ["plan plans planned planning"],
    ["summary summaries"],
  ])("gives one stem to %s", (text) => {
    expect(new Set(stems(text)).size).toBe(1);
  });

  it("keeps different words apart", () => {
    expect(new Set(stems("image imagine note node class clock commit comment")).size).toBe(8);
  });

  it("pairs characters where no blanks part words, and joins them again", () => {
    expect(stems("整理文件")).toEqual(["整理", "理文", "文件"]);
    expect(stems("PDF文件")).toEqual(["pdf", "文件"]);
    expect(joinPairs(["整理", "理文", "文件", "pdf", "fox"])).toEqual(["整理文件", "pdf", "fox"]);
  });
});

it.each([
  ["report", "reporting", true],
  ["reporting", "report", true],
  ["report", "reportage", true],
  ["port", "portable", false],
  ["report", "deport", false],
  ["commun", "communicating", false],
])("isFamily(%s, %s) is %s", (one, other, expected) => {
  expect(isFamily(one, other)).toBe(expected);
});
