import { describe, expect, it } from "vitest";
import { isFamily, joinPairs, toSearchWords, toWords } from "../../../src/skills/listing/words.ts";

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

describe("toSearchWords", () => {
  it.each([
    ["ISO 27001 audits", ["iso", "27001", "audit"]],
    ["iso27001", ["iso27001", "iso", "27001"]],
    ["form 1099", ["form", "1099"]],
    ["C, C++ and C#", ["c++", "c#", "c"]],
    ["R for statistics", ["r", "statistic"]],
    [".NET and ASP.NET", [".net", "net", "asp", "net"]],
    ["don't; John’s I'd l'index", ["don", "john", "index"]],
    ["a, s and t", []],
    ["第 5 章", ["第", "5", "章"]],
  ])("%s → %j", (text, expected) => {
    expect(toSearchWords(text).map(({ stem }) => stem)).toEqual(expected);
  });

  it("what a catalog is chosen by without a model stays as it was", () => {
    expect(toWords("ISO 27001 in R and C++").map(({ stem }) => stem)).toEqual(["iso"]);
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
