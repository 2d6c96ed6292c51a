import { describe, expect, it } from "vitest";
import { rankSkills } from "../../src/model/offline-match.ts";

const catalog = [
  {
    name: "file-organizer",
    description:
      "Tidies a messy folder: sorts loose files into folders by kind. Use to clean up downloads. Not for deleting duplicates, and not for source code repositories.",
  },
  { name: "pdf-tables", description: "Extracts tables from PDF files into spreadsheets." },
  {
    name: "release-notes",
    description: "Writes a changelog from git commits. Do not use for deploying releases.",
  },
  { name: "会议纪要", description: "把会议录音整理成纪要。不适用于翻译文件。" },
  { name: "photo-resizer", description: "Resizes photos and images for the web." },
];

const choose = (request: string) => rankSkills(request, catalog).chosen?.name;

describe("rankSkills", () => {
  it.each([
    ["tidy up my downloads folder", "file-organizer"],
    ["Please organise the loose files in inbox/", "file-organizer"],
    ["extract the tables of report.pdf", "pdf-tables"],
    ["I need the changelog for the last commits", "release-notes"],
    ["resizing images", "photo-resizer"],
    ["请帮我整理会议纪要", "会议纪要"],
    ["会议录音", "会议纪要"],
  ])("%s → %s", (request, name) => {
    expect(choose(request)).toBe(name);
  });

  it.each([
    "what is the weather in Lisbon tomorrow",
    "write a poem about the sea and the files of life",
    "hello",
    "",
    "the of and",
    "deleting duplicates in source code repositories",
    "deploying releases",
    "翻译文件",
  ])("none for %j", (request) => {
    expect(choose(request)).toBeUndefined();
  });

  it("chooses none when two fit equally well", () => {
    const twins = ["a", "b"].map((name) => ({ name, description: "Sorts the files of a folder." }));
    expect(rankSkills("sort the files of my folder", twins).chosen).toBeUndefined();
  });

  it("chooses from a catalog of one, and none from an empty one", () => {
    expect(rankSkills("tidy my messy folder", catalog.slice(0, 1)).chosen?.name).toBe("file-organizer");
    expect(rankSkills("write a poem about the sea", catalog.slice(0, 1)).chosen).toBeUndefined();
    expect(rankSkills("tidy my messy folder", [])).toEqual({ ranked: [] });
  });

  it("B1: finds the one of 120 skills that describes the request", () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      name: `skill-${index}`,
      description: `Handles reports and data files of department ${index}${index === 117 ? ", payroll slips too" : ""}.`,
    }));
    expect(rankSkills("send the payroll slips", many).chosen?.name).toBe("skill-117");
  });

  it("names the shared words as the person wrote them", () => {
    expect(rankSkills("Tidying messy Folders", catalog).chosen?.shared).toEqual([
      "tidying",
      "messy",
      "folders",
    ]);
    expect(rankSkills("整理会议录音", catalog).chosen?.shared).toEqual(["整理", "会议录音"]);
  });

  it("is not misled by names of the language itself", () => {
    expect(rankSkills("constructor toString __proto__", catalog).chosen).toBeUndefined();
  });
});
