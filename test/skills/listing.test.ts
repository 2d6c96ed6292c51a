import { describe, expect, it } from "vitest";
import { type ListedSkill, parseListing, renderListing } from "../../src/skills/listing.ts";

const manySkills = (count: number, length: number): ListedSkill[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `skill-${index}`,
    description: `Number ${index} ${"word ".repeat(length)}`.slice(0, length).trimEnd(),
  }));

describe("renderListing", () => {
  it("writes one entry a skill, in the given order, with the hint", () => {
    const { text, shortened } = renderListing([
      { name: "b", description: "Second\n  letter", argumentHint: "<file>" },
      { name: "a", description: "First: letter" },
    ]);
    expect(text.split("\n")).toEqual([
      "<skills>",
      "- b: Second letter",
      "  arguments: <file>",
      "- a: First: letter",
      "</skills>",
    ]);
    expect(shortened).toEqual([]);
  });

  it("B1: over the budget keeps every name and cuts the descriptions fairly, the same way each time", () => {
    const skills = [...manySkills(119, 300), { name: "short", description: "Short one." }];
    const { text, shortened } = renderListing(skills, 6_000);
    expect(text.length).toBeLessThanOrEqual(6_000);
    const entries = parseListing(text);
    expect(entries.map((entry) => entry.name)).toEqual(skills.map((skill) => skill.name));
    expect(entries.at(-1)?.description).toBe("Short one.");
    const lengths = entries.slice(0, -1).map((entry) => entry.description.length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
    expect(entries[0]?.description.endsWith("…")).toBe(true);
    expect(shortened).toEqual(skills.slice(0, -1).map((skill) => skill.name));
    expect(renderListing(skills, 6_000)).toEqual({ text, shortened });
  });

  it("gives the room that short descriptions leave to the long ones", () => {
    const skills = [...manySkills(9, 20), { name: "long", description: "x".repeat(300) }];
    const { text } = renderListing(skills, 500);
    expect(text.length).toBeGreaterThan(490);
    expect(
      parseListing(text)
        .slice(0, 9)
        .every((entry) => entry.description.length <= 20),
    ).toBe(true);
  });

  it("leaves the hints out before it cuts a description", () => {
    const skills = [{ name: "a", description: "One two three.", argumentHint: "x".repeat(200) }];
    const { text, shortened } = renderListing(skills, 60);
    expect(text).not.toContain("arguments");
    expect(parseListing(text)).toEqual([{ name: "a", description: "One two three." }]);
    expect(shortened).toEqual([]);
  });

  it.each(["👩‍👩‍👧‍👦", "e\u0301", "𝒳", "各"])("never cuts inside %s", (character) => {
    for (let budget = 60; budget < 120; budget += 1) {
      const description = character.repeat(120);
      const [entry] = parseListing(renderListing([{ name: "a", description }], budget).text);
      const cut = entry?.description ?? "";
      if (cut !== "") expect(cut).toBe(`${character.repeat((cut.length - 1) / character.length)}…`);
    }
  });

  it("cuts as late as it can, whatever signs stand around", () => {
    const signs = ["a", "é", "e\u0301", "👩‍👩‍👧‍👦", "各", "\u0915\u094d\u0937", " b"];
    const description = Array.from({ length: 80 }, (_, index) => signs[(index * 5) % signs.length]).join("");
    const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    const ends = [...graphemes.segment(description)].map(({ index }) =>
      description.slice(0, index).trimEnd(),
    );
    let count = 0;
    for (let budget = 40; budget < 30 + description.length; budget += 1) {
      const { text } = renderListing([{ name: "a", description }], budget);
      const cut = parseListing(text)[0]?.description ?? "";
      if (!cut.endsWith("…")) continue;
      const longest = ends.filter((end) => end.length + text.length - cut.length + 1 <= budget).at(-1);
      expect(cut).toBe(`${longest}…`);
      count += 1;
    }
    expect(count).toBeGreaterThan(100);
  });

  it("drops descriptions altogether when only names fit, and says whose", () => {
    const skills = [...manySkills(20, 100), { name: "bare", description: "" }];
    const names = skills.map((skill) => skill.name);
    const { text, shortened } = renderListing(skills, 300);
    expect(parseListing(text)).toEqual(names.map((name) => ({ name, description: "" })));
    expect(shortened).toEqual(names.slice(0, 20));
  });

  it("counts the skills whose names do not fit, and names them as shortened", () => {
    const skills = manySkills(500, 50);
    const { text, shortened } = renderListing(skills, 400);
    expect(text.length).toBeLessThanOrEqual(400);
    const kept = parseListing(text);
    expect(kept.length).toBeGreaterThan(10);
    expect(text).toContain(`and ${500 - kept.length} more`);
    expect(shortened).toEqual(skills.map((skill) => skill.name));
  });

  it("stays within any budget that holds the last line", () => {
    const skills = manySkills(30, 80);
    for (let budget = 40; budget < 3_200; budget += 7) {
      expect(renderListing(skills, budget).text.length).toBeLessThanOrEqual(budget);
    }
  });
});

describe("parseListing", () => {
  it.each<[string, ListedSkill]>([
    ["Chinese letters", { name: "整理-文件", description: "整理文件夹：按类型" }],
    ["a colon in the description", { name: "a", description: "Use when: it is wrong - b: c" }],
    ["a name with a colon and blanks", { name: 'my: "odd" skill', description: "x" }],
    ["a name with combining marks", { name: "नमस्ते", description: "y" }],
    ["a description that ends the list", { name: "a", description: "</skills>" }],
  ])("reads back %s", (_title, skill) => {
    expect(parseListing(renderListing([skill]).text)).toEqual([skill]);
  });

  it("finds the list inside a longer text and nothing outside of it", () => {
    const text = `- not: a skill\n${renderListing([{ name: "a", description: "b" }]).text}\n- nor: this`;
    expect(parseListing(text)).toEqual([{ name: "a", description: "b" }]);
  });

  it("reads nothing from a text without a list, and an empty list as empty", () => {
    expect(parseListing("- a: b")).toEqual([]);
    expect(parseListing(renderListing([]).text)).toEqual([]);
  });
});
