import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DISCOVERY_DEPTH, findSkillFiles } from "../../src/skills/discover.ts";
import { createFolder, toRoot, withoutPrivileges, writeFile, writeSkill } from "./temp-folder.ts";

function find(root: string) {
  const { files, diagnostics } = findSkillFiles([toRoot(root)]);
  return {
    files,
    paths: files.map((file) => file.path.slice(root.length + 1)),
    codes: diagnostics.map(({ code, path }) => `${code} ${path.slice(root.length + 1)}`),
    diagnostics,
  };
}

describe("A11: what is searched", () => {
  it("skills are found down to the documented depth, sorted", () => {
    const root = createFolder();
    writeSkill(join(root, "b"), "b");
    writeSkill(join(root, "a"), "a");
    writeSkill(join(root, "group/sub/third/deep"), "deep");
    writeSkill(join(root, "group/sub/third/more/deeper"), "deeper");
    expect(DISCOVERY_DEPTH).toBe(4);
    expect(find(root).paths).toEqual(["a/SKILL.md", "b/SKILL.md", "group/sub/third/deep/SKILL.md"]);
    expect(find(root)).toEqual(find(root));
  });

  it("node_modules, version control and hidden folders are skipped", () => {
    const root = createFolder();
    for (const folder of ["node_modules/p", "group/node_modules/p", ".git/x", ".hidden/x", "CVS/x"]) {
      writeSkill(join(root, folder), "p");
    }
    expect(find(root).paths).toEqual([]);
  });

  it("a hidden folder can be a root itself", () => {
    const root = join(createFolder(), ".claude/skills");
    writeSkill(join(root, "x"), "x");
    expect(find(root).paths).toEqual(["x/SKILL.md"]);
  });

  it("below a skill only its skills folder is searched", () => {
    const root = createFolder();
    writeSkill(root, "whole");
    writeSkill(join(root, "skills/x"), "x");
    writeSkill(join(root, "assets/template"), "template");
    writeSkill(join(root, "skills/x/examples/y"), "y");
    writeSkill(join(root, "skills/x/node_modules/p"), "p");
    expect(find(root).paths).toEqual(["SKILL.md", "skills/x/SKILL.md"]);
  });

  it("skills that a SKILL.md in the root hides are named", () => {
    const root = createFolder();
    writeSkill(root, "whole");
    writeSkill(join(root, "x"), "x");
    expect(find(root).codes).toEqual(["skill-nested x/SKILL.md"]);
  });

  it("a folder that lies in two roots belongs to the first", () => {
    const root = createFolder();
    writeSkill(join(root, "group/x"), "x");
    const roots = [toRoot(join(root, "group/x"), { tier: "flag" }), toRoot(root)];
    expect(findSkillFiles(roots).files.map((file) => file.root.tier)).toEqual(["flag"]);
    expect(findSkillFiles(roots.toReversed()).files.map((file) => file.root.tier)).toEqual(["project"]);
  });

  it("a root inside another one is searched to its own depth", () => {
    const root = createFolder();
    writeSkill(join(root, "1/2/3/4/5/x"), "x");
    expect(findSkillFiles([toRoot(root), toRoot(join(root, "1/2/3"))]).files).toHaveLength(1);
  });
});

