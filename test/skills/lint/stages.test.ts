import { describe, expect, it } from "vitest";
import { HEADER, lint, readFaults, skillFile } from "./lint.ts";

const schema = "output:\n  type: object\n  properties:\n    version: { type: string }";

function stage(header: string, body = "Do it."): string {
  return `---\n${header}\n---\n${body}\n`;
}

/** Two stages, `plan` with an output and `apply`. */
function judge(plan: string, apply: string, more: Record<string, string> = {}) {
  return readFaults(skillFile(), {
    files: { "stages/01-plan.md": plan, "stages/02-apply.md": apply, ...more },
  });
}

describe("the stages of a wizard skill", () => {
  it("in order: no fault", async () => {
    const body =
      "{plan.version} {plan.summary} {plan.output} {other.x} ${plan.x} [here](02-apply.md) [there](../notes.md)";
    expect(await judge(stage(schema), stage("title: Apply", body), { "notes.md": "x" })).toEqual([]);
  });

  it("what keeps the wizard from running is an error in the stage's file", async () => {
    const diagnostics = await lint(skillFile(), { files: { "stages/01-plan.md": stage("gate: maybe") } });
    expect(diagnostics).toEqual(["error stage-gate 2"]);
    expect(await judge(stage("gate: maybe"), stage("needs: [x]"))).toEqual([
      'stages/01-plan.md:2 The gate "maybe" is none of approve, form, none.',
      'stages/02-apply.md:2 "needs" names "x", which is no stage. Earlier stages: plan.',
    ]);
  });

  it("their files and blocks are looked at, with the lines of the file", async () => {
    expect(
      await judge(stage("title: Plan", "x\n\n[x](a.md)\n\n```python run\nx\n```"), "Do it.\nscripts/a.sh"),
    ).toEqual([
      'stages/01-plan.md:6 The skill has no file "a.md".',
      'stages/01-plan.md:8 "python" is not run, only bash, sh or shell. Call the program from there.',
      'stages/02-apply.md:2 The skill has no file "scripts/a.sh".',
    ]);
  });

  it("a placeholder that no result fills is told", async () => {
    expect(await judge(stage(schema, "{apply.x}"), stage("title: Apply", "x\n{plan.verison}"))).toEqual([
      'stages/01-plan.md:7 "{apply.x}" stays as it is: this stage does not see the result of "apply". It sees: none.',
      'stages/02-apply.md:5 "{plan.verison}" stays as it is: the stage "plan" hands over no "verison". Its fields: version, summary.',
    ]);
  });

  it("a placeholder of a check is told at the check, also where the stage's file is a number only", async () => {
    const header = "title: Apply\ncheck: test {plan.version} = {plan.verison}";
    const judged = await readFaults(skillFile(), {
      files: { "stages/01-plan.md": stage(schema), "stages/02.md": stage(header, "\n\n{plan.x}") },
    });
    expect(judged).toEqual([
      'stages/02.md:3 "{plan.verison}" in the check has no value: the stage "plan" hands over no "verison". Its fields: version, summary.',
      'stages/02.md:7 "{plan.x}" stays as it is: the stage "plan" hands over no "x". Its fields: version, summary.',
    ]);
  });

  it("a check that is folded over lines is told at its key", async () => {
    expect(await judge(stage("check: >-\n  test\n  -n {apply.x}"), stage("title: Apply"))).toEqual([
      'stages/01-plan.md:2 "{apply.x}" in the check has no value: this stage does not see the result of "apply". It sees: none.',
    ]);
  });

  it("a stage that is not needed is not seen", async () => {
    expect(await judge(stage(schema), stage("needs: []", "{plan.version}"))).toEqual([
      'stages/02-apply.md:4 "{plan.version}" stays as it is: this stage does not see the result of "plan". It sees: none.',
    ]);
  });

  it.each([
    ["no schema", "title: Plan"],
    ["a schema without properties", "output: { type: object }"],
    ["a schema of parts", "output: { type: object, properties: {}, allOf: [{ properties: { x: {} } }] }"],
  ])("%s: there may be any field", async (_title, header) => {
    expect(await judge(stage(header), stage("title: Apply", "{plan.x}"))).toEqual([]);
  });

  it("headings are stages where the metadata says so", async () => {
    const body = "## Stage 1: Plan\n\nx\n\n## Stage 2: Plan\n\nx\n\n## Stage 2: Plan\n\nx\n";
    expect(await lint(skillFile(HEADER, body))).toEqual([]);
    expect(await lint(skillFile(`${HEADER}\nmetadata:\n  wizard: "true"`, body))).toEqual([
      "warning stage-number 15",
      "error stage-id-twice 15",
    ]);
  });

  it("placeholders and links below headings are told once, with the lines of SKILL.md", async () => {
    const body =
      "[x](a.md)\n\n## Stage 1: Plan\n\n\n{apply.x} [x](a.md)\n\n## Stage 2: Apply\n{plan.x} {apply.y}\n";
    expect(await readFaults(skillFile(`${HEADER}\nmetadata:\n  wizard: "true"`, body))).toEqual([
      'SKILL.md:7 The skill has no file "a.md".',
      'SKILL.md:12 "{apply.x}" stays as it is: this stage does not see the result of "apply". It sees: none.',
      'SKILL.md:15 "{apply.y}" stays as it is: this stage does not see the result of "apply". It sees: plan.',
    ]);
  });

  it("a wizard without stages is an error", async () => {
    const faults = await lint(skillFile(`${HEADER}\nmetadata:\n  wizard: "true"`));
    expect(faults).toEqual(["error wizard-without-stages 1"]);
  });
});
