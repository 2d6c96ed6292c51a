import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";
import { applyFixes, toFenceFix } from "../../../src/skills/header/fix.ts";
import { type Diagnostic, type Fix, parseHeader } from "../../../src/skills/schema.ts";
import { GOLDEN_HEADERS } from "./golden-headers.ts";

function read(text: string) {
  const frontmatter = parseFrontmatter(text);
  const place = {
    ...{ path: "/skills/tidy/SKILL.md", directory: "/skills/tidy", folderName: "tidy" },
    ...({ source: "/skills", tier: "project", trusted: true } as const),
  };
  return { frontmatter, ...parseHeader(frontmatter, place) };
}

function listFixes(text: string, diagnostics: Diagnostic[]): Fix[] {
  const fence = toFenceFix(text);
  return [...(fence ? [fence] : []), ...diagnostics.flatMap(({ fix }) => (fix ? [fix] : []))];
}

/** The text after rounds of fixes, until there is nothing left to mend. */
function mend(text: string): { text: string; rounds: number } {
  let mended = text;
  for (let rounds = 0; rounds <= 5; rounds += 1) {
    const fixes = listFixes(mended, read(mended).diagnostics);
    if (fixes.length === 0) return { text: mended, rounds };
    mended = applyFixes(mended, fixes);
  }
  return { text: mended, rounds: Number.POSITIVE_INFINITY };
}

/** Faults that only a person can mend. */
const LEFT: ReadonlySet<string> = new Set(["header-dropped", "tools-unbalanced", "description-long"]);

describe("headers as people write them", () => {
  it.each(GOLDEN_HEADERS)("$title", (golden) => {
    const { skill, frontmatter, diagnostics } = read(golden.text);
    const tools = golden.description === undefined ? undefined : (golden.tools ?? []);
    expect({
      name: skill?.name,
      description: skill?.description,
      tools: skill?.allowedTools,
      body: frontmatter.body,
      faults: diagnostics.map(({ code, line }) => `${code} ${line}`),
    }).toEqual({
      name: golden.description === undefined ? undefined : (golden.name ?? "tidy"),
      description: golden.description,
      tools,
      body: golden.body ?? "Body.\n",
      faults: golden.faults ?? [],
    });
  });
});

describe("headers that are mended", () => {
  const readable = GOLDEN_HEADERS.filter(({ description }) => description !== undefined);

  it.each(readable)("$title: reads the same, and nothing is left to mend", ({ text }) => {
    const before = read(text).skill;
    const mended = mend(text);
    const { skill, diagnostics } = read(mended.text);
    expect(mended.rounds).toBeLessThanOrEqual(3);
    expect(diagnostics.map(({ code }) => code).filter((code) => !LEFT.has(code))).toEqual([]);
    // A name is set to the folder's.
    expect({ ...skill, name: "" }).toEqual({ ...before, name: "" });
    expect(skill?.name).toBe("tidy");
  });

  it.each(readable)("$title: the body keeps every byte", ({ text }) => {
    const body = read(text).frontmatter.body.replaceAll("\n", /\r\n?/.exec(text)?.[0] ?? "\n");
    expect(mend(text).text.endsWith(body)).toBe(true);
    const ends = new Set(mend(text).text.match(/\r\n|\r|\n/g));
    expect([...ends]).toEqual([...new Set(text.match(/\r\n|\r|\n/g))]);
  });

  it("every fault that has a fix names what was read", () => {
    const faults = GOLDEN_HEADERS.flatMap(({ text }) => read(text).diagnostics);
    const mended = faults.filter(({ fix }) => fix !== undefined);
    expect(mended.length).toBeGreaterThan(30);
    const silent = mended.filter(({ read: value }) => value === undefined).map(({ code }) => code);
    expect([...new Set(silent)]).toEqual(["header-tab"]);
  });

  it("each fix by itself removes its fault, where nothing else is wrong", () => {
    let count = 0;
    for (const { text } of readable) {
      const { diagnostics } = read(text);
      if (diagnostics.length !== 1) continue;
      const fix = diagnostics[0]?.fix;
      if (fix === undefined) continue;
      count += 1;
      expect(read(applyFixes(text, [fix])).diagnostics, text).toEqual([]);
    }
    expect(count).toBeGreaterThan(25);
  });
});
