import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  compareFiles,
  FOLDER_BYTES_LIMIT,
  FOLDER_FILES_LIMIT,
  readFolderFiles,
  stampFolder,
  toStamp,
} from "../../src/skills/folder-files.ts";
import { createWorkspace } from "../support/workspace.ts";

const files = {
  "s/SKILL.md": "a",
  "s/scripts/go.sh": "go",
  "s/.hidden/x": "x",
  "s/node_modules/p/i.js": "p",
};

function createSkill(more: Record<string, string> = {}) {
  const { folder, write } = createWorkspace({ ...files, ...more });
  const skill = join(folder, "s");
  const before = readFolderFiles(skill);
  return {
    folder,
    write,
    skill,
    before,
    change: () => compareFiles(before.files, readFolderFiles(skill).files),
    isOther: () => readFolderFiles(skill).digest !== before.digest,
  };
}

describe("readFolderFiles", () => {
  it("holds every file, hidden ones too, and leaves .git out", () => {
    const { before } = createSkill({ "s/.git/config": "c", "s/sub/.git/x": "c", "s/.gitignore": "g" });
    expect([...before.files.keys()]).toEqual([
      ".gitignore",
      ".hidden/x",
      "SKILL.md",
      "node_modules/p/i.js",
      "scripts/go.sh",
    ]);
    expect(before).toMatchObject({ complete: true, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(before).not.toHaveProperty("fault");
  });

  it("is the same for the same content, whenever and wherever it was written", () => {
    const [one, other] = [createSkill(), createSkill()];
    utimesSync(join(other.skill, "SKILL.md"), 1, 1);
    expect(readFolderFiles(other.skill).digest).toBe(one.before.digest);
    symlinkSync(one.skill, join(one.folder, "link"));
    expect(readFolderFiles(join(one.folder, "link")).digest).toBe(one.before.digest);
  });

  it.each<[string, (skill: string) => void, string[]]>([
    [
      "a changed byte",
      (skill) => writeFileSync(join(skill, "scripts/go.sh"), "gO"),
      ["scripts/go.sh (changed)"],
    ],
    ["a new file", (skill) => writeFileSync(join(skill, "scripts/a"), ""), ["scripts/a (new)"]],
    ["a file that is gone", (skill) => rmSync(join(skill, "SKILL.md")), ["SKILL.md (gone)"]],
    [
      "a name in another case",
      (skill) => renameSync(join(skill, "scripts/go.sh"), join(skill, "scripts/Go.sh")),
      ["scripts/Go.sh (new)", "scripts/go.sh (gone)"],
    ],
    [
      "contents that changed places",
      (skill) => {
        writeFileSync(join(skill, "SKILL.md"), "go");
        writeFileSync(join(skill, "scripts/go.sh"), "a");
      },
      ["SKILL.md (changed)", "scripts/go.sh (changed)"],
    ],
    [
      "a file turned into a link to a file with its content",
      (skill) => {
        renameSync(join(skill, "SKILL.md"), join(skill, "../real"));
        symlinkSync("../real", join(skill, "SKILL.md"));
      },
      ["SKILL.md (changed)"],
    ],
    [
      "a file turned into a pipe",
      (skill) => {
        rmSync(join(skill, "SKILL.md"));
        execFileSync("mkfifo", [join(skill, "SKILL.md")]);
      },
      ["SKILL.md (changed)"],
    ],
    [
      "a folder turned into a link to a copy of itself",
      (skill) => {
        renameSync(join(skill, "scripts"), join(skill, "../moved"));
        symlinkSync("../moved", join(skill, "scripts"));
      },
      ["scripts (new)", "scripts/go.sh (gone)"],
    ],
  ])("%s is seen and told", (_name, act, expected) => {
    const { skill, change, isOther } = createSkill();
    act(skill);
    expect(change()).toEqual(expected);
    expect(isOther()).toBe(true);
  });

  it("a file that is taken away and put back is the same one", () => {
    const { skill, change, isOther } = createSkill();
    rmSync(join(skill, "scripts"), { recursive: true });
    mkdirSync(join(skill, "scripts"));
    writeFileSync(join(skill, "scripts/go.sh"), "go");
    expect(change()).toEqual([]);
    expect(isOther()).toBe(false);
  });

  it("a change through a hard link from outside is seen, and so is one with its size and time kept", () => {
    const { skill, folder, change } = createSkill();
    const { atime, mtime } = statSync(join(skill, "scripts/go.sh"));
    linkSync(join(skill, "scripts/go.sh"), join(folder, "outside"));
    writeFileSync(join(folder, "outside"), "no");
    utimesSync(join(skill, "scripts/go.sh"), atime, mtime);
    expect(change()).toEqual(["scripts/go.sh (changed)"]);
  });

  it("a link counts by where it leads and by what is there, also outside of the folder", () => {
    const { skill, folder, write } = createSkill({ shared: "1", other: "1" });
    symlinkSync("../shared", join(skill, "lib"));
    const first = readFolderFiles(skill);
    write("shared", "2");
    const second = readFolderFiles(skill);
    expect(compareFiles(first.files, second.files)).toEqual(["lib (changed)"]);
    write("shared", "1");
    rmSync(join(skill, "lib"));
    symlinkSync(join(folder, "other"), join(skill, "lib"));
    expect(compareFiles(first.files, readFolderFiles(skill).files)).toEqual(["lib (changed)"]);
    rmSync(join(folder, "other"));
    expect(readFolderFiles(skill)).toMatchObject({ complete: true });
  });

  it("a link to a folder of its own ends, and one to a folder outside makes it incomplete", () => {
    const { skill } = createSkill();
    symlinkSync(".", join(skill, "loop"));
    symlinkSync("scripts", join(skill, "bin"));
    symlinkSync("self", join(skill, "self"));
    const inside = readFolderFiles(skill);
    expect([...inside.files.keys()].filter((path) => /^(loop|bin)/.test(path))).toEqual(["bin", "loop"]);
    rmSync(join(skill, "self"));
    expect(readFolderFiles(skill).complete).toBe(true);
    symlinkSync("/usr", join(skill, "out"));
    expect(readFolderFiles(skill)).toMatchObject({
      complete: false,
      fault: "out leads to a folder outside of it",
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ["into .git", { "s/.git/lib/x.sh": "x" }, ".git/lib"],
    ["into a .git further down", { "s/sub/.git/lib/x.sh": "x" }, "sub/.git/lib"],
    ["to .git itself", { "s/.git/x.sh": "x" }, ".git"],
    ["through .git", { "s/.git/x": "x" }, ".git/../scripts"],
  ])(
    "a link to a folder that leads %s makes it incomplete: nobody sees what changes there",
    (_way, more, to) => {
      const { skill, before } = createSkill(more);
      expect(before.complete).toBe(true);
      symlinkSync(to, join(skill, "lib"));
      expect(readFolderFiles(skill)).toMatchObject({
        complete: false,
        fault: "lib leads to a folder through .git, which is not recorded",
      });
    },
  );

  it("a link to a file in .git counts as that file", () => {
    const { skill, write } = createSkill({ "s/.git/x.sh": "one" });
    symlinkSync(".git/x.sh", join(skill, "x.sh"));
    const linked = readFolderFiles(skill);
    expect(linked.complete).toBe(true);
    write("s/.git/x.sh", "two");
    expect(compareFiles(linked.files, readFolderFiles(skill).files)).toEqual(["x.sh (changed)"]);
  });

  it("a link to a folder that is led elsewhere on its way counts as changed", () => {
    const { folder, skill } = createSkill({ "s/v1/x.sh": "1", "s/v2/x.sh": "2" });
    symlinkSync(join(skill, "v1"), join(folder, "now"));
    symlinkSync("../now", join(skill, "lib"));
    const linked = readFolderFiles(skill);
    rmSync(join(folder, "now"));
    symlinkSync(join(skill, "v2"), join(folder, "now"));
    expect(compareFiles(linked.files, readFolderFiles(skill).files)).toEqual(["lib (changed)"]);
  });

  it("a pipe and a link to one are not opened", () => {
    const { skill } = createSkill();
    execFileSync("mkfifo", [join(skill, "pipe")]);
    symlinkSync("pipe", join(skill, "to-pipe"));
    expect([...readFolderFiles(skill).files.keys()]).toContain("to-pipe");
    expect(readFolderFiles(skill).complete).toBe(true);
  });

  it("a folder that is not there is incomplete", () => {
    const read = readFolderFiles("/nowhere/at/all");
    expect(read).toMatchObject({
      complete: false,
      fault: expect.stringMatching(/^it cannot be read: ENOENT/),
    });
    expect(read.files.size).toBe(0);
  });

  it.skipIf(process.getuid?.() === 0)("a file that may not be read makes it incomplete", () => {
    const { skill } = createSkill();
    chmodSync(join(skill, "scripts/go.sh"), 0);
    expect(readFolderFiles(skill)).toMatchObject({
      complete: false,
      fault: expect.stringContaining("go.sh"),
    });
  });

  it.skipIf(process.platform !== "linux")("a name that is no UTF-8 makes it incomplete", () => {
    const { skill } = createSkill();
    writeFileSync(Buffer.concat([Buffer.from(`${skill}/`), Buffer.from([0xff, 0x41])]), "x");
    expect(readFolderFiles(skill)).toMatchObject({
      complete: false,
      fault: expect.stringContaining("cannot be read"),
    });
  });

  it("too many files make it incomplete, with an end", () => {
    const { skill } = createSkill();
    for (let index = 0; index < FOLDER_FILES_LIMIT; index += 1) writeFileSync(join(skill, `f${index}`), "");
    const read = readFolderFiles(skill);
    expect(read).toMatchObject({ complete: false, fault: `it has more than ${FOLDER_FILES_LIMIT} files` });
    expect(read.files.size).toBeLessThanOrEqual(FOLDER_FILES_LIMIT);
  });

  it("a file of 100 MB makes it incomplete", () => {
    const { skill } = createSkill();
    writeFileSync(join(skill, "big"), "");
    truncateSync(join(skill, "big"), 100 * 1024 * 1024);
    const read = readFolderFiles(skill);
    expect(FOLDER_BYTES_LIMIT).toBeLessThan(100 * 1024 * 1024);
    expect(read).toMatchObject({
      complete: false,
      fault: expect.stringMatching(/^its files are larger than 64 MB/),
    });
  });

  it("with an earlier reading, files with their old size and time are not read", () => {
    const { skill, before } = createSkill();
    const script = join(skill, "scripts/go.sh");
    const { atime, mtime } = statSync(script);
    utimesSync(script, atime, mtime);
    const known = readFolderFiles(skill).files;
    writeFileSync(script, "no");
    utimesSync(script, atime, mtime);
    expect(readFolderFiles(skill, { known }).digest).toBe(before.digest);
    // Another size with the old time, and another time with the old size.
    const changed = ["scripts/go.sh (changed)"];
    writeFileSync(script, "longer");
    utimesSync(script, atime, mtime);
    expect(compareFiles(before.files, readFolderFiles(skill, { known }).files)).toEqual(changed);
    writeFileSync(script, "no");
    utimesSync(script, atime, new Date(mtime.getTime() + 1_000));
    expect(compareFiles(before.files, readFolderFiles(skill, { known }).files)).toEqual(changed);
  });

  it("a link that took a file's place after it was listed is not followed", () => {
    const { folder, skill } = createSkill({ "secret.txt": "secret" });
    const script = join(skill, "scripts/go.sh");
    class Swapping extends Map<string, never> {
      override get(path: string): undefined {
        if (path !== "scripts/go.sh") return;
        rmSync(script);
        symlinkSync(join(folder, "secret.txt"), script);
      }
    }
    const read = readFolderFiles(skill, { known: new Swapping() });
    expect(read).toMatchObject({ complete: false, fault: expect.stringMatching(/^scripts\/go\.sh cannot/) });
    expect(read.files.has("scripts/go.sh")).toBe(false);
  });
});

describe("stampFolder", () => {
  it("is the stamp of what was read, until a file is touched", () => {
    const { skill, before, write } = createSkill();
    symlinkSync("../outside", join(skill, "lib"));
    write("outside", "1");
    const { files: read } = readFolderFiles(skill);
    expect(toStamp(read)).not.toBe(toStamp(before.files));
    expect(stampFolder(skill)).toBe(toStamp(read));
    utimesSync(join(skill, "../outside"), 1, 1);
    expect(stampFolder(skill)).not.toBe(toStamp(read));
  });

  it("opens no file", () => {
    const { skill } = createSkill();
    execFileSync("touch", ["-a", "-d", "2001-01-01", join(skill, "SKILL.md")]);
    stampFolder(skill);
    expect(statSync(join(skill, "SKILL.md")).atime.getFullYear()).toBe(2001);
  });
});
