import { spawnSync } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { walkFiles } from "../../../src/tools/files/walk.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { createPlace } from "../call.ts";

const git = (folder: string, args: string[], input = "") =>
  spawnSync("git", ["-C", folder, ...args], {
    input,
    encoding: "utf8",
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
const hasGit = git(".", ["--version"]).status === 0;

async function walk({ workspace }: ToolContext, below = ""): Promise<string[]> {
  const found: string[] = [];
  const folder = below === "" ? workspace : join(workspace, below);
  for await (const { path } of walkFiles({ folder, workspace })) found.push(relative(workspace, path));
  return found.sort();
}

/** What git neither tracks nor leaves out, without hidden names, as the walk gives it. */
function listByGit({ workspace }: ToolContext, below = ""): string[] {
  git(workspace, ["init", "-q"]);
  const listed = git(workspace, ["ls-files", "-z", "--others", "--exclude-standard", "--", below || "."]);
  return listed.stdout
    .split("\0")
    .filter((name) => name !== "" && !/(^|\/)\./.test(name))
    .sort();
}

const LEAVES = ["x.log", "keep.log", "y.txt", "b/x.log", "b/keep.log", "b/y.txt", "b/c/x.log", "b/c/y.txt"];
const FILES = Object.fromEntries(
  ["", "a/", "a/d/", "[1]/", "s p/"].flatMap((folder) => LEAVES.map((leaf) => [`${folder}${leaf}`, "x\n"])),
);

/** Ignore files by their folder. */
const RULES: Record<string, Record<string, string>> = {
  "an inner file takes back a folder": { "": "/a/b\n/b\n", a: "!b\n" },
  "an inner file takes back a folder that any name rule leaves out": { "": "b/\n", a: "!b/\n" },
  "a folder that is taken back keeps the other outer rules": { "": "/a/b\n*.log\n", a: "!b\n" },
  "an inner file takes back a name": { "": "*.log\n", a: "!keep.log\n" },
  "an inner file takes back a path": { "": "*.log\n", a: "!b/keep.log\n" },
  "a third file leaves out again": { "": "/a/b\n", a: "!b\n", "a/b": "keep.log\n" },
  "a file below one that is left out has no say": { "": "/a\n", a: "!b\n", "a/b": "!y.txt\n" },
  "all but one": { "": "/a/*\n!/a/b\n" },
  "all but one, from inside": { "": "a/*\n", a: "!/d\n", "a/d": "*.txt\n!y.txt\n" },
  "a rule with a slash holds from its folder": { a: "/b/y.txt\n" },
  "a rule with a slash within holds from its folder": { a: "d/b\n" },
  "a rule without a slash holds at any depth": { a: "y.txt\n" },
  "a rule with ** in front": { a: "**/c\n" },
  "a rule with ** within": { a: "b/**/y.txt\n" },
  "a rule with ** at the end": { a: "b/**\n!b/c/\n" },
  "a folder with brackets in its name": { "[1]": "b\n", "": "" },
  "a folder with a blank in its name": { "s p": "b/y.txt\n" },
  "comments, blanks, CRLF and a mark": { "": "\ufeff# none\r\n\r\n*.log  \r\n", a: "!keep.log\r\n" },
  "escaped first letters": { a: "\\!y.txt\n\\#y.txt\ny\\.txt\n" },
};

describe("walkFiles", () => {
  describe.skipIf(!hasGit)("leaves out what git leaves out (skipped where git is missing)", () => {
    for (const [title, rules] of Object.entries(RULES)) {
      it(title, async () => {
        const own = Object.entries(rules).map(([folder, text]) => [join(folder, ".gitignore"), text]);
        const { context } = createPlace({ ...FILES, ...Object.fromEntries(own) });
        const all = listByGit(context);
        expect(await walk(context)).toEqual(all);
        expect(all.length).toBeLessThan(Object.keys(FILES).length);
        // A walk that begins further down knows the same rules, unless they leave its first folder out.
        for (const folder of ["a", "a/b", "a/d"]) {
          const isOut = git(context.workspace, ["check-ignore", "-q", folder]).status === 0;
          if (!isOut) expect(await walk(context, folder)).toEqual(listByGit(context, folder));
        }
      });
    }
  });

  it("follows no ignore file that is a link, waits at no pipe and reads no huge one", async () => {
    const { root, context } = createPlace({ "a/x.log": "x", "b/x.log": "x", "c/x.log": "x" });
    const { workspace } = context;
    symlinkSync(join(root, "outside"), join(workspace, ".gitignore"));
    spawnSync("mkfifo", [join(workspace, "b", ".gitignore")]);
    spawnSync("truncate", ["-s", "2G", join(workspace, "c", ".gitignore")]);
    expect(await walk(context)).toEqual(["a/x.log", "b/x.log", "c/x.log"]);
    expect(await walk(context, "b")).toEqual(["b/x.log"]);
  });

  it("closes what it opened when nobody wants more", async () => {
    const { context } = createPlace({ "a/b/c/x": "x", "a/b/c/y": "y" });
    const count = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);
    const before = count();
    for (let round = 0; round < 50; round += 1) {
      for await (const _ of walkFiles({ folder: context.workspace, workspace: context.workspace })) break;
    }
    expect(count()).toBeLessThan(before + 20);
  });
});
