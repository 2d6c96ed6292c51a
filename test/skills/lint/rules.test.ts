import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { RULES } from "../../../src/skills/lint/rules.ts";
import { FIXTURES } from "./faults.ts";

const root = join(import.meta.dirname, "../../..");
const codes = RULES.map(({ code }) => code);

/** Rows of the tables in docs/lint.md: code, what is wrong, why it matters, whether --fix mends it. */
const rows = [
  ...readFileSync(join(root, "docs/lint.md"), "utf8").matchAll(
    /^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \|([^|]*)\|$/gm,
  ),
].map((match) => match.slice(1).map((cell) => cell.trim()));

describe("the rules", () => {
  it("docs/lint.md lists each of them once, with the same words", () => {
    expect(rows.map(([code, about]) => `${code}: ${about}`).sort()).toEqual(
      RULES.map(({ code, about }) => `${code}: ${about}`).sort(),
    );
  });

  it("docs/lint.md says of every finding that can be mended that it is", async () => {
    const { diagnostics } = await lintPaths(["."], FIXTURES);
    const mendable = new Set(diagnostics.filter(({ fix }) => fix).map(({ code }) => code));
    const said = new Set(rows.filter(([, , , fix]) => fix !== "").map(([code]) => code));
    expect([...mendable].filter((code) => !said.has(code))).toEqual([]);
  });

  it("every code that the reading or the lint of a skill gives is one of them", () => {
    const found = new Set<string>();
    for (const file of readdirSync(join(root, "src/skills"), { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || file.endsWith("rules.ts")) continue;
      const text = readFileSync(join(root, "src/skills", file), "utf8");
      const calls =
        /\b(?:toError|toWarning|createError|createWarning|toFinding)\(\s*"([a-z]+(?:-[a-z]+)+)"|\breport\??\.?\(\s*(?:search,\s*)?"(?:error|warning)",\s*"([a-z-]+)"|\bcode: "([a-z-]+)"/g;
      for (const match of text.matchAll(calls)) found.add(match[1] ?? match[2] ?? match[3] ?? "");
    }
    expect(found.size).toBeGreaterThan(60);
    // Said of a catalog, not of a skill.
    const others = ["skill-shadowed", "root-absent"];
    expect([...found].filter((code) => !codes.includes(code) && !others.includes(code))).toEqual([]);
  });

  it("each has a code of small words, and no code stands twice", () => {
    expect(codes.filter((code) => !/^[a-z]+(?:-[a-z]+)+$/.test(code))).toEqual([]);
    expect([...new Set(codes)].sort()).toEqual(codes);
  });
});
