import { describe, expect, it } from "vitest";
import { matchesSteps, toGlobSteps } from "../../../src/permissions/subjects/wildcard.ts";

describe("toGlobSteps and matchesSteps", () => {
  it.each([
    [".e*", ".env", true],
    [".e*", ".envrc", true],
    [".e*", "x.env", false],
    [".en?", ".env", true],
    [".en?", ".en", false],
    [".[a-f]nv", ".env", true],
    [".[!e]nv", ".env", false],
    [".[^a]nv", ".env", true],
    ["[[:alpha:]]*", "x", true],
    ["[]a]", "]", true],
    ["a[", "a[", true],
    ["*a*b*", "xxaxxbxx", true],
    ["*a*b", "ab c", false],
    ["**", "", true],
    ["é?", "é😀", true],
  ])("%j against %j is %j", (glob, text, expected) => {
    expect(matchesSteps(toGlobSteps(glob), text)).toBe(expected);
  });
});
