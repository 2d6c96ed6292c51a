import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SkillgraphError } from "../../../src/errors.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { createFolder, writeFile } from "../temp-folder.ts";
import { skillFile } from "./lint.ts";

/** Writes a skill that has no fault into a folder below a root. */
function write(root: string, ...folders: string[]): void {
  for (const folder of folders) {
    const name = folder.split("/").at(-1);
    writeFile(
      join(root, folder, "SKILL.md"),
      skillFile(`name: ${name}\ndescription: Tidies. Use when asked.`),
    );
  }
}

async function check(root: string, paths: string[]): Promise<string[]> {
  const { files, diagnostics } = await lintPaths(paths, root);
  const faults = diagnostics.map(
    ({ code, severity, path }) => `${severity} ${code} ${path.slice(root.length)}`,
  );
  return [...files.map((file) => file.slice(root.length + 1)), ...faults];
}

describe("the skills that are checked", () => {
  it("without a path those of the project, up to its root, but not the person's", async () => {
    const root = createFolder();
    mkdirSync(join(root, ".git"));
    write(root, "skills/a", ".claude/skills/b", "deep/.agents/skills/c", "other/d");
    const { files } = await lintPaths([], join(root, "deep"));
    expect(files.map((file) => file.slice(root.length + 1))).toEqual([
      "deep/.agents/skills/c/SKILL.md",
      "skills/a/SKILL.md",
      ".claude/skills/b/SKILL.md",
    ]);
  });

  it("no skills in the project are no fault", async () => {
    expect(await lintPaths([], createFolder())).toEqual({ files: [], diagnostics: [] });
  });

  it.each([
    ["a skill's folder", ["skills/a"], ["skills/a/SKILL.md"]],
    ["a SKILL.md", ["skills/a/SKILL.md"], ["skills/a/SKILL.md"]],
    ["a folder with skills below", ["skills"], ["skills/a/SKILL.md", "skills/b/SKILL.md"]],
    ["the same twice", ["skills/a", "skills/a/SKILL.md", "skills/a/"], ["skills/a/SKILL.md"]],
    [
      "a project, with its hidden folders",
      ["."],
      ["skills/a/SKILL.md", "skills/b/SKILL.md", ".claude/skills/c/SKILL.md"],
    ],
  ])("%s", async (_title, paths, expected) => {
    const root = createFolder();
    write(root, "skills/a", "skills/b", ".claude/skills/c");
    expect(await check(root, paths)).toEqual(expected);
  });

  it("a folder without a skill is an error", async () => {
    const root = createFolder();
    write(root, "skills/a");
    mkdirSync(join(root, "empty"));
    expect(await check(root, ["skills", "empty"])).toEqual([
      "skills/a/SKILL.md",
      "error skill-missing /empty",
    ]);
  });

  it("A9: a pipe, a folder and a broken link in place of the file are errors and hide no other", async () => {
    const root = createFolder();
    write(root, "skills/good");
    mkdirSync(join(root, "skills/folder/SKILL.md"), { recursive: true });
    mkdirSync(join(root, "skills/pipe"));
    execFileSync("mkfifo", [join(root, "skills/pipe/SKILL.md")]);
    mkdirSync(join(root, "skills/link"));
    symlinkSync("/nowhere", join(root, "skills/link/SKILL.md"));
    expect(await check(root, ["skills"])).toEqual([
      "skills/good/SKILL.md",
      "error file-refused /skills/folder/SKILL.md",
      "error file-refused /skills/link/SKILL.md",
      "error file-refused /skills/pipe/SKILL.md",
    ]);
  });

  it("a broken link is told only where a skill could be", async () => {
    const root = createFolder();
    write(root, "a");
    for (const folder of ["skills", "lib/deep", "m"]) mkdirSync(join(root, folder), { recursive: true });
    for (const link of ["top", "skills/b", "lib/c", "lib/deep/d"]) symlinkSync("nowhere", join(root, link));
    symlinkSync("nowhere", join(root, "m/SKILL.md"));
    expect(await check(root, ["."])).toEqual([
      "a/SKILL.md",
      "error file-refused /m/SKILL.md",
      "warning link-broken /skills/b",
      "warning link-broken /top",
    ]);
  });

  it("a limit is told once, is the caller's, and names no flag", async () => {
    const root = createFolder();
    write(
      root,
      "skills/a",
      "skills/b",
      "skills/c",
      ".claude/skills/d",
      ".claude/skills/e",
      ".claude/skills/f",
    );
    const { files, diagnostics } = await lintPaths(["."], root, { maxFolders: 2 });
    expect(files).toHaveLength(2);
    expect(diagnostics.map(({ code, path }) => `${code} ${path.slice(root.length)}`)).toEqual([
      "root-large ",
      "root-large /.claude/skills",
    ]);
    expect(diagnostics[0]?.message).toMatch(/were not\. Name a folder below, or set skills\.maxFolders\.$/);
    expect((await lintPaths(["."], root, { maxFolders: 10 })).files).toHaveLength(6);
  });

  it("skill.md is a warning, any other spelling an error", async () => {
    const root = createFolder();
    write(root, "a", "b");
    renameSync(join(root, "a/SKILL.md"), join(root, "a/skill.md"));
    renameSync(join(root, "b/SKILL.md"), join(root, "b/Skill.md"));
    const faults = (await check(root, ["a", "b"])).slice(2);
    expect(faults).toEqual(["warning file-name-case /a/skill.md", "error file-name-case /b/Skill.md"]);
  });

  it.each([
    ["nope", /^No file or folder "nope" to check \(looked at .*nope\)\.$/],
    [
      "notes.md",
      /^"notes\.md" is no skill\. Give a folder with a SKILL\.md in it or below, or a SKILL\.md\.$/,
    ],
  ])("the path %s is wrong usage", async (path, message) => {
    const root = createFolder();
    writeFile(join(root, "notes.md"), "x");
    const failure = await lintPaths([path], root).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SkillgraphError);
    expect(failure).toMatchObject({ code: "usage", message: expect.stringMatching(message) });
  });
});
