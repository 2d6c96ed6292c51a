import { describe, expect, it } from "vitest";
import { lint, readFaults, skillFile } from "./lint.ts";

const judge = (description: string) =>
  lint(skillFile(`name: tidy\ndescription: ${JSON.stringify(description)}`));

describe("a description by which nobody can choose", () => {
  it.each([
    ["Helps with stuff."],
    ["Reads it."],
    ["A general utility that helps users with various tasks."],
    ["Use when the user wants help with anything."],
    ["A skill that reads letters. Use when the post has come."],
    ["This is a skill for reading letters when the post has come."],
    ["I read letters. Use when the post has come."],
    ["I'll read letters when the post has come."],
    ["My job is to read letters when the post has come."],
    ["整理"],
  ])("%s", async (description) => {
    expect(await judge(description)).toEqual(["warning description-vague 3"]);
  });

  it.each([
    ["This skill should be used when the user asks to read letters."],
    ["Helps with tax returns. Use when a person asks about taxes."],
    ["Skill authoring: writes and tests skills. Use when someone asks for a skill."],
    ["Iterates over letters. Use when the post has come."],
    ["I/O benchmarks of a disk. Use when a disk is slow."],
    ["整理下载文件夹"],
    ["Use when asked to tidy."],
  ])("is not this: %s", async (description) => {
    expect(await judge(description)).toEqual([]);
  });

  it("is told with what to write instead", async () => {
    expect(
      await readFaults(skillFile("name: tidy\ndescription: A skill that reads. Use when asked.")),
    ).toEqual([
      'SKILL.md:3 The description begins with "A skill that …". Begin with what the skill does, such as "Counts …".',
    ]);
  });
});
