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
    ]) {
      writeFile(join(folder, path), "");
    }
    expect(listResources(folder)).toEqual({
      scripts: ["scripts/a b.sh", "scripts/b.mjs"],
      references: ["references/deep/er/表.md"],
      assets: ["assets/x.png"],
    });
  });

  it("are none when there are no folders", () => {
    expect(listResources(createFolder())).toEqual({ scripts: [], references: [], assets: [] });
    expect(listResources("/nowhere/at/all")).toEqual({ scripts: [], references: [], assets: [] });
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

  it("leave out hidden files and end at the limit", () => {
    const folder = createFolder();
    writeFile(join(folder, "scripts/.hidden"), "");
    writeFile(join(folder, "scripts/node_modules/p/index.js"), "");
    for (let index = 0; index < RESOURCE_LIMIT; index += 1) writeFile(join(folder, `scripts/f${index}`), "");
    writeFile(join(folder, "assets/x"), "");
    const { scripts, assets } = listResources(folder);
    expect(scripts).toHaveLength(RESOURCE_LIMIT);
    expect(assets).toEqual([]);
  });
});
