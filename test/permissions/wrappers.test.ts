import { describe, expect, it } from "vitest";
import { readCommand } from "../../src/permissions/command.ts";
import { findLoaderVariable, listInnerCommands, unwrapWords } from "../../src/permissions/wrappers.ts";

describe("unwrapWords", () => {
  it.each([
    ["timeout 5 git push", "git push"],
    ["timeout -s KILL --kill-after 3 5 git push", "git push"],
    ["env -i -u X A=1 B=2 git push", "git push"],
    ["/usr/bin/env git push", "git push"],
    ["nice -n 5 git push", "git push"],
    ["nice -5 git push", "git push"],
    ["stdbuf -oL git push", "git push"],
    ["xargs -n 1 -I X git push X", "git push X"],
    ["sudo -u root -- git push", "git push"],
    ["nohup git push", "git push"],
    ["exec -a name git push", "git push"],
    ["git -C /x -c a=b --no-pager push", "git push"],
    ["git --git-dir=/x push", "git push"],
  ])("takes one layer off %j", (text, inner) => {
    expect(unwrapWords(text.split(" "))).toEqual(inner.split(" "));
  });

  it.each(["git push", "git", "env", "timeout 5", "ls -l", ""])("finds no layer around %j", (text) => {
    expect(unwrapWords(text.split(" "))).toBeUndefined();
  });
});

describe("listInnerCommands", () => {
  it.each([
    "timeout 5 nice env A=1 rm x",
    "sh -c 'rm x'",
    "bash -lc 'cd y && rm x'",
    "bash -o pipefail -c 'rm x'",
    "sh -c \"sh -c 'rm x'\"",
    "eval 'rm' x",
    "env -S 'rm x'",
    "env --split-string='rm x' y",
    "find . -name y -exec rm x \\;",
    "find . -execdir rm x {} +",
    "echo 'rm x' | sh",
    "su -c 'rm x' other",
    "trap 'rm x' EXIT",
    "watch -n 1 'rm x'",
    "watch -n 1 rm x",
    "sh <<E\nrm x\nE",
    "bash <<<'rm x'",
    "A=$(rm x) true",
    "cat <(rm x)",
  ])("finds the command in %j", (text) => {
    const found = listInnerCommands(readCommand(text).commands).map((command) =>
      command.words.slice(0, 2).join(" "),
    );
    expect(found).toContain("rm x");
  });

  it("sees through any number of layers and of commands before it", () => {
    const texts = [
      `${"nohup ".repeat(500)}rm x`,
      `${"eval ".repeat(80)}rm x`,
      `${"true; ".repeat(500)}nohup rm x`,
      `${"find . -exec ".repeat(60)}rm x`,
      `${"echo a | sh; ".repeat(200)}nohup rm x`,
    ];
    for (const text of texts) {
      const found = listInnerCommands(readCommand(text).commands).map((command) => command.words.join(" "));
      expect(found).toContain("rm x");
    }
  });
});

describe("findLoaderVariable", () => {
  it.each([
    "LD_PRELOAD=./p.so ls",
    "env LD_AUDIT=x ls",
    "export DYLD_INSERT_LIBRARIES=x",
    "BASH_ENV=x sh -c ls",
  ])("C7: finds the loader variable in %j", (text) => {
    expect(readCommand(text).commands.some((command) => findLoaderVariable(command) !== undefined)).toBe(
      true,
    );
  });

  it("leaves other variables alone", () => {
    expect(readCommand("LANG=C OLD_PATH=x ls").commands.map(findLoaderVariable)).toEqual([undefined]);
  });
});
