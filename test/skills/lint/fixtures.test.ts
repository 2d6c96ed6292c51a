import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { FAULTS, FIXTURES, SOUND } from "./faults.ts";

const { files, diagnostics } = await lintPaths(["."], FIXTURES);

/** The fixture that a path belongs to. */
function toFixture(path: string): string {
  const parts = relative(FIXTURES, path).split(sep);
  return ["first", "second"].includes(parts[0] ?? "") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}

describe("each planted fault is found once, and nothing else is", () => {
  it.each(FAULTS)("%s: %s", (fixture, code) => {
    const found = diagnostics.filter(({ path }) => toFixture(path) === fixture);
    expect(found.map((each) => each.code)).toEqual([code]);
    expect(found[0]?.line).toBeGreaterThan(0);
    expect(found[0]?.message).toMatch(/^[^\n]*\S[.?]$/);
  });

  it.each(SOUND)("%s has no fault", (fixture) => {
    expect(files.map(toFixture)).toContain(fixture);
    expect(diagnostics.filter(({ path }) => toFixture(path) === fixture)).toEqual([]);
  });

  it("every fixture is listed, and every listed one is there", () => {
    const folders = readdirSync(FIXTURES).flatMap((name) =>
      ["first", "second"].includes(name)
        ? readdirSync(join(FIXTURES, name)).map((each) => `${name}/${each}`)
        : name,
    );
    const listed = [...FAULTS.map(([fixture]) => fixture), ...SOUND];
    expect([...listed].sort()).toEqual(folders.sort());
    expect(diagnostics).toHaveLength(FAULTS.length);
  });
});
