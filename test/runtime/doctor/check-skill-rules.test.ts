import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../../src/runtime/catalog.ts";
import { checkSkillRules, judgeEntry } from "../../../src/runtime/doctor/check-skill-rules.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { createWorkspace } from "../../support/workspace.ts";

const header = (lines: string) =>
  `---\nname: one\ndescription: Does one thing when it is asked to.\n${lines}\n---\nDo it.\n`;

function open(lines: string) {
  const { folder } = createWorkspace({ "skills/one/SKILL.md": header(lines) });
  const { skills } = openCatalog({
    roots: [{ path: join(folder, "skills"), tier: "project", trusted: true }],
  });
  return { folder, skills };
}

describe("checkSkillRules", () => {
  it("A7: names the line of each entry that grants nothing, and says why", () => {
    const { skills } = open(
      'allowed-tools:\n  - "Read"\n  - "Bash(npm ci && npm test)"\n  - "Bash({baseDir}/x.sh:*)"\ndisallowed-tools: WebFetch(a.org)',
    );
    expect(checkSkillRules(skills)).toEqual([
      {
        code: "tools-unreadable",
        severity: "warning",
        path: skills[0]?.path,
        line: 6,
        message:
          '"Bash(npm ci && npm test)" is no rule and grants nothing. A rule is for one command, and each of several needs its own. Write Bash(npm ci) and Bash(npm test).',
      },
      expect.objectContaining({ code: "tools-unreadable", line: 8 }),
    ]);
  });

  it("A7: finds nothing in the forms in which rules are written", () => {
    const forms = [
      "Bash(git add *) Bash(git commit:*) Read",
      "Bash(git status:*), Read, Write(docs/**), mcp__files__read, WebFetch(domain:a.org)",
      '[Bash(jq:*), Read, "Bash(echo a, b)"]',
      "Read Write,",
    ];
    for (const form of forms) expect(checkSkillRules(open(`allowed-tools: ${form}`).skills)).toEqual([]);
  });

  it("the lint tells them too, with what hardly means what it seems to", async () => {
    const { folder } = open("allowed-tools: Bash(git status*) AskUser(x)");
    const { diagnostics } = await lintPaths(["skills"], folder, { judgeEntry });
    const found = diagnostics.filter(({ code }) => /^tools-(unreadable|surprise)$/.test(code));
    expect(found.map(({ code, line, severity }) => [code, line, severity])).toEqual([
      ["tools-surprise", 4, "warning"],
      ["tools-unreadable", 4, "warning"],
    ]);
    expect(found[0]?.message).toContain("Write Bash(git status:*).");
  });
});
