import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../../src/runtime/catalog.ts";
import { checkListing } from "../../../src/runtime/doctor/check-listing.ts";
import { examine } from "../../../src/runtime/doctor/doctor.ts";
import { loadSettings } from "../../../src/runtime/settings.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

function createProject(budget: number | undefined, count = 30) {
  const files = Array.from({ length: count }, (_, index): [string, string] => {
    const description = `Handles ${index}. ${"word ".repeat(50)}`.trim();
    return [`skills/skill-${index}/SKILL.md`, skillText({ name: `skill-${index}`, description }, "x")];
  });
  const settings = budget === undefined ? {} : { skills: { budget } };
  return createWorkspace({ ...Object.fromEntries(files), "skillgraph.json": JSON.stringify(settings) });
}

function check(workspace: ReturnType<typeof createWorkspace>, trust = true) {
  const settings = loadSettings({ cwd: workspace.folder, environment: workspace.environment, trust });
  return checkListing(openCatalog(settings), settings);
}

describe("checkListing", () => {
  it("B1: one warning counts and names what is shortened, at the file that sets the budget", () => {
    const workspace = createProject(2_000);
    const [fault, ...more] = check(workspace);
    expect(more).toEqual([]);
    expect(fault).toMatchObject({
      code: "listing-shortened",
      severity: "warning",
      path: join(workspace.folder, "skillgraph.json"),
      line: 1,
    });
    expect(fault?.message).toMatch(
      /^The list of \d+ skills does not fit its 2,000 characters: \d+ descriptions cut to \d+ characters, \d+ skills shown by name only \(skill-0, .* and \d+ more\)\. A larger skills\.budget in your own settings shows more\.$/,
    );
  });

  it("says how many are only found by a search", () => {
    expect(check(createProject(400))[0]?.message).toMatch(/\d+ skills found only by SearchSkills/);
  });

  it("finds nothing where all fits", () => {
    expect(check(createProject(undefined))).toEqual([]);
    expect(check(createProject(100_000, 300))).toEqual([]);
  });

  it("counts 15,000 characters without a setting, and names the person's file", () => {
    const workspace = createProject(undefined, 300);
    const [fault] = check(workspace);
    expect(fault?.message).toContain("does not fit its 15,000 characters");
    expect(fault?.path).toBe(join(workspace.home, ".config/skillgraph/settings.json"));
  });

  it("the person's budget beats the project's, and an untrusted project has none", () => {
    const workspace = createProject(2_000);
    expect(check(workspace, false)).toEqual([]);
    const config = join(workspace.home, ".config/skillgraph");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, "settings.json"), JSON.stringify({ skills: { budget: 900 } }));
    expect(check(workspace)[0]).toMatchObject({ path: join(config, "settings.json") });
    expect(check(workspace)[0]?.message).toContain("900 characters");
  });

  it("the doctor tells it, too", async () => {
    const workspace = createProject(2_000);
    const checks = await examine({ cwd: workspace.folder, environment: workspace.environment, trust: true });
    const told = checks.filter(({ text }) => text.includes("does not fit its 2,000 characters"));
    expect(told).toMatchObject([{ name: "skills", status: "warning" }]);
  });
});
