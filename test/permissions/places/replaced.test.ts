import { describe, expect, it } from "vitest";
import { holdsProtected, listReplaced } from "../../../src/permissions/places/replaced.ts";
import { createPolicy } from "../support.ts";

describe("listReplaced", () => {
  it.each([
    ["rm -rf a b", ["a", "b"]],
    ["rm a", []],
    ["mv a b", ["a", "b/a"]],
    ["cp -r x/a b", ["b/a"]],
    ["cp -r a/. b", ["b"]],
    ["cp -rT a b", ["a", "b"]],
    ["cp -t b x/a", ["b/a", "b/b"]],
    ["cp --target-directory=b x/a", ["b/a"]],
    ["rsync -a a/ b", ["b"]],
    ["rsync -a a b", ["b/a"]],
    ["ln -s x/a b", ["b/a"]],
    ["cat a", []],
    ["cp", []],
  ])("of %j are %j", (command, expected) => {
    expect([...new Set(listReplaced(command.split(" ")))].sort()).toEqual(expected);
  });

  it("a folder around the workspace, the home or a skill holds something protected", () => {
    const policy = createPolicy();
    for (const path of ["/ws", "/", "/ws/skills", "/opt/skills", "/home"])
      expect(holdsProtected(path, policy)).toBe(true);
    for (const path of ["/ws/src", "/opt/skills/tar/x", "/tmp"])
      expect(holdsProtected(path, policy)).toBe(false);
  });
});
