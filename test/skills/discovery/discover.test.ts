import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DISCOVERY_DEPTH, findSkillFiles } from "../../../src/skills/discovery/discover.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder, toRoot, withoutPrivileges, writeFile, writeSkill } from "../temp-folder.ts";

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
  it("skills are found down to the documented depth, sorted, and what lies deeper is counted", () => {
    const root = createFolder();
    writeSkill(join(root, "b"), "b");
    writeSkill(join(root, "a"), "a");
    writeSkill(join(root, "1/2/3/4/5/deep"), "deep");
    writeSkill(join(root, "1/2/3/4/5/6/deeper"), "deeper");
    mkdirSync(join(root, "1/2/3/4/5/6/other"));
    symlinkSync("other", join(root, "1/2/3/4/5/6/link"));
    expect(DISCOVERY_DEPTH).toBe(6);
    const { paths, diagnostics } = find(root);
    expect(paths).toEqual(["1/2/3/4/5/deep/SKILL.md", "a/SKILL.md", "b/SKILL.md"]);
    expect(diagnostics).toMatchObject([
      {
        code: "root-deep",
        path: root,
        message: expect.stringMatching(/^3 folders .* more than 6 levels down.*--skills/),
      },
    ]);
    expect(find(root)).toEqual(find(root));
  });

  it("node_modules, version control and hidden folders are skipped", () => {
    const root = createFolder();
    for (const folder of ["node_modules/p", "group/node_modules/p", ".git/x", ".hidden/x", "CVS/x"]) {
      writeSkill(join(root, folder), "p");
    }
    expect(find(root).paths).toEqual([]);
  });

  it("a skill in a hidden folder is told of, save in those of version control and caches", () => {
    const root = createFolder();
    for (const folder of [".system/x", ".claude/skills/y", ".git/z", ".venv/z", "a/.tmp"])
      writeSkill(join(root, folder), "p");
    expect(find(root).codes).toEqual(
      [".claude/skills/y", ".system/x", "a/.tmp"].map((name) => `folder-hidden ${name}/SKILL.md`),
    );
    // Another root that holds it makes it a skill.
    const both = findSkillFiles([toRoot(root), toRoot(join(root, ".system"))]);
    expect(both.files.map(({ folderName }) => folderName)).toEqual(["x"]);
    expect(both.diagnostics.map(({ path }) => path)).not.toContain(join(root, ".system/x/SKILL.md"));
  });

  it("a hidden folder can be a root itself", () => {
    const root = join(createFolder(), ".claude/skills");
    writeSkill(join(root, "x"), "x");
    expect(find(root).paths).toEqual(["x/SKILL.md"]);
  });

  it("below a skill every folder is searched but those of its files", () => {
    const root = createFolder();
    writeSkill(root, "whole");
    writeSkill(join(root, "skills/x"), "x");
    writeSkill(join(root, "skills/x/examples/y"), "y");
    writeSkill(join(root, "skills/x/node_modules/p"), "p");
    writeSkill(join(root, "deploy"), "deploy");
    writeSkill(join(root, "deploy/staging"), "staging");
    expect(find(root)).toMatchObject({
      paths: [
        "SKILL.md",
        "deploy/SKILL.md",
        "deploy/staging/SKILL.md",
        "skills/x/SKILL.md",
        "skills/x/examples/y/SKILL.md",
      ],
      codes: [],
    });
  });

  it.each(["scripts", "references", "assets", "stages", "steps"])(
    "a SKILL.md among the %s of a skill is not read, and named",
    (folder) => {
      const root = createFolder();
      writeSkill(join(root, "x"), "x");
      writeSkill(join(root, "x", folder), "a");
      writeSkill(join(root, "x", folder, "sub/template"), "b");
      const { paths, codes, diagnostics } = find(root);
      expect(paths).toEqual(["x/SKILL.md"]);
      expect(codes).toEqual([
        `skill-nested x/${folder}/SKILL.md`,
        `skill-nested x/${folder}/sub/template/SKILL.md`,
      ]);
      expect(diagnostics[0]?.message).toContain(join(root, "x"));
    },
  );

  it("a folder called like one of files is searched where no skill is above it", () => {
    const root = createFolder();
    writeSkill(join(root, "scripts/x"), "x");
    writeSkill(join(root, "assets"), "assets");
    expect(find(root)).toMatchObject({ paths: ["assets/SKILL.md", "scripts/x/SKILL.md"], codes: [] });
  });

  it("a skill among the files of another one is no fault when a root or a link leads to it", () => {
    const root = createFolder();
    writeSkill(join(root, "x"), "x");
    writeSkill(join(root, "x/assets/y"), "y");
    const own = toRoot(join(root, "x/assets"), { tier: "flag" });
    expect(findSkillFiles([own, toRoot(root)])).toMatchObject({ files: [{}, {}], diagnostics: [] });
    symlinkSync(join(root, "x/assets/y"), join(root, "z"));
    expect(find(root)).toMatchObject({ paths: ["x/SKILL.md", "z/SKILL.md"], codes: [] });
  });

  it("the limit of folders costs the deepest ones, and says how many", () => {
    const root = createFolder();
    for (const name of ["a/1/2/3", "b/1/2", "c/1", "d"]) writeSkill(join(root, name), "x");
    const { files, diagnostics } = findSkillFiles([toRoot(root)], { maxFolders: 8 });
    expect(files.map(({ path }) => path.slice(root.length + 1))).toEqual(["c/1/SKILL.md", "d/SKILL.md"]);
    expect(diagnostics).toMatchObject([
      {
        code: "root-large",
        path: root,
        message: expect.stringMatching(/^Only 8 folders .* 2 were not.*--skills.*skills\.maxFolders/),
      },
    ]);
    expect(findSkillFiles([toRoot(root)], { maxFolders: 11 })).toMatchObject({
      files: [{}, {}, {}, {}],
      diagnostics: [],
    });
  });

  it("each root has a limit of its own, and its skills' files do not count", () => {
    const [one, two] = [createFolder(), createFolder()];
    for (const root of [one, two]) {
      for (const name of ["x", "y"]) {
        writeSkill(join(root, name), name);
        for (const part of ["a", "b"]) mkdirSync(join(root, name, "scripts", part), { recursive: true });
      }
    }
    const { files, diagnostics } = findSkillFiles([toRoot(one), toRoot(two)], { maxFolders: 3 });
    expect([files.length, diagnostics]).toEqual([4, []]);
  });

  it.each([
    ["side by side", (index: number) => `f${index}`, 4_000],
    ["ten to a folder", (index: number) => String(index).padStart(4, "0").split("").join("/"), 2_500],
  ])("many folders, %s, are counted within a bounded time", (_title, toName, count) => {
    const root = createFolder();
    for (let index = 0; index < count; index += 1) mkdirSync(join(root, toName(index)), { recursive: true });
    writeSkill(join(root, "a"), "a");
    const clock = startCpuClock();
    const { paths, codes } = find(root);
    expect(clock()).toBeLessThan(2_000);
    expect(paths).toEqual(["a/SKILL.md"]);
    expect(codes).toEqual(["root-large "]);
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
    writeSkill(join(root, "1/2/3/4/5/6/7/y"), "y");
    expect(findSkillFiles([toRoot(root), toRoot(join(root, "1/2/3"))]).files).toHaveLength(2);
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

  it("of a folder and a link to it the folder that lies less deep counts", () => {
    const root = createFolder();
    writeSkill(join(root, "a/b/real"), "x");
    symlinkSync("a/b/real", join(root, "z"));
    expect(find(root)).toMatchObject({
      paths: ["z/SKILL.md"],
      files: [{ directory: join(root, "a/b/real") }],
    });
  });

  it("two links that lead to one another's folder end", () => {
    const root = createFolder();
    writeSkill(join(root, "a"), "a");
    writeSkill(join(root, "b"), "b");
    symlinkSync("../b", join(root, "a/to-b"));
    symlinkSync("../a", join(root, "b/to-a"));
    expect(find(root)).toMatchObject({ paths: ["a/SKILL.md", "b/SKILL.md"], codes: [] });
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

  it("a socket called SKILL.md is a diagnostic", async () => {
    const root = createFolder();
    mkdirSync(join(root, "x"));
    const server = createServer().listen(join(root, "x/SKILL.md"));
    await once(server, "listening");
    expect(find(root)).toMatchObject({ paths: [], codes: ["file-refused x/SKILL.md"] });
    server.close();
  });

  it("a root that is no folder is told apart, and one that may not be read is a diagnostic", () => {
    const root = createFolder();
    const file = writeFile(join(root, "file"), "");
    mkdirSync(join(root, "closed"), { mode: 0o000 });
    const roots = [toRoot(join(root, "gone")), toRoot(file), toRoot(join(root, "closed"))];
    const { absent, diagnostics } = withoutPrivileges(() => findSkillFiles(roots));
    expect(absent).toEqual(roots.slice(0, 2));
    expect(diagnostics).toMatchObject([{ code: "folder-unreadable", path: join(root, "closed") }]);
  });

  it("a folder that vanishes while the search is under way is a diagnostic", () => {
    const root = createFolder();
    writeSkill(join(root, "a"), "a");
    writeSkill(join(root, "b"), "b");
    const before = findSkillFiles([toRoot(root)]);
    const settled = new Map(before.folders.get(root));
    const top = settled.get(root);
    // The folder is listed, and then gone: what was known of it stands for the listing.
    rmSync(join(root, "b"), { recursive: true });
    const { mtimeMs, ctimeMs, ino } = statSync(root);
    if (top) settled.set(root, { ...top, stamp: { mtimeMs, ctimeMs, ino }, settled: true });
    const { files, diagnostics } = findSkillFiles([toRoot(root)], { known: new Map([[root, settled]]) });
    expect(files.map(({ folderName }) => folderName)).toEqual(["a"]);
    expect(diagnostics).toMatchObject([{ code: "folder-unreadable", path: join(root, "b") }]);
  });
});

describe("what .gitignore names", () => {
  function createRepository(rules: string): string {
    const folder = createFolder();
    mkdirSync(join(folder, ".git"));
    writeFile(join(folder, ".gitignore"), rules);
    return folder;
  }

  it("is skipped by the rules of the repository, and each SKILL.md in it is named", () => {
    const folder = createRepository("/skills/private/\n*.local\n");
    const root = join(folder, "skills");
    for (const name of ["a", "private", "private/deep/x", "b.local", "group/c.local"]) {
      writeSkill(join(root, name), "x");
    }
    const { paths, codes, diagnostics } = find(root);
    expect(paths).toEqual(["a/SKILL.md"]);
    expect(codes).toEqual(
      ["b.local", "group/c.local", "private", "private/deep/x"].map(
        (name) => `folder-ignored ${name}/SKILL.md`,
      ),
    );
    expect(diagnostics[0]?.message).toContain(join(folder, ".gitignore"));
  });

  it.each([
    ["the root's name", ".claude/"],
    ["a folder above it", "/.claude"],
    ["everything", "*"],
    ["a pattern for the root itself", ".claude/skills"],
  ])("does not count when it names the root itself: %s", (_title, rules) => {
    const root = join(createRepository(`${rules}\nx/\n`), ".claude/skills");
    writeSkill(join(root, "x"), "x");
    expect(find(root)).toMatchObject({ paths: ["x/SKILL.md"], codes: [] });
  });

  it("inside of a root counts with or without a repository, and the inner file decides", () => {
    const root = createFolder();
    writeFile(join(root, ".gitignore"), "drafts/\n*-old\n");
    writeFile(join(root, "group/.gitignore"), "!x-old\n");
    for (const name of ["drafts/x", "a-old", "group/x-old", "group/x-old/z", "group/y-old", "b"])
      writeSkill(join(root, name), "x");
    expect(find(root)).toMatchObject({
      paths: ["b/SKILL.md", "group/x-old/SKILL.md", "group/x-old/z/SKILL.md"],
      codes: ["a-old", "drafts/x", "group/y-old"].map((name) => `folder-ignored ${name}/SKILL.md`),
    });
  });

  it("leaves the other rules of an outer file in force where a folder is taken back", () => {
    const root = createFolder();
    writeFile(join(root, ".gitignore"), "*-old\ndrafts/\n");
    writeFile(join(root, "group/.gitignore"), "!x-old\n");
    for (const name of ["group/x-old/drafts/z", "group/x-old/y-old", "group/x-old/b"])
      writeSkill(join(root, name), "x");
    expect(find(root)).toMatchObject({
      paths: ["group/x-old/b/SKILL.md"],
      codes: ["drafts/z", "y-old"].map((name) => `folder-ignored group/x-old/${name}/SKILL.md`),
    });
  });

  it("counts in a file of CRLF lines, too, as with git", () => {
    const root = createFolder();
    execFileSync("git", ["init", "-q", root]);
    writeFile(join(root, ".gitignore"), "drafts/\r\n!kept\r\n*-old\r\n");
    for (const name of ["drafts/x", "a-old", "b"]) writeSkill(join(root, name), "x");
    expect(find(root).paths).toEqual(["b/SKILL.md"]);
    const paths = ["drafts/x/SKILL.md", "a-old/SKILL.md", "b/SKILL.md"];
    const ignored = execFileSync("git", ["-C", root, "check-ignore", ...paths], { encoding: "utf8" });
    expect(ignored.trim().split("\n")).toEqual(paths.slice(0, 2));
  });

  it("above the repository does not count, nor outside of one", () => {
    const outer = createFolder();
    writeFile(join(outer, ".gitignore"), "x/\n");
    writeSkill(join(outer, "plain/x"), "x");
    expect(find(join(outer, "plain")).paths).toEqual(["x/SKILL.md"]);
    mkdirSync(join(outer, "repository/.git"), { recursive: true });
    writeSkill(join(outer, "repository/skills/x"), "x");
    expect(find(join(outer, "repository/skills")).paths).toEqual(["x/SKILL.md"]);
  });

  it("may be the SKILL.md alone, or what a link is called", () => {
    const folder = createRepository("skills/x/*\nlinked\n");
    const elsewhere = createFolder();
    writeSkill(join(folder, "skills/x"), "x");
    writeSkill(join(elsewhere, "y"), "y");
    symlinkSync(join(elsewhere, "y"), join(folder, "skills/linked"));
    expect(find(join(folder, "skills"))).toMatchObject({
      paths: [],
      codes: ["folder-ignored linked/SKILL.md", "folder-ignored x/SKILL.md"],
    });
  });

  it("does not reach what a link leads to", () => {
    const folder = createRepository("y/\n");
    const elsewhere = createFolder();
    writeSkill(join(elsewhere, "y"), "y");
    mkdirSync(join(folder, "skills"));
    symlinkSync(elsewhere, join(folder, "skills/linked"));
    expect(find(join(folder, "skills")).paths).toEqual(["linked/y/SKILL.md"]);
  });

  it("is read anew when it changed", () => {
    const root = createRepository("x/\n");
    writeSkill(join(root, "skills/x"), "x");
    writeSkill(join(root, "skills/y"), "y");
    expect(find(join(root, "skills")).paths).toEqual(["y/SKILL.md"]);
    writeFile(join(root, ".gitignore"), "y/\n");
    expect(find(join(root, "skills")).paths).toEqual(["x/SKILL.md"]);
  });

  it("a folder, a named pipe, a huge file and a rule that would take minutes do no harm", () => {
    const root = createFolder();
    const name = `${"a/".repeat(5)}x`;
    mkdirSync(join(root, "folder/.gitignore"), { recursive: true });
    writeSkill(join(root, "folder/x"), "x");
    writeFile(join(root, "huge/.gitignore"), `x/\n${"#".repeat(300 * 1024)}`);
    writeSkill(join(root, "huge/x"), "x");
    writeFile(join(root, "deep/.gitignore"), `${"**/a".repeat(40)}/z\n`);
    writeSkill(join(root, "deep", name.slice(4)), "x");
    mkdirSync(join(root, ".git"));
    execFileSync("mkfifo", [join(root, ".gitignore")]);
    mkdirSync(join(root, "piped"));
    execFileSync("mkfifo", [join(root, "piped/.gitignore")]);
    writeSkill(join(root, "piped/x"), "x");
    const clock = startCpuClock();
    const places = ["deep", "folder", "huge", "piped"].flatMap((place) => find(join(root, place)).paths);
    expect(places).toEqual(["a/a/a/x/SKILL.md", "x/SKILL.md", "x/SKILL.md", "x/SKILL.md"]);
    expect(clock()).toBeLessThan(2_000);
  });
});
