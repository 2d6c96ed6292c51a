import { describe, expect, it } from "vitest";
import { parseListing } from "../../src/skills/listing/listing.ts";
import { searchSkills } from "../../src/skills/listing/search.ts";
import { searchSkillsTool } from "../../src/tools/search-skills.ts";
import { parseInput } from "../../src/tools/toolbox.ts";
import { toSkill } from "../support/skill.ts";

const skills = [
  ...Array.from({ length: 20 }, (_, index) =>
    toSkill(`report-${index}`, `Writes report ${index}. ${"x".repeat(2_000)}`),
  ),
  toSkill("mode-report", "Always reports.", { mode: true, argumentHint: "<what>" }),
];

function run(input: Record<string, unknown>, from = skills): Promise<string> {
  const context = {
    workspace: "/",
    readableFolders: [],
    environment: {},
    outputFolder: "/",
    searchSkills: (query: string, limit: number) => searchSkills(from, query, { limit }),
  };
  const parsed = parseInput(searchSkillsTool, input);
  if (!parsed.ok) throw new Error(parsed.message);
  return searchSkillsTool.run(parsed.input, context);
}

describe("SearchSkills", () => {
  it("shows ten skills at most, whole, says how many there are and how to load one", async () => {
    const text = await run({ query: "report", limit: 50 });
    const found = parseListing(text);
    expect(found).toHaveLength(10);
    expect(text).toMatch(/^Best first, 10 of 21; more words of the task narrow it down:\n/);
    expect(text).toMatch(/\nLoad one with Skill \{"name": "…"\}\.$/);
    expect(
      found
        .filter(({ name }) => name !== "mode-report")
        .every(({ description }) => description.length > 2_000),
    ).toBe(true);
  });

  it.each([
    [{ query: "report", limit: 3 }, 3],
    [{ q: "report", limit: "2" }, 2],
    [{ keywords: "report", limit: 0 }, 1],
    [{ query: "report", limit: -5 }, 1],
    [{ query: "report", limit: 2.9 }, 2],
  ])("%j finds %i", async (input, count) => {
    expect(parseListing(await run(input))).toHaveLength(count);
  });

  it("the best stands first, whatever its kind, with its hint", async () => {
    const text = await run({ query: "always" });
    expect(text).toBe(
      'Best first, 1:\n<skills>\n- mode-report: Always reports.\n  arguments: &lt;what&gt;\n</skills>\nLoad one with Skill {"name": "…"}.',
    );
    const first = parseListing(await run({ query: "report-7 reports" }))[0];
    expect(first?.name).toBe("report-7");
  });

  it("names what is written alike when nothing fits, and answers without any skill", async () => {
    expect(await run({ query: "mdoe-reprot" })).toBe(
      "No skill fits these words. Nearest names: mode-report. Try other words: names and descriptions are searched.",
    );
    expect(await run({ query: "x" }, [])).toContain("No skill fits these words.");
  });

  it("asks for words", () => {
    expect(parseInput(searchSkillsTool, {})).toMatchObject({ ok: false });
    expect(parseInput(searchSkillsTool, { query: "" })).toMatchObject({ ok: false });
  });
});
