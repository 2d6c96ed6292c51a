import { describe, expect, it } from "vitest";
import { readWizard } from "../../../src/skills/stages/read-wizard.ts";
import { stageText } from "../../support/wizard.ts";
import { createWorkspace, skillText } from "../../support/workspace.ts";

function read(...header: string[]) {
  const { folder } = createWorkspace({
    "s/SKILL.md": skillText({ name: "s", description: "S." }, "INTRO"),
    "s/stages/1-a.md": stageText(header, "A"),
  });
  const directory = `${folder}/s`;
  const { wizard, diagnostics } = readWizard({
    name: "s",
    path: `${directory}/SKILL.md`,
    directory,
    metadata: {},
  });
  return { stage: wizard?.stages[0], diagnostics };
}

const fields = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `f${index}: {type: string}`).join(", ")}}`;

describe("the key auto", () => {
  it.each(["true", '"true"'])("%s lets a gate be opened without a person", (value) => {
    const { stage, diagnostics } = read("title: A", `auto: ${value}`);
    expect(stage?.auto).toBe(true);
    expect(diagnostics).toEqual([]);
  });

  it.each(["false", '"false"', '""'])("%s does not", (value) => {
    const { stage, diagnostics } = read("title: A", `auto: ${value}`);
    expect(stage).not.toHaveProperty("auto");
    expect(diagnostics).toEqual([]);
  });

  it.each(["perhaps", "yes", "no", "2", "1", "[true]", "{a: true}", "approve"])(
    "%s is no word for it, so it means no",
    (value) => {
      const { stage, diagnostics } = read("title: A", `auto: ${value}`);
      expect(stage).toBeDefined();
      expect(stage).not.toHaveProperty("auto");
      expect(diagnostics).toMatchObject([{ severity: "warning", code: "flag-form", line: 3 }]);
    },
  );

  it("is not needed where nobody is asked", () => {
    const { stage, diagnostics } = read("title: A", "gate: none", "auto: true");
    expect(stage).not.toHaveProperty("auto");
    expect(diagnostics).toMatchObject([{ severity: "warning", code: "stage-auto-unused", line: 4 }]);
  });

  it("in another spelling is told, and opens nothing", () => {
    const { stage, diagnostics } = read("title: A", "Auto: true");
    expect(stage).not.toHaveProperty("auto");
    expect(diagnostics).toMatchObject([{ severity: "warning", message: expect.stringContaining('"auto"') }]);
  });
});

describe("a form", () => {
  it.each(["form", "output"])("of 16 fields is taken, one of 17 is refused at its line (%s)", (key) => {
    const header = (count: number) => [
      "title: A",
      "gate: form",
      `${key}: {type: object, properties: ${fields(count)}}`,
    ];
    expect(read(...header(16)).diagnostics).toEqual([]);
    const { stage, diagnostics } = read(...header(17));
    expect(stage).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error", code: "stage-form-size", line: 4 }]);
    expect(diagnostics[0]?.message).toContain("at most 16 fields, not 17");
  });

  it("counts fields that references and parts add", () => {
    const parts = `{$defs: {more: {properties: ${fields(12)}}}, allOf: [{$ref: "#/$defs/more"}], properties: {a: {}, b: {}, c: {}, d: {}, e: {}}}`;
    expect(read("gate: form", `form: ${parts}`).diagnostics[0]?.message).toContain("not 17");
  });

  it("is not counted where nothing is filled in", () => {
    const header = `output: {type: object, properties: ${fields(17)}}`;
    expect(read(header).diagnostics).toEqual([]);
    expect(read("gate: form", header, `form: {type: object, properties: ${fields(2)}}`).diagnostics).toEqual(
      [],
    );
  });
});
