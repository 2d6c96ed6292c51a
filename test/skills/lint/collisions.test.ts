import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeCollisions } from "../../../src/skills/lint/collisions.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import type { Skill } from "../../../src/skills/schema.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder, writeFile } from "../temp-folder.ts";
import { skillFile } from "./lint.ts";

async function check(descriptions: Record<string, string>): Promise<string[]> {
  const root = createFolder();
  for (const [folder, description] of Object.entries(descriptions)) {
    const name = folder.split("/").at(-1);
    writeFile(join(root, folder, "SKILL.md"), skillFile(`name: ${name}\ndescription: ${description}`));
  }
  const { diagnostics } = await lintPaths(["."], root);
  return diagnostics.map(
    (each) =>
      `${each.path.slice(root.length + 1)}:${each.line} ${each.code} ${each.message.replaceAll(root, "…")}`,
  );
}

describe("skills that are offered together", () => {
  it("two descriptions that say nearly the same are told at both", async () => {
    const says = "nobody can choose between them. Say what sets this skill apart.";
    expect(
      await check({
        a: "Extracts tables and text from PDF files into spreadsheets. Use when a PDF holds data.",
        b: "Extracts text and tables from PDF files into the spreadsheets, when the PDF holds data.",
        c: "Extracts tables and text from Word files into spreadsheets. Use when a letter holds data.",
      }),
    ).toEqual([
      `a/SKILL.md:3 description-twin The description says nearly the same as that of "b" (…/b): ${says}`,
      `b/SKILL.md:3 description-twin The description says nearly the same as that of "a" (…/a): ${says}`,
    ]);
  });

  it.each([
    [
      "other things",
      "Edits PDF files and keeps their form. Use when asked.",
      "Edits Word files and keeps their form. Use when asked.",
    ],
    ["few words", "Tidies. Use when asked.", "Tidies. Use when asked."],
    ["wide scripts", "整理下载文件夹里的文件", "翻译下载文件夹里的合同"],
  ])("%s: no fault", async (_title, a, b) => {
    expect(await check({ a, b })).toEqual([]);
  });

  it("siblings that each name what only they are for are no twins", async () => {
    const toText = (what: string) =>
      `Automates ${what} tasks through the connector of the team: always search the current schemas first and list accounts.`;
    expect(await check({ "gmail-automation": toText("Gmail"), "jira-automation": toText("Jira") })).toEqual([
      ...(await check({ "gmail-automation": toText("Gmail") })),
      ...(await check({ "jira-automation": toText("Jira") })),
    ]);
    expect(await check({ a: toText("Gmail"), b: toText("Jira") })).toContainEqual(
      expect.stringContaining("description-twin"),
    );
  });

  it.each([
    ["digital-ocean", "DigitalOcean", "gift-up", "Gift Up"],
    ["composio", "Composio", "click-send", "Composio ClickSend"],
    ["postgres", "PostgreSQL", "mysql", "MySQL"],
    ["a", "A", "b", "B"],
  ])("%s (%s) and %s (%s) are named apart", async (one, what, other, that) => {
    const toText = (name: string) =>
      `Automates tasks of ${name} through Composio and the team. Always search the current schemas first. Use when asked.`;
    expect(await check({ [one]: toText(what), [other]: toText(that) })).toEqual([]);
  });

  it("copies are twins, also when their names are in the text", async () => {
    const text = "Reviews mail and letters of a desk for what is open. Use when the post has come.";
    expect(await check({ mail: text, letters: text })).toHaveLength(2);
  });

  it("a copy in a wide script is found", async () => {
    const faults = await check({
      a: "整理下载文件夹里的所有文件并且分类",
      b: "整理下载文件夹里的所有文件并且分类。",
    });
    expect(faults).toHaveLength(2);
  });

  it("a second skill of one name is an error where it is not offered, and only there", async () => {
    const faults = await check({
      "x/tidy": "Tidies folders. Use when asked.",
      "y/tidy": "Sorts letters. Use when asked.",
    });
    expect(faults).toEqual([
      'y/tidy/SKILL.md:2 name-twice The name "tidy" is taken by …/x/tidy/SKILL.md, which comes first: this skill is not offered. Give one of them another name.',
    ]);
  });

  it.each([
    [
      "different",
      (index: number) =>
        `Counts apples of basket ${index} and of shelf ${index + 7}, then reports them. Use when row ${index} is asked for.`,
    ],
    [
      "alike",
      () => "Counts the apples of one basket and reports them to the owner. Use when apples are asked for.",
    ],
  ])("four times as many descriptions, all %s, take about four times as long", (_title, describeSkill) => {
    const measure = (count: number): number => {
      const skills = Array.from({ length: count }, (_, index) => ({
        skill: { name: `s${index}`, description: describeSkill(index), path: `/s${index}/SKILL.md` } as Skill,
        nameLine: 2,
        descriptionLine: 3,
      }));
      const readCpu = startCpuClock();
      judgeCollisions(skills);
      return readCpu();
    };
    measure(500);
    const few = Math.max(measure(1000), 5);
    expect(measure(4000)).toBeLessThan(few * 12);
  });
});
