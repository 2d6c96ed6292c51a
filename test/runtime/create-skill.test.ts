import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSkill } from "../../src/runtime/create-skill.ts";
import { lintPaths } from "../../src/skills/lint/lint-paths.ts";
import { createWorkspace } from "../support/workspace.ts";

const plain = { wizard: false };
const wizard = { wizard: true };

describe("createSkill", () => {
  it.each([
    ["sort-mail", plain],
    ["sort-mail", wizard],
    ["007", plain],
    ["null", wizard],
    ["技能", plain],
    ["x".repeat(64), wizard],
  ])("the skill %s with %j has no fault", async (name, options) => {
    const { folder } = createWorkspace();
    const skill = createSkill(name, folder, options);
    expect(skill).toMatchObject({ name, folder: join(folder, "skills", name) });
    expect(skill.files[0]).toBe(join(skill.folder, "SKILL.md"));
    expect(skill.files.every((file) => existsSync(file))).toBe(true);
    expect(await lintPaths([], folder)).toEqual({ files: [skill.files[0]], diagnostics: [] });
  });

  it("a wizard has a file for each stage", () => {
    const { folder } = createWorkspace();
    const skill = createSkill("trip", folder, wizard);
    expect(readdirSync(join(skill.folder, "stages"))).toEqual(["01-look.md", "02-report.md"]);
  });

  it("a skill that a bundled one has the name of takes its place, and says so", () => {
    const { folder } = createWorkspace();
    const notice = 'It takes the place of the bundled skill "release".';
    expect(createSkill("release", folder, plain).notice).toBe(notice);
    expect(createSkill("releases", folder, plain)).not.toHaveProperty("notice");
  });

  it("a name in two Unicode forms is one", () => {
    const { folder } = createWorkspace();
    createSkill("café".normalize("NFC"), folder, plain);
    expect(() => createSkill("café".normalize("NFD"), folder, plain)).toThrow("is there already");
  });

  it.each([
    [""],
    ["Tidy"],
    ["a_b"],
    ["a--b"],
    ["-a"],
    ["a-"],
    ["a b"],
    [" a"],
    ["a/b"],
    [".."],
    ["a\u200bb"],
    ["x".repeat(65)],
  ])("the name %j is refused with the rule, and nothing is written", (name) => {
    const { folder } = createWorkspace();
    expect(() => createSkill(name, folder, plain)).toThrow(
      "A name is 1 to 64 lower-case letters, digits and single hyphens, such as sort-mail.",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["a folder", "skills/tidy/notes.txt"],
    ["a file", "skills/tidy"],
  ])("%s of that name is kept as it is", (_title, path) => {
    const workspace = createWorkspace({ [path]: "mine" });
    expect(() => createSkill("tidy", workspace.folder, plain)).toThrow(
      `The folder ${join(workspace.folder, "skills/tidy")} is there already; nothing was written.`,
    );
    expect(workspace.read(path)).toBe("mine");
    expect(workspace.exists("skills/tidy/SKILL.md")).toBe(false);
  });

  it("a file in place of skills is told as what it is", () => {
    const workspace = createWorkspace({ skills: "mine" });
    const make = () => createSkill("tidy", workspace.folder, plain);
    expect(make).toThrow(/^The folder .*tidy cannot be made: EEXIST/);
    // What was typed is right: it is the place that refuses.
    expect(make).toThrow(expect.objectContaining({ code: "tool-failed" }));
    expect(readFileSync(join(workspace.folder, "skills"), "utf8")).toBe("mine");
  });

  it("an empty folder of that name counts as there", () => {
    const { folder } = createWorkspace();
    mkdirSync(join(folder, "skills/tidy"), { recursive: true });
    expect(() => createSkill("tidy", folder, plain)).toThrow("is there already");
  });
});
