import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDefaultRoots } from "../../../src/skills/discovery/discover.ts";
import { createFolder, writeFile, writeSkill } from "../temp-folder.ts";

describe("default roots", () => {
  const isTrusted = () => false;

  function createPlaces() {
    const base = createFolder();
    const project = join(base, "home/dev/project");
    const places = {
      home: join(base, "home"),
      cwd: join(project, "packages/app"),
      bundled: join(base, "bundled"),
    };
    mkdirSync(join(project, ".git"), { recursive: true });
    mkdirSync(places.cwd, { recursive: true });
    mkdirSync(places.bundled);
    return { ...places, base, project };
  }

  it("come strongest first, the nearest folder of the project before the repository", () => {
    const { base, home, cwd, bundled, project } = createPlaces();
    const expected = [
      [join(base, "extra"), "flag", true],
      [join(cwd, "skills"), "project", false],
      [join(cwd, ".cursor/skills"), "project", false],
      [join(project, "skills"), "project", false],
      [join(project, ".agents/skills"), "project", false],
      [join(project, ".claude/skills"), "project", false],
      [join(home, ".agents/skills"), "user", true],
      [join(home, ".claude/skills"), "user", true],
      [bundled, "bundled", true],
    ];
    for (const [path] of expected) mkdirSync(String(path), { recursive: true });
    mkdirSync(join(home, "work/skills"), { recursive: true });
    const roots = findDefaultRoots({ cwd, home, bundled, extra: ["../../../../../extra"], isTrusted });
    expect(roots.map((root) => [root.path, root.tier, root.trusted])).toEqual(expected);
  });

  it("outside of a repository only the working directory counts", () => {
    const base = createFolder();
    mkdirSync(join(base, "skills"));
    mkdirSync(join(base, "a/skills"), { recursive: true });
    const options = {
      cwd: join(base, "a"),
      home: join(base, "none"),
      bundled: join(base, "none"),
      extra: [],
    };
    expect(findDefaultRoots({ ...options, isTrusted }).map((root) => root.path)).toEqual([
      join(base, "a/skills"),
    ]);
  });

  it("trust is asked for the folder that holds the root", () => {
    const { cwd, home, bundled, project } = createPlaces();
    mkdirSync(join(project, "skills"));
    mkdirSync(join(cwd, "skills"));
    const roots = findDefaultRoots({
      cwd,
      home,
      bundled,
      extra: [],
      isTrusted: (folder) => folder === project,
    });
    expect(roots.map((root) => root.trusted)).toEqual([false, true, true]);
  });

  it("roots with one real path count once", () => {
    const { cwd, home, bundled, project } = createPlaces();
    mkdirSync(join(project, ".agents/skills"), { recursive: true });
    mkdirSync(join(project, ".claude"));
    symlinkSync(join(project, ".agents/skills"), join(project, ".claude/skills"));
    const extra = [join(project, ".agents/skills"), join(project, ".claude/skills")];
    const roots = findDefaultRoots({ cwd, home, bundled, extra, isTrusted });
    expect(roots.map((root) => root.tier)).toEqual(["flag", "bundled"]);
  });

  it("started in the home folder, the person's own skills stay trusted", () => {
    const { home, bundled } = createPlaces();
    mkdirSync(join(home, ".claude/skills"), { recursive: true });
    const roots = findDefaultRoots({ cwd: home, home, bundled, extra: [], isTrusted });
    expect(roots).toMatchObject([{ tier: "user", trusted: true }, { tier: "bundled" }]);
  });

  it("a named root that is absent is a failure that quotes it", () => {
    const { cwd, home, bundled } = createPlaces();
    const open = (path: string) => findDefaultRoots({ cwd, home, bundled, extra: [path], isTrusted });
    expect(() => open("./nope")).toThrow(
      expect.objectContaining({ code: "root-unknown", message: expect.stringContaining('"./nope"') }),
    );
    writeFile(join(cwd, "file"), "");
    expect(() => open("file")).toThrow(expect.objectContaining({ code: "root-unknown" }));
    const skill = writeSkill(join(cwd, "x"), "x");
    expect(open(skill)[0]).toMatchObject({ path: join(cwd, "x"), tier: "flag", trusted: true });
  });
});
