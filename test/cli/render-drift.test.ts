import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { renderDrift } from "../../src/cli/render-drift.ts";
import { renderAnswers, renderRequest } from "../../src/cli/render-request.ts";
import { toReviewRequest } from "../../src/graph/review/request.ts";
import type { PendingDrift } from "../../src/graph/skill-state.ts";

const ESCAPE = "\u001b";
const colors = picocolors.createColors(false);
const drift: PendingDrift = {
  name: "tidy",
  path: "/skills/tidy/SKILL.md",
  digest: "files-1",
  files: ["SKILL.md (changed)", "scripts/go.sh (changed)"],
  difference: `--- as loaded\n+++ on disk\n@@ -1,2 +1,2 @@\n same\n-old\n+new${ESCAPE}[2J`,
};
const toRequest = (part: Partial<PendingDrift> = {}) =>
  toReviewRequest({ calls: [], wanted: [], active: [], reviewErrors: [], drifts: [{ ...drift, ...part }] });

describe("a changed skill in one line", () => {
  const event = { type: "skill-drifted", name: "tidy", path: drift.path, files: drift.files } as const;
  const what = "skill tidy changed on disk after it was loaded: SKILL.md (changed), scripts/go.sh (changed).";

  it.each([
    ["pin", `${what} It goes on with the text that was loaded. Used as on disk: scripts/go.sh (changed).`],
    ["ask", what],
    ["refresh", `${what} It is read anew.`],
  ] as const)("%s", (choice, line) => {
    expect(renderDrift({ ...event, choice })).toBe(line);
  });

  it("names no file that is used where only its text changed, or a file is gone", () => {
    const files = ["SKILL.md (changed)", "notes.md (gone)", "stages/02-plan.md (changed)"];
    expect(renderDrift({ ...event, choice: "pin", files })).toMatch(/loaded\.$/);
  });
});

describe("the question about a changed skill", () => {
  it("shows where it is, what changed and the difference, with what a terminal would obey made visible", () => {
    const shown = renderRequest(toRequest(), colors);
    expect(shown).toBe(`
The skill tidy changed on disk after it was loaded:
  /skills/tidy/SKILL.md
  - SKILL.md (changed)
  - scripts/go.sh (changed)
  Used as on disk, whatever you choose: scripts/go.sh (changed).
    --- as loaded
    +++ on disk
    @@ -1,2 +1,2 @@
     same
    -old
    +new␛[2J
`);
  });

  it("has the colours of a difference on a terminal", () => {
    const shown = renderRequest(toRequest(), picocolors.createColors(true));
    expect(shown).toContain(`${ESCAPE}[32m    +new␛[2J${ESCAPE}[39m`);
    expect(shown).toContain(`${ESCAPE}[31m    -old${ESCAPE}[39m`);
    expect(shown).not.toContain(`${ESCAPE}[2J`);
  });

  it("says why the new text is not to be had", () => {
    const shown = renderRequest(
      toRequest({ fault: "the SKILL.md is gone.", difference: "", digest: "" }),
      colors,
    );
    expect(shown).toContain("  The new text cannot be taken: the SKILL.md is gone.\n");
  });

  it("prints a command for each answer", () => {
    const commands = renderAnswers("t", toRequest(), "--drift ask");
    expect(
      [...commands.matchAll(/resume t --request (req-\w+) --drift ask --answer (\w+) {3}#/g)].map(
        (match) => match[2],
      ),
    ).toEqual(["pin", "refresh", "stop"]);
    expect(renderAnswers("t", toRequest({ fault: "gone" }))).not.toContain("refresh");
  });
});
