import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { decideBash, grant } from "../support.ts";
import { createFolder, createRepository, decideIn, run, writeIn } from "./scratch.ts";

let workspace: string;
let outside: string;

beforeEach(() => {
  workspace = createRepository(createFolder());
  outside = createFolder({ "far.txt": "far away\n" });
  symlinkSync(outside, join(workspace, "out"));
});

describe("a program that splits its words in its own way", () => {
  // What it does is seen first: else the question would guard nothing.
  it.each([
    ["git diff -U", "takes no word for -U", (far: string) => `git diff -U ${far} a.txt`],
    ["jq --indent", "takes any word", (far: string) => `jq -R --indent --arg . ${far} 4`],
  ])("%s %s, and reads a file outside the workspace", (_program, _how, toCommand) => {
    const command = toCommand(join(outside, "far.txt"));
    expect(run(workspace, command)).toContain("far away");
    expect(decideIn(workspace, command).verdict).toBe("ask");
  });

  it("xxd looks at the first letter of a word, so the next word is a file", () => {
    const read = `xxd -ps ${join(outside, "far.txt")}`;
    expect(run(workspace, read)).toContain("666172");
    expect(decideIn(workspace, read).verdict).toBe("ask");
    run(workspace, "xxd -ac a.txt made.txt");
    expect(existsSync(join(workspace, "made.txt"))).toBe(true);
    expect(decideIn(workspace, "xxd -ac a.txt made.txt").verdict).toBe("ask");
    expect(decideIn(workspace, "xxd -a -c 8 a.txt").verdict).toBe("allow");
  });

  it.each(["tree -IRH x sub -L 1", "tree -Io x made.html", "tree -Il x ."])(
    "tree takes values from the next words: %s",
    (command) => {
      expect(decideIn(workspace, command).verdict).toBe("ask");
    },
  );
});

describe("rg shows a secret with a dot in front", () => {
  beforeEach(() => writeIn(workspace, "sub/.env", "KEY=1\n"));

  it.each([
    ["a glob takes it", "rg -g '.e*' KEY"],
    ["a glob takes it", "rg -ig '**/.env' KEY"],
    ["the first of two globs takes it", "rg -g '*' -g '!x' KEY"],
    ["a glob takes it in any case", "rg --iglob='.E*' KEY"],
    ["a glob with braces may take it", "rg -g '{.env,x}' KEY"],
  ])("when %s: %s", (_why, command) => {
    expect(decideIn(workspace, command).verdict).toBe("ask");
    const found = decideBash(command, [grant("Bash(rg:*)")], { workspace }, workspace);
    expect(found.verdict).toBe("ask");
  });

  it.each([
    [".ignore", "!.env"],
    [".gitignore", "*.log\n!/sub/.e*\n"],
    ["sub/.rgignore", "!.env"],
    ["sub/.gitignore", "!*"],
    [".git/info/exclude", "!.env"],
  ])("when %s takes it back", (file, text) => {
    writeIn(workspace, file, text);
    for (const command of ["rg KEY", "rg KEY sub", "cd sub && rg KEY"])
      expect(decideIn(workspace, command).verdict, command).toBe("ask");
    expect(decideBash("rg KEY", [grant("Bash(rg:*)")], { workspace }, workspace).verdict).toBe("ask");
  });

  it("when a folder is taken back", () => {
    writeIn(workspace, ".hidden/server.key", "k");
    writeIn(workspace, ".ignore", "!.hidden/");
    expect(decideIn(workspace, "rg KEY").verdict).toBe("ask");
  });

  it("when a type takes names that end so", () => {
    writeIn(workspace, ".credentials.json", "{}");
    expect(decideIn(workspace, "rg -t json KEY").verdict).toBe("ask");
  });

  it.each(["rg KEY", "rg -g '*.ts' KEY", "rg -g '!*.min.js' KEY", "rg -t ts KEY", "rg --type=ts KEY sub"])(
    "and else not: %s",
    (command) => {
      writeIn(workspace, ".gitignore", ".env\n!.env.example\n!.github/\n");
      expect(decideIn(workspace, command).verdict).toBe("allow");
      const ruled = decideBash(command, [grant("Bash(rg:*)")], { workspace }, workspace);
      expect(ruled).toMatchObject({ verdict: "allow", rule: "Bash(rg:*)" });
    },
  );
});

describe("a rule for cd", () => {
  it.each(["cd out && ls", "cd out && find", "cd out && git status", "cd out && grep -r far"])(
    "does not make commands read where a link leads: %s",
    (command) => {
      expect(decideBash(command, [grant("Bash(cd:*)")], { workspace }, workspace).verdict).toBe("ask");
    },
  );
});

it.each(["git log --format=%+G?", "git log '--pretty=%-GK'", "git for-each-ref --sort=signature"])(
  "git asks before it may run what verifies signatures: %s",
  (command) => {
    expect(decideIn(workspace, command.replace(/(--format=\S+)/, "'$1'")).verdict).toBe("ask");
  },
);
