import { describe, expect, it } from "vitest";
import { createPathMatch } from "../../../src/tools/files/path-match.ts";
import { globTool } from "../../../src/tools/glob.ts";
import { grepTool } from "../../../src/tools/grep.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { call, createPlace } from "../call.ts";

const LONG = "a".repeat(250);
const SLOW: [pattern: string, path: string][] = [
  ["*a*a*a*a*a*a*b", "a".repeat(120)],
  ["*a*a*a*a*a*a*b", LONG],
  ["*a*a*a*a*a*", "b".repeat(3) + LONG.replaceAll("a", "ab")],
  ["**/a/**/a/**/a/**/a/**/a/**/b", `${"a/".repeat(120)}c`],
  ["{a,aa}".repeat(40), `${LONG}c`],
  ["@(a|aa)".repeat(40), `${LONG}c`],
  ["+(a|aa)b", LONG],
  ["+(+(a))b", LONG],
  ["*(*a)*(*a)*(*a)b", LONG],
  ["!(*a*)!(*a*)!(*a*)!(*a*)b", LONG],
];

describe("createPathMatch", () => {
  it.each(SLOW)("%s ends within two seconds", (pattern, path) => {
    const readCpu = startCpuClock();
    const isMatch = createPathMatch(pattern);
    try {
      for (let count = 0; count < 200; count += 1) isMatch(path);
    } catch (error) {
      expect(error).toMatchObject({ code: "tool-failed" });
    }
    expect(readCpu()).toBeLessThan(2_500);
  });

  it("shares its second among all paths", () => {
    const isMatch = createPathMatch("*a*a*b");
    const readCpu = startCpuClock();
    const matchAll = () => {
      for (let count = 0; count < 20_000; count += 1) isMatch(LONG);
    };
    expect(matchAll).toThrow('Pattern "*a*a*b" took too long');
    expect(readCpu()).toBeLessThan(2_500);
  });

  it.each<[string, boolean]>([
    ["src/*/*.test.*", true],
    ["{src,test}/**/*.{test,spec}.{ts,tsx}", true],
    ["**/+(deep|flat)/*.ts", true],
    ["**/!(deep)/*.ts", false],
    ["**/*a*.*e*.*t*.ts", false],
    ["src/deep/a.test.ts", true],
  ])("matches %s as it should: %s", (pattern, expected) => {
    expect(createPathMatch(pattern)("src/deep/a.test.ts")).toBe(expected);
  });

  it("matches the name alone on request, with any number of stars", () => {
    for (const pattern of ["*.ts", "*a*.*t*.*s*", "+(a|b).test.ts"]) {
      expect(createPathMatch(pattern, { byName: true })("src/deep/a.test.ts")).toBe(true);
      expect(createPathMatch(pattern)("src/deep/a.test.ts")).toBe(false);
    }
    expect(createPathMatch("deep/*.ts", { byName: true })("src/deep/a.test.ts")).toBe(false);
  });
});

describe("searching with a pattern that would not end", () => {
  it("fails with the pattern's name", async () => {
    const { context } = createPlace({ ["a".repeat(120)]: "needle" });
    const pattern = "*a*a*a*a*a*a*b";
    const readCpu = startCpuClock();
    await expect(call(globTool, { pattern }, context)).rejects.toThrow(`Pattern "${pattern}" took too long`);
    await expect(call(grepTool, { pattern: "needle", glob: pattern }, context)).rejects.toThrow(
      "took too long",
    );
    expect(readCpu()).toBeLessThan(4_000);
  });

  it("is not held up by an ignore file of the workspace", async () => {
    const folder = "a/".repeat(60);
    const lines = ["**/a/".repeat(9), "*a*a*a*a*a*a*a*a*b", "*?*?*?*?*?*?*?*?b", "skipped.txt"];
    const { context } = createPlace({
      [`${folder}${"a".repeat(120)}`]: "",
      [`${folder}skipped.txt`]: "",
      ".gitignore": `${lines[0]}b\n${lines.slice(1).join("\n")}\n`,
    });
    const readCpu = startCpuClock();
    expect(await call(globTool, { pattern: "**" }, context)).toBe(`${folder}${"a".repeat(120)}`);
    expect(readCpu()).toBeLessThan(2_000);
  });
});
