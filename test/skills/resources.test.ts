import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listResources, RESOURCE_LIMIT } from "../../src/skills/resources.ts";
import { createFolder, writeFile } from "./temp-folder.ts";

describe("the files of a skill", () => {
  it("are listed by kind, relative and sorted", () => {
    const folder = createFolder();
    for (const path of [
      "scripts/b.mjs",
      "scripts/a b.sh",
      "references/deep/er/表.md",
      "assets/x.png",
      "other/y",
      "FORMS.md",
      "other/deep/1/2/3/z",
      "other/deep/1/2/3/4/too-deep",
      "skill.md",
      "stages/01-look.md",
      "steps/01-look.md",
      "inner/SKILL.md",
      "inner/notes.md",
      "other/__pycache__/a.pyc",
      "references/SKILL.md",
      ".git/config",
    ]) {
      writeFile(join(folder, path), "");
    }
    symlinkSync("stages", join(folder, "also-stages"));
    symlinkSync("scripts", join(folder, "also-scripts"));
    expect(listResources(folder)).toEqual({
      scripts: ["scripts/a b.sh", "scripts/b.mjs"],
      references: ["references/SKILL.md", "references/deep/er/表.md"],
      assets: ["assets/x.png"],
      otherFiles: ["FORMS.md", "other/deep/1/2/3/z", "other/y"],
    });
  });

  it("are none when there are no folders", () => {
    const none = { scripts: [], references: [], assets: [], otherFiles: [] };
    expect(listResources(createFolder())).toEqual(none);
    expect(listResources("/nowhere/at/all")).toEqual(none);
    const folder = createFolder();
    writeFile(join(folder, "scripts"), "a file");
    expect(listResources(folder).scripts).toEqual([]);
  });

  it("B10: never lie outside of the skill's folder, also through links", () => {
    const base = createFolder();
    const folder = join(base, "skill");
    writeFile(join(base, "skill-secret/key"), "");
    writeFile(join(folder, "scripts/real.sh"), "");
    mkdirSync(join(folder, "references"));
    symlinkSync(join(base, "skill-secret/key"), join(folder, "scripts/key"));
    symlinkSync(join(base, "skill-secret"), join(folder, "scripts/secret"));
    symlinkSync(join(base, "skill-secret"), join(folder, "assets"));
    symlinkSync(join(base, "skill-secret"), join(folder, "other"));
    symlinkSync(join(base, "skill-secret/key"), join(folder, "key.txt"));
    symlinkSync("real.sh", join(folder, "scripts/alias.sh"));
    symlinkSync("..", join(folder, "scripts/loop"));
    symlinkSync("nowhere", join(folder, "scripts/dangling"));
    expect(listResources(folder)).toMatchObject({
      scripts: expect.arrayContaining(["scripts/alias.sh", "scripts/real.sh"]),
      assets: [],
    });
    expect(JSON.stringify(listResources(folder))).not.toMatch(/key|secret|dangling/);
  });

  it("are found in a skill that is reached by a link", () => {
    const base = createFolder();
    writeFile(join(base, "real/scripts/a.sh"), "");
    symlinkSync(join(base, "real"), join(base, "linked"));
    expect(listResources(join(base, "linked")).scripts).toEqual(["scripts/a.sh"]);
  });

  it("a folder of very many others is named itself", () => {
    const folder = createFolder();
    for (let index = 0; index < 31; index += 1) writeFile(join(folder, `data/f${index}`), "");
    for (let index = 0; index < 30; index += 1) writeFile(join(folder, `data/few/f${index}`), "");
    for (let index = 0; index < 31; index += 1) writeFile(join(folder, `scripts/f${index}`), "");
    const { scripts, otherFiles } = listResources(folder);
    expect(otherFiles.slice(0, 2)).toEqual(["data/", "data/few/f0"]);
    expect(otherFiles).toHaveLength(31);
    expect(scripts).toHaveLength(31);
  });

  it("leave out hidden files, end at the limit, and tell how many more there are", () => {
    const folder = createFolder();
    writeFile(join(folder, "scripts/.hidden"), "");
    writeFile(join(folder, "scripts/node_modules/p/index.js"), "");
    for (let index = 0; index < RESOURCE_LIMIT; index += 1) writeFile(join(folder, `scripts/f${index}`), "");
    writeFile(join(folder, "assets/x"), "");
    writeFile(join(folder, "assets/y"), "");
    writeFile(join(folder, "FORMS.md"), "");
    const { scripts, assets, otherFiles, more } = listResources(folder);
    expect(scripts).toHaveLength(RESOURCE_LIMIT);
    expect([...assets, ...otherFiles]).toEqual([]);
    expect(more).toBe(3);
  });
});
