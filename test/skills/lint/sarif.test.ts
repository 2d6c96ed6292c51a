import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { RULES } from "../../../src/skills/lint/rules.ts";
import { toSarif } from "../../../src/skills/lint/sarif.ts";
import type { Diagnostic } from "../../../src/skills/schema.ts";
import { FIXTURES } from "./faults.ts";

interface Sarif {
  $schema: string;
  version: string;
  runs: [{ tool: { driver: { name: string; version: string; rules: { id: string }[] } }; results: Result[] }];
}

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }];
  fixes?: unknown[];
}

const toDocument = (diagnostics: Diagnostic[], cwd: string) =>
  JSON.parse(JSON.stringify(toSarif(diagnostics, { cwd, version: "1.2.3" }))) as Sarif;

describe("SARIF 2.1.0", () => {
  it("has every key that its schema requires, for each finding of the fixtures", async () => {
    const { diagnostics } = await lintPaths(["."], FIXTURES);
    const { $schema, version, runs } = toDocument(diagnostics, FIXTURES);
    expect($schema).toContain("sarif-schema-2.1.0.json");
    expect(version).toBe("2.1.0");
    const [{ tool, results }] = runs;
    expect(tool.driver).toMatchObject({ name: "skillgraph", version: "1.2.3" });
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(RULES.map(({ code }) => code));
    expect(results).toHaveLength(diagnostics.length);
    for (const [index, { ruleId, ruleIndex, level, message, locations }] of results.entries()) {
      const diagnostic = diagnostics[index]!;
      expect({ ruleId, level, text: message.text }).toEqual({
        ruleId: diagnostic.code,
        level: diagnostic.severity,
        text: diagnostic.message,
      });
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      const { artifactLocation, region } = locations[0].physicalLocation;
      expect(join(FIXTURES, decodeURIComponent(artifactLocation.uri))).toBe(diagnostic.path);
      expect(region.startLine).toBe(diagnostic.line);
    }
  });

  it("a fix is what is deleted and what comes in its place, in whole lines", () => {
    const fix = {
      description: "mend it",
      edits: [
        { line: 3, count: 2, text: "x" },
        { line: 7, count: 1 },
      ],
    };
    const base = { code: "text-hidden", severity: "warning", line: 3, message: "m" } as const;
    const { runs } = toDocument([{ ...base, path: "/w/a b/SKILL.md", fix }], "/w");
    expect(runs[0].results[0]?.fixes).toEqual([
      {
        description: { text: "mend it" },
        artifactChanges: [
          {
            artifactLocation: { uri: "a%20b/SKILL.md" },
            replacements: [
              {
                deletedRegion: { startLine: 3, startColumn: 1, endLine: 5, endColumn: 1 },
                insertedContent: { text: "x\n" },
              },
              { deletedRegion: { startLine: 7, startColumn: 1, endLine: 8, endColumn: 1 } },
            ],
          },
        ],
      },
    ]);
  });

  it("a new name is no fix there, and a file elsewhere has its whole address", () => {
    const fix = { description: "rename it", edits: [], rename: "SKILL.md" };
    const base = { code: "file-name-case", severity: "warning", line: 1, message: "m" } as const;
    const { runs } = toDocument([{ ...base, path: "/v/skill.md", fix }], "/w");
    expect(runs[0].results[0]).not.toHaveProperty("fixes");
    const { uri } = runs[0].results[0]!.locations[0].physicalLocation.artifactLocation;
    expect(uri).toBe(pathToFileURL("/v/skill.md").href);
  });
});
