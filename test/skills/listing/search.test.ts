import { describe, expect, it } from "vitest";
import { searchSkills } from "../../../src/skills/listing/search.ts";
import { toSkill } from "../../support/skill.ts";

const skills = [
  toSkill("file-organizer", "Tidies a messy folder: sorts loose files into folders by kind."),
  toSkill("pdf-tables", "Extracts tables from documents into spreadsheets.", {
    argumentHint: "<file.pdf> [page range]",
  }),
  toSkill("release-notes", "Writes a changelog from git commits."),
  toSkill("会议纪要", "把会议录音整理成纪要。"),
  toSkill("photo-resizer", "Resizes photos and images for the web, and files them by folder."),
  toSkill("2024-07", "Accounts."),
];

const search = (query: string, options = {}) =>
  searchSkills(skills, query, options).found.map(({ name }) => name);

describe("searchSkills", () => {
  it.each([
    ["sorting the folders", "file-organizer"],
    ["extract a table", "pdf-tables"],
    ["page range", "pdf-tables"],
    ["CHANGELOGS", "release-notes"],
    ["commit", "release-notes"],
    ["会议", "会议纪要"],
    ["整理录音", "会议纪要"],
    ["image", "photo-resizer"],
    ["/pdf-tables", "pdf-tables"],
    ["Pdf Tables", "pdf-tables"],
    ["what does release-notes do", "release-notes"],
    ["2024-07", "2024-07"],
    ["2024", "2024-07"],
  ])("%s → %s", (query, name) => {
    expect(search(query)[0]).toBe(name);
  });

  describe("numbers, single letters and names with marks", () => {
    const exact = [
      toSkill("iso-audit", "Checks a policy against ISO 9001."),
      toSkill("iso-security", "Checks a policy against ISO 27001."),
      toSkill("long-form", "Fills in the form 270012."),
      toSkill("topic-249", "Reference for one topic."),
      toSkill("topic-250", "Reference for one topic."),
      toSkill("c", "Writes programs in C."),
      toSkill("cpp", "Writes programs in C++."),
      toSkill("csharp", "Writes programs in C#, for .NET."),
      toSkill("stats", "Writes programs in R."),
      toSkill("tax", "Fills in the 1099 and the W-2."),
    ];
    it.each([
      ["ISO 27001", "iso-security"],
      ["iso27001", "iso-security"],
      ["27001", "iso-security"],
      ["policy for iso 9001", "iso-audit"],
      ["topic 250", "topic-250"],
      ["a program in C++", "cpp"],
      ["C++", "cpp"],
      ["C#", "csharp"],
      ["c# program", "csharp"],
      ["C", "c"],
      ["a program in C", "c"],
      ["R", "stats"],
      ["write a program in R", "stats"],
      [".NET", "csharp"],
      ["asp.net", "csharp"],
      ["1099", "tax"],
      ["form W-2", "tax"],
    ])("%s → %s", (query, name) => {
      expect(searchSkills(exact, query).found[0]?.name).toBe(name);
    });

    it("a number is found as it is written only", () => {
      expect(searchSkills(exact, "27001").found.map(({ name }) => name)).toEqual(["iso-security"]);
    });
  });

  it("a rare word counts more than a common one, and a word of the name more than one of the description", () => {
    expect(search("files photos")[0]).toBe("photo-resizer");
    const two = [toSkill("notes", "Writes."), toSkill("writer", "Takes notes.")];
    expect(searchSkills(two, "notes").found.map(({ name }) => name)).toEqual(["notes", "writer"]);
  });

  it("gives so many at most, counts the others and keeps their order when they are alike", () => {
    const alike = Array.from({ length: 30 }, (_, index) => toSkill(`x${index}`, "Sorts files."));
    const { found, total, nearest } = searchSkills(alike, "sort files");
    expect(found.map(({ name }) => name)).toEqual(alike.slice(0, 10).map(({ name }) => name));
    expect([total, nearest]).toEqual([30, []]);
    expect(searchSkills(alike, "sort files", { limit: 2 }).found).toHaveLength(2);
  });

  it("finds only what is offered", () => {
    const offered = skills.filter(({ name }) => name !== "pdf-tables");
    expect(search("pdf-tables extract tables", { offered })).toEqual([]);
    expect(searchSkills(skills, "pdf-tablse", { offered }).nearest).toEqual([]);
  });

  it("names what is written alike when nothing is found", () => {
    expect(searchSkills(skills, "rlease-ntoes")).toMatchObject({ found: [], nearest: ["release-notes"] });
    expect(searchSkills(skills, "please use fotoresizer")).toEqual({
      found: [],
      total: 0,
      nearest: ["photo-resizer"],
    });
    expect(searchSkills(skills, "zzzz")).toEqual({ found: [], total: 0, nearest: [] });
    expect(searchSkills([], "files")).toEqual({ found: [], total: 0, nearest: [] });
  });

  it.each(["", "  ", "the of and", "$&", "constructor __proto__", "(", "\\", "a".repeat(20_000)])(
    "nothing for %j",
    (query) => {
      expect(search(query)).toEqual([]);
    },
  );

  it("finds each of 1,000 skills by its name, and quickly", () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      toSkill(`skill-${index}`, `Handles word${index % 97} and word${index % 89} of department ${index}.`),
    );
    searchSkills(many, "warm up");
    const begin = performance.now();
    for (const { name } of many) expect(searchSkills(many, name).found[0]?.name).toBe(name);
    expect((performance.now() - begin) / many.length).toBeLessThan(25);
  });
});