describe("A10: links and spelling", () => {
  it("links to folders are followed, and the folder's name is the link's", () => {
    const root = createFolder();
    const elsewhere = createFolder();
    writeSkill(join(elsewhere, "real"), "linked");
    symlinkSync(join(elsewhere, "real"), join(root, "linked"));
    const { files } = find(root);
    expect(files).toMatchObject([{ folderName: "linked", directory: join(elsewhere, "real") }]);
  });

  it("cycles end and a folder reached twice counts once", () => {
    const root = createFolder();
    writeSkill(join(root, "a/x"), "x");
    symlinkSync(root, join(root, "a/loop"));
    symlinkSync(join(root, "a"), join(root, "b"));
    symlinkSync("self", join(root, "self"));
    const { paths, codes } = find(root);
    expect(paths).toEqual(["a/x/SKILL.md"]);
    expect(codes).toEqual(["link-broken self"]);
  });

  it("a linked SKILL.md is read inside the root and refused outside", () => {
    const root = createFolder();
    const elsewhere = createFolder();
    writeFile(join(root, "shared/text.md"), "---\nname: a\ndescription: d\n---\n");
    mkdirSync(join(root, "a"));
    symlinkSync(join(root, "shared/text.md"), join(root, "a/SKILL.md"));
    mkdirSync(join(root, "b"));
    symlinkSync("/etc/passwd", join(root, "b/SKILL.md"));
    mkdirSync(join(root, "c"));
    symlinkSync(writeSkill(elsewhere, "c"), join(root, "c/SKILL.md"));
    const { paths, codes, diagnostics } = find(root);
    expect(paths).toEqual(["a/SKILL.md"]);
    expect(codes).toEqual(["file-refused b/SKILL.md", "file-refused c/SKILL.md"]);
    expect(diagnostics[0]?.message).toContain("/etc/passwd");
  });

  it("a near prefix of the root's path is not inside it", () => {
    const parent = createFolder();
    mkdirSync(join(parent, "app/x"), { recursive: true });
    symlinkSync(writeSkill(join(parent, "app-secret"), "x"), join(parent, "app/x/SKILL.md"));
    expect(find(join(parent, "app")).codes).toEqual(["file-refused x/SKILL.md"]);
  });

  it("a link may lead into another root, but trust does not travel along it", () => {
    const trusted = createFolder();
    const untrusted = createFolder();
    mkdirSync(join(trusted, "x"));
    symlinkSync(writeFile(join(untrusted, "file.md"), "---\n---\n"), join(trusted, "x/SKILL.md"));
    mkdirSync(join(untrusted, "y"));
    symlinkSync(writeFile(join(trusted, "file.md"), "---\n---\n"), join(untrusted, "y/SKILL.md"));
    const { files, diagnostics } = findSkillFiles([toRoot(trusted), toRoot(untrusted, { trusted: false })]);
    expect(files.map((file) => file.path)).toEqual([join(untrusted, "y/SKILL.md")]);
    expect(diagnostics).toMatchObject([{ code: "file-refused", path: join(trusted, "x/SKILL.md") }]);
  });

  it("dangling links give one diagnostic each", () => {
    const root = createFolder();
    mkdirSync(join(root, "a"));
    symlinkSync("nowhere.md", join(root, "a/SKILL.md"));
    symlinkSync("nowhere", join(root, "b"));
    expect(find(root).codes).toEqual(["file-refused a/SKILL.md", "link-broken b"]);
  });

  it("another spelling of the file's name is read with a warning", () => {
    const root = createFolder();
    writeFile(join(root, "a/skill.md"), "---\n---\n");
    writeFile(join(root, "b/Skill.MD"), "---\n---\n");
    const { paths, codes } = find(root);
    expect(paths).toEqual(["a/skill.md", "b/Skill.MD"]);
    expect(codes).toEqual(["file-name-case a/skill.md", "file-name-case b/Skill.MD"]);
  });

  it("of two spellings SKILL.md wins with a warning", () => {
    const root = createFolder();
    writeFile(join(root, "a/skill.md"), "---\n---\n");
    writeFile(join(root, "a/SKILL.md"), "---\n---\n");
    const { paths, codes } = find(root);
    expect(paths).toEqual(["a/SKILL.md"]);
    expect(codes).toEqual(["file-name-twice a/SKILL.md"]);
  });
});

describe("A9: what is no file", () => {
  it("a folder and a named pipe called SKILL.md give one diagnostic each and never hang", () => {
    const root = createFolder();
    mkdirSync(join(root, "folder/SKILL.md"), { recursive: true });
    mkdirSync(join(root, "pipe"));
    execFileSync("mkfifo", [join(root, "pipe/SKILL.md")]);
    mkdirSync(join(root, "device"));
    symlinkSync("/dev/zero", join(root, "device/SKILL.md"));
    writeSkill(join(root, "good"), "good");
    const { paths, codes } = find(root);
    expect(paths).toEqual(["good/SKILL.md"]);
    expect(codes).toEqual([
      "file-refused device/SKILL.md",
      "file-refused folder/SKILL.md",
      "file-refused pipe/SKILL.md",
    ]);
  });

  it("a folder that may not be read is a diagnostic", () => {
    const root = createFolder();
    mkdirSync(join(root, "closed"));
    writeSkill(join(root, "open"), "open");
    chmodSync(join(root, "closed"), 0o000);
    const { paths, codes } = withoutPrivileges(() => find(root));
    expect(paths).toEqual(["open/SKILL.md"]);
    expect(codes).toEqual(["folder-unreadable closed"]);
  });
});
