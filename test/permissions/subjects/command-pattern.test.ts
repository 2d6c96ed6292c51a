import { describe, expect, it } from "vitest";
import {
  isAnyCommand,
  matchesWords,
  parseCommandPattern,
} from "../../../src/permissions/subjects/command-pattern.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";

function matches(pattern: string, ...words: string[]): boolean {
  const parsed = parseCommandPattern(pattern);
  return parsed !== undefined && matchesWords(parsed, words);
}

describe("parseCommandPattern", () => {
  it.each(["git status:*", "git status *", "git  'status' :*"])(
    "matches %j by whole leading words",
    (pattern) => {
      expect(matches(pattern, "git", "status")).toBe(true);
      expect(matches(pattern, "git", "status", "-s")).toBe(true);
      expect(matches(pattern, "git", "statusx")).toBe(false);
      expect(matches(pattern, "git")).toBe(false);
      expect(matches(pattern, "git", "-C", "x", "status")).toBe(false);
    },
  );

  it("matches exact words without a star", () => {
    expect(matches("npm test", "npm", "test")).toBe(true);
    expect(matches("npm test", "npm", "test", "x")).toBe(false);
    expect(matches('cat "a b" c\\ d', "cat", "a b", "c d")).toBe(true);
    expect(matches("cat 'a*'", "cat", "ab")).toBe(false);
    expect(matches("cat a.b", "cat", "aXb")).toBe(false);
  });

  it("keeps a star inside its word and below its folder", () => {
    expect(matches("npm run test*", "npm", "run", "test:unit")).toBe(true);
    expect(matches("npm run test*", "npm", "run", "test", "x")).toBe(false);
    expect(matches("node scripts/*.js", "node", "scripts/a/b.js")).toBe(true);
    expect(matches("node scripts/*.js", "node", "scripts/../../evil.js")).toBe(false);
    expect(matches("node scripts/.*", "node", "scripts/../evil.js")).toBe(false);
  });

  it("H9: takes no time for many stars in a long word", () => {
    const readCpu = startCpuClock();
    expect(matches("*a*a*a*a*a*a*b", "a".repeat(2000))).toBe(false);
    expect(matches("*a*a*a*a*a*a*b", `${"a".repeat(2000)}b`)).toBe(true);
    expect(matches("x*y", "xy") && matches("x*y", "x\ny") && !matches("x*y", "xyz")).toBe(true);
    expect(readCpu()).toBeLessThan(500);
  });

  it.each(["a; b", "a | b", "a && b", "$(x)", "a $X:*", "a > f", "X=1 a:*", "a &", "'a", "(a)", ""])(
    "takes %j for no pattern",
    (pattern) => {
      expect(parseCommandPattern(pattern)).toBeUndefined();
    },
  );

  it("knows the patterns that stand for every command", () => {
    expect([undefined, "*", ":*", "**"].map(isAnyCommand)).toEqual([true, true, true, true]);
    expect(["git:*", "* x", "a*"].map(isAnyCommand)).toEqual([false, false, false]);
  });
});
