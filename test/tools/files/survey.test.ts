import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type SurveyedFile, surveyFolder } from "../../../src/tools/files/survey.ts";
import { createWorkspace } from "../../support/workspace.ts";

function survey(folder: string): Map<string, SurveyedFile> {
  const found = surveyFolder(folder);
  if (found.kind !== "files") throw new Error(`The folder is ${found.kind}.`);
  return found.files;
}

it("a survey names files and links, hidden ones too, and those that lie higher first", () => {
  const { folder, home } = createWorkspace({
    "b/c/deep.md": "1",
    "b/near.md": "1",
    ".env": "K=1",
    "z.md": "1",
  });
  symlinkSync(home, join(folder, "away"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const files = survey(folder);
  expect([...files.keys()].slice(0, 3).sort()).toEqual([".env", "away", "z.md"]);
  expect([...files.keys()].slice(3)).toEqual(["b/near.md", "b/c/deep.md"]);
  expect(files.get("away")?.isLink).toBe(true);
  expect(files.get("z.md")).toMatchObject({ size: 1, isLink: false });
});

it("what ignore files name is left out, and so are .git, node_modules and the program's own folder", () => {
  const { folder } = createWorkspace({
    ".gitignore": "dist/\n*.log\n",
    "dist/a.js": "",
    "x.log": "",
    "src/.gitignore": "!keep.log\n/made.ts\n",
    "src/keep.log": "",
    "src/made.ts": "",
    "src/deep/made.ts": "",
    ".git/HEAD": "",
    "src/node_modules/a/index.js": "",
    ".skillgraph/threads.db": "",
  });
  expect([...survey(folder).keys()].sort()).toEqual([
    ".gitignore",
    "src/.gitignore",
    "src/deep/made.ts",
    "src/keep.log",
  ]);
});

it("a database that some program has open is left out", () => {
  const head = `SQLite format 3\0${"x".repeat(100)}`;
  const { folder } = createWorkspace({
    ...{ "t.db": head, "t.db-wal": "", "t.db-shm": "", "rest.db": head },
    ...{ "new.db": "", "new.db-wal": "", "u.db": head, "u.db-journal": "" },
  });
  expect([...survey(folder).keys()].sort()).toEqual(["rest.db", "u.db"]);
});

it("a file is no database by the name of what stands beside it", () => {
  const { folder } = createWorkspace({ "run.sh": "echo", "run.sh-wal": "", "lone-wal": "", "a-journal": "" });
  expect([...survey(folder).keys()].sort()).toEqual(["a-journal", "lone-wal", "run.sh", "run.sh-wal"]);
});

it("the mark is another one after a writing, and after a rename to the place; the mode stands beside it", () => {
  const { folder, write } = createWorkspace({ "a.md": "1", "b.sh": "1", "c.md": "1", "d.md": "1" });
  chmodSync(join(folder, "b.sh"), 0o644);
  const before = survey(folder);
  write("a.md", "22");
  chmodSync(join(folder, "b.sh"), 0o755);
  execFileSync("cp", ["-p", "c.md", "e.md"], { cwd: folder });
  execFileSync("mv", ["e.md", "c.md"], { cwd: folder });
  const after = survey(folder);
  const isSame = (name: string) => before.get(name)?.mark === after.get(name)?.mark;
  expect(["a.md", "b.sh", "c.md", "d.md"].map(isSame)).toEqual([false, true, false, true]);
  expect([before.get("b.sh")?.mode, after.get("b.sh")?.mode]).toEqual([0o644, 0o755]);
});

it("a folder with more files than the limit, or one that takes too long, is given up", () => {
  const { folder } = createWorkspace({ "a/1": "", "a/2": "", "b/3": "" });
  expect(surveyFolder(folder, { maxFiles: 2 })).toEqual({ kind: "too-many" });
  expect(surveyFolder(folder, { maxFiles: 3 }).kind).toBe("files");
  expect(surveyFolder(folder, { maxMs: -1 })).toEqual({ kind: "too-slow" });
});

it("a folder that is gone has no files", () => {
  expect(surveyFolder("/nowhere/at/all")).toEqual({ kind: "files", files: new Map() });
});
