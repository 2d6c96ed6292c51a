import { describe, expect, it } from "vitest";
import { explainGrants, renderDifference } from "../../../src/graph/drift/drift-text.ts";
import type { ActiveSkill } from "../../../src/graph/skill-state.ts";

function createSkill(text: string, part: Partial<ActiveSkill> = {}) {
  const skill: ActiveSkill = {
    name: "tidy",
    digest: "d",
    path: "/skills/tidy/SKILL.md",
    directory: "/skills/tidy",
    arguments: "",
    chosenBy: "person",
    allowedTools: [],
    disallowedTools: [],
    resources: { scripts: [], references: [], assets: [] },
    anchor: "",
    tokens: 0,
    ...part,
  };
  const { allowedTools, model } = skill;
  return { skill, texts: { d: text }, asks: { allowedTools, ...(model === undefined ? {} : { model }) } };
}

const lines = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => `${text} ${index}`).join("\n");

describe("the difference of a changed skill", () => {
  it("is empty where its text and what it asks for are the same", () => {
    expect(renderDifference(createSkill("same"), createSkill("same"))).toBe("");
  });

  it("shows what it asks for, too", () => {
    const after = createSkill("same", {
      allowedTools: ["Bash(*)"],
      disallowedTools: ["Write"],
      model: "large",
    });
    expect(renderDifference(createSkill("same"), after)).toContain(
      "+allowed-tools: Bash(*)\n+disallowed-tools: Write\n+model: large\n same",
    );
  });

  it("ends after 200 lines, and says how many more there are", () => {
    const shown = renderDifference(createSkill(lines(300, "old")), createSkill(lines(300, "new"))).split(
      "\n",
    );
    expect(shown).toHaveLength(201);
    expect(shown.at(-1)).toBe("… 403 more lines");
  });

  it("ends after 10,000 characters, also within one line", () => {
    const wide = renderDifference(
      createSkill(lines(90, "x".repeat(300))),
      createSkill(lines(90, "y".repeat(300))),
    );
    expect(wide.length).toBeLessThan(10_050);
    expect(wide).toMatch(/… \d+ more lines$/);
    expect(renderDifference(createSkill("a"), createSkill("b".repeat(50_000))).length).toBeLessThan(10_100);
  });

  it("of two long texts with nothing in common takes a second at most", () => {
    const scramble = (seed: number) =>
      Array.from({ length: 40_000 }, (_, index) => String((index * seed) % 39_989)).join("\n");
    const start = performance.now();
    const shown = renderDifference(createSkill(scramble(7_919)), createSkill(scramble(104_729)));
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(shown).toBe("The texts differ too much to be compared.");
  });
});

describe("a grant that goes or comes with the trust", () => {
  const granting = createSkill("old", { allowedTools: ["Bash(sh:*)"], model: "large" });
  const without = createSkill("new", { trusted: false });
  const asking = { ...without, asks: granting.asks };

  it("is no line of the file that went: the header still asks for it", () => {
    expect(renderDifference(granting, asking)).not.toMatch(/^-(allowed-tools|model)/m);
    expect(renderDifference(granting, without)).toContain("-allowed-tools: Bash(sh:*)\n-model: large");
    expect(explainGrants(granting.skill, { ...asking, doubt: "it changed" })).toBe(
      "No longer granted, as it is not trusted: Bash(sh:*).",
    );
  });

  it("is no line that came, where it was loaded without trust", () => {
    expect(renderDifference(without, granting)).toBe(
      renderDifference(createSkill("new"), createSkill("old")),
    );
    expect(explainGrants(without.skill, granting)).toBe(
      "Granted with the new text, as it is trusted now: Bash(sh:*).",
    );
  });

  it("is told of only where it changes", () => {
    expect(explainGrants(granting.skill, granting)).toBeUndefined();
    expect(explainGrants(without.skill, { ...without, doubt: "it changed" })).toBeUndefined();
  });
});
