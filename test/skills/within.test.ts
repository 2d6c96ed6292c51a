import { describe, expect, it } from "vitest";
import { isWithin } from "../../src/skills/within.ts";

describe("isWithin", () => {
  it.each([
    ["the folder itself", "/a/b"],
    ["with a separator behind it", "/a/b/"],
    ["a file", "/a/b/c.md"],
    ["a name that begins with two dots", "/a/b/..c/d"],
    ["a way out and in again", "/a/b/../b/c"],
  ])("%s lies in it", (_title, path) => {
    expect(isWithin("/a/b", path)).toBe(true);
  });

  it.each([
    ["the folder above", "/a"],
    ["a file beside it", "/a/c.md"],
    ["a folder whose name goes on", "/a/bc"],
    ["a way out", "/a/b/../c"],
  ])("%s does not", (_title, path) => {
    expect(isWithin("/a/b", path)).toBe(false);
  });
});
