import { describe, expect, it } from "vitest";
import { drawWizard } from "../../src/runtime/draw.ts";
import type { Stage } from "../../src/skills/stages/stage.ts";

function stage(title: string, more: Partial<Stage> = {}): Stage {
  const base = { gate: "approve" as const, allowedTools: [], restrict: false, needs: [], maxAttempts: 3 };
  return { id: "x", title, text: "", ...base, ...more };
}

function draw(...stages: Stage[]): string[] {
  return drawWizard("release", { intro: "", stages })
    .split("\n")
    .map((line) => line.trim());
}

describe("drawWizard", () => {
  it("draws stages, gates, checks and the ways back", () => {
    const output = { type: "object", properties: { version: {}, notes: {} } };
    const lines = draw(
      stage("Inspect", { gate: "none" }),
      stage("Plan", { output, check: "npm test" }),
      stage("Confirm", { gate: "form", form: { type: "object", properties: { when: {} } } }),
    );
    expect(lines).toEqual([
      "flowchart TD",
      'start(["Skill release"])',
      'stage1["Stage 1: Inspect"]',
      'stage2["Stage 2: Plan"]',
      'check2[/"Check: npm test"/]',
      'gate2{{"A person approves"}}',
      'stage3["Stage 3: Confirm"]',
      'gate3{{"A person fills in when"}}',
      'done(["Finished"])',
      "start --> stage1",
      "stage1 --> stage2",
      'stage2 -- "output fits" --> check2',
      'check2 -- "exits with 0" --> gate2',
      'check2 -. "fails" .-> stage2',
      'gate2 -- "approved" --> stage3',
      'gate2 -. "sent back" .-> stage2',
      'gate2 -. "go back" .-> stage1',
      "stage3 --> gate3",
      'gate3 -- "filled in" --> done',
      'gate3 -. "sent back" .-> stage3',
      'gate3 -. "go back" .-> stage2',
      "%% A person can go back from a gate to any earlier stage.",
    ]);
  });

  it("a gate that --auto-gates opens says so", () => {
    expect(draw(stage("Plan", { auto: true }))).toContain('gate1{{"A person approves, or --auto-gates"}}');
    expect(draw(stage("Plan", { auto: true, gate: "form" }))).toContain(
      'gate1{{"A person fills in a form, or --auto-gates"}}',
    );
  });

  it("the first stage has no way back before it, and a last stage without a gate leads to the end", () => {
    expect(draw(stage("Only"))).not.toContainEqual(expect.stringContaining("go back"));
    expect(draw(stage("Only", { gate: "none", check: "true" }))).toContain(
      'check1 -- "exits with 0" --> done',
    );
  });

  it.each([
    ["quotes and brackets", 'a"b] [c', "a#34;b#93; #91;c"],
    ["an entity", "a #35; b", "a #35;35#59; b"],
    ["a directive", "%%{init: {}}%%", "#37;#37;#123;init#58; #123;#125;#125;#37;#37;"],
    ["markup", "<b>`x`</b> *y*", "#60;b#62;#96;x#96;#60;/b#62; #42;y#42;"],
    ["lines", "a\r\n  b\tc", "a b c"],
    ["characters that steer", "a\u001b[2Jb\u202ec", "a #91;2Jb c"],
    ["other scripts", "计划 naïve", "计划 naïve"],
    ["a picture", "go 🎉", "go #127881;"],
  ])("a title with %s draws", (_name, title, label) => {
    expect(draw(stage(title))[2]).toBe(`stage1["Stage 1: ${label}"]`);
  });

  it("long titles and long forms are cut", () => {
    const names = Object.fromEntries([..."abcdefgh"].map((name) => [name, {}]));
    const lines = draw(stage("é".repeat(500), { gate: "form", output: { properties: names } }));
    expect(lines[2]).toBe(`stage1["Stage 1: ${"é".repeat(99)}…"]`);
    expect(lines[3]).toBe('gate1{{"A person fills in a, b, c, d, e, f, …"}}');
    expect(draw(stage("x", { gate: "form" }))[3]).toBe('gate1{{"A person fills in a form"}}');
  });
});
