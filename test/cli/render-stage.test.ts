import { execFileSync } from "node:child_process";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { renderAnswers, renderRequest } from "../../src/cli/render-request.ts";
import { renderStages } from "../../src/cli/render-stage.ts";
import type { Stage } from "../../src/skills/stages/stage.ts";
import { failedGate, formGate, planGate, toRequest, wordsGate } from "../support/stage-items.ts";

const colors = picocolors.createColors(false);
const show = (item: typeof planGate, thread?: string) => renderRequest(toRequest(item), colors, thread);

/** The flags of the printed commands, in order. */
function listFlags(item: typeof planGate): string[] {
  const lines = renderAnswers("t-1", toRequest(item), "--cwd /x").split("\n");
  const base = "  skillgraph resume t-1 --request req-1 --cwd /x ";
  return lines.filter((line) => line.includes("skillgraph")).map((line) => line.replace(base, ""));
}

describe("a stage at its gate", () => {
  it("shows what was handed over and what comes next", () => {
    expect(show(planGate)).toBe(`
Stage 2 of 3 is complete: Plan (skill release)
  Three changes.
  Output:
    version: 1.2.0
    notes:
      First.
      
      version: 9
    files:
      - {from: a.md, to: "b, c.md"}
    draft: false
  Next: Apply
`);
  });

  it("a summary alone is told once, and the last stage says so", () => {
    expect(show(wordsGate)).toBe(
      "\nStage 3 of 3 is complete: Apply (skill release)\n  It is out.\n  This is the last stage.\n",
    );
  });

  it("a summary cannot pass for the output", () => {
    const item = { ...planGate, args: { version: "9" }, summary: "Good.\nOutput:\n  version: 1.2.0" };
    expect(show(item).match(/^ {2}Output:\n.*$/gm)).toEqual(['  Output:\n    version: "9"']);
  });

  it("a form says what is known and what is to be filled in", () => {
    expect(show(formGate)).toContain(
      "  So far:\n    version: 1.2.0\n  To be filled in:\n    - version: Version (string; required)\n    - notes (string)\n",
    );
  });

  it("a form does not list what is still empty", () => {
    const item = { ...formGate, args: { version: "", notes: null, files: [], draft: false } };
    expect(show(item)).toContain("  So far:\n    draft: false\n  To be filled in:\n");
    expect(show({ ...formGate, args: { version: "" } })).not.toContain("So far");
    expect(show({ ...planGate, args: { notes: "" } })).toContain('  Output:\n    notes: ""\n');
  });

  it("files that changed are listed, and the difference stands before what comes next", () => {
    const files = ["a.md (changed)", "logo.png (changed; binary or large: 3 bytes now)"];
    const difference = "--- a.md\n+++ a.md (changed)\n@@ -1,1 +1,1 @@\n-old\n+new";
    expect(show({ ...wordsGate, files, difference })).toBe(
      "\nStage 3 of 3 is complete: Apply (skill release)\n  It is out.\n  Files:\n    - a.md (changed)\n" +
        "    - logo.png (changed; binary or large: 3 bytes now)\n  Changes:\n    --- a.md\n    +++ a.md (changed)\n" +
        "    @@ -1,1 +1,1 @@\n    -old\n    +new\n  This is the last stage.\n",
    );
    expect(show({ ...formGate, files: ["\u001b[2J\nNext: x"] })).toMatch(
      / {2}Files:\n {4}- [^\n\u001b]*Next: x\n {2}To be filled in:(?:\n {4}.*)+\n {2}Next: Apply\n$/,
    );
  });

  it("a stage that could not be completed says why, and does not pass for complete", () => {
    expect(show(failedGate)).toBe(
      "\nStage 2 of 3 could not be completed: Plan (skill release)\n  What was wrong:\n" +
        '  - "version": is missing\n  - The check failed:\n    no tag\n  Next: Apply\n',
    );
  });

  it("1000 lines are shown; of more, how many are missing and where all is to be seen", () => {
    const files = Array.from({ length: 999 }, (_, index) => ({ index }));
    const whole = show({ ...planGate, args: { files } });
    expect(whole).toContain("- {index: 998}\n  Next");
    const cut = show(
      { ...planGate, args: { files: [...files, { index: "last" }, { index: "one" }] } },
      "t-1",
    );
    expect(cut).toContain(
      "    … 2 more lines are not shown. All of it: skillgraph threads show t-1 --json\n",
    );
    expect(cut).not.toContain("last");
  });

  it("what a model wrote cannot steer a terminal", () => {
    const sign = "\u001b[2J\u202e";
    const args = { [sign]: sign, list: [{ [sign]: sign }, sign], text: `${sign}\n${sign}` };
    const item = { ...planGate, args, title: sign, summary: sign, next: { id: "x", title: sign } };
    expect(show(item) + listFlags(item).join("\n")).not.toMatch(/[\u001b\u202e]/);
    expect(show({ ...failedGate, failures: [sign] })).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("the answers to a stage", () => {
  it("are approval, changes, feedback, the way back, and the end", () => {
    expect(listFlags(planGate)).toEqual([
      "--approve",
      `--edit '{"version":"1.2.0"}'   # only the keys that change`,
      "--reject 'what to change'",
      "--goto inspect   # go back",
      "--goto plan   # do this stage again",
      "--goto __end__   # stop the wizard",
    ]);
  });

  it("at a form are its values", () => {
    const [first, second] = listFlags(formGate);
    const example = '{"version":"1.2.0","notes":"…","files":["…"],"draft":true,"rounds":1}';
    expect(first).toBe(`--answer '${example}'`);
    expect(second).toBe("--reject 'what to change'");
    expect(listFlags({ ...formGate, allowed: ["approve", "edit", "respond", "reject"] })[0]).toBe(
      "--approve",
    );
  });

  it("do not offer to approve what failed, and name a key of the output", () => {
    expect(listFlags(failedGate)[0]).toBe(`--edit '{"version":"…"}'   # only the keys that change`);
  });

  it("a printed example is JSON when a shell has read it, whatever the output holds", () => {
    for (const value of ["it's  $HOME", "x".repeat(5000), "\u202e", { a: "x".repeat(500) }]) {
      const [, flag = ""] = listFlags({ ...planGate, args: { value } });
      const word = execFileSync("sh", ["-c", `set -- ${flag}\nprintf %s "$2"`], { encoding: "utf8" });
      expect(JSON.parse(word)).toEqual({ value: value === "it's  $HOME" ? value : "…" });
    }
  });
});

it("the stages of a wizard are told with their gates and what they hand over", () => {
  const base: Stage = {
    id: "inspect",
    title: "Inspect",
    gate: "none",
    allowedTools: [],
    restrict: false,
    needs: [],
    maxAttempts: 3,
    text: "",
  };
  const output = { type: "object", properties: { version: {}, notes: {} } };
  const stages: Stage[] = [
    base,
    { ...base, id: "plan", title: "Plan\nit", gate: "form", output },
    { ...base, id: "apply", title: "Apply", gate: "approve", output: { type: "array" } },
    { ...base, id: "tell", title: "Tell", gate: "approve", auto: true },
  ];
  expect(renderStages({ intro: "", stages })).toEqual([
    "1. inspect: Inspect (goes on by itself; hands over a summary)",
    "2. plan: Plan it (a person fills in a form; hands over version, notes)",
    "3. apply: Apply (a person approves; hands over array)",
    "4. tell: Tell (a person approves, or --auto-gates; hands over a summary)",
  ]);
});
