import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { findLoaderVariable, unwrapWords } from "../../../src/permissions/command/wrappers.ts";

describe("unwrapWords", () => {
  it.each([
    ["timeout 5 git push", "git push"],
    ["timeout -s KILL --kill-after 3 5 git push", "git push"],
    ["env -i -u X A=1 B=2 git push", "git push"],
    ["/usr/bin/env git push", "git push"],
    ["nice -n 5 git push", "git push"],
    ["env -i -- A=1 git push", "git push"],
    ["git-push x", "git push x"],
    ["setpriv --reuid=0 git push", "git push"],
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
