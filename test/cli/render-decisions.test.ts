import { describe, expect, it } from "vitest";
import { renderDecisions } from "../../src/cli/render-decisions.ts";
import type { AuditRecord } from "../../src/graph/state.ts";

const record = (facts: Partial<AuditRecord>): AuditRecord => ({
  at: "2026-01-02T03:04:05.678Z",
  id: "c1",
  kind: "call",
  name: "Bash",
  subject: "git status",
  verdict: "allow",
  by: "rules",
  reason: "because",
  ...facts,
});

describe("the decisions of a thread", () => {
  it("are a table, each with when, what, whose word and why", () => {
    const lines = renderDecisions([
      record({ rule: "Bash(git status:*)", skill: "looker" }),
      record({ verdict: "deny", rule: "Bash(rm:*)", subject: "rm -r x" }),
      record({ verdict: "ask", name: "Write", subject: "a.txt" }),
      record({ verdict: "deny", by: "mode" }),
      record({ kind: "stage", name: "trip/look", verdict: "goto", by: "person", subject: "" }),
      record({
        verdict: "approve",
        by: "person",
        who: "anna",
        reason: "yes",
        always: ["Bash(npm test:*)", "Write(a)"],
      }),
    ]);
    expect(lines).toEqual([
      "when                      verdict  who                           for              subject     why",
      "2026-01-02T03:04:05.678Z  allow    Bash(git status:*) of looker  Bash             git status  because",
      "2026-01-02T03:04:05.678Z  deny     Bash(rm:*) of the settings    Bash             rm -r x     because",
      "2026-01-02T03:04:05.678Z  ask      no rule                       Write            a.txt       because",
      "2026-01-02T03:04:05.678Z  deny     the mode                      Bash             git status  because",
      "2026-01-02T03:04:05.678Z  goto     a person                      stage trip/look              because",
      "2026-01-02T03:04:05.678Z  approve  anna                          Bash             git status  yes; always: Bash(npm test:*), Write(a)",
    ]);
  });

  it("of nothing are the heads alone", () => {
    expect(renderDecisions([])).toEqual(["when  verdict  who  for  subject  why"]);
  });

  it.each(["\u001b[2K\rgone", "a\u202eb", "line\nbreak", "tab\there", "\u0000", "\u009b1m"])(
    "hold no character that moves or hides what stands there: %j",
    (text) => {
      const lines = renderDecisions([
        record({ name: text, subject: text, reason: text, rule: text, skill: text, always: [text] }),
      ]);
      expect(lines).toHaveLength(2);
      expect(lines[1]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    },
  );

  it("keep their columns when a text is long", () => {
    const lines = renderDecisions([record({ subject: "x".repeat(200) }), record({ subject: "y" })]);
    expect(lines[1]).toContain(`${"x".repeat(59)}…  because`);
    expect(lines[2]?.indexOf("because")).toBe(lines[1]?.indexOf("because"));
  });
});
