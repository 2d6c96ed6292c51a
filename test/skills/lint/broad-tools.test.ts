import { describe, expect, it } from "vitest";
import { HEADER, lint, readFaults, skillFile } from "./lint.ts";

const BODY = "Use everything: git ls node python npx npm find sudo xargs timeout env docker uv pnpm jq make.";
const judge = (entry: string) => lint(skillFile(`${HEADER}\nallowed-tools: ${JSON.stringify(entry)}`, BODY));

describe("a grant by which any program runs", () => {
  it.each([
    ["Bash"],
    ["bash"],
    ["execute_command"],
    ["Bash(*)"],
    ["Bash(:*)"],
    ["*"],
    ["mcp__*"],
    ["Bash(sh:*)"],
    ["Bash(sh -c:*)"],
    ["Bash(/bin/bash *)"],
    ["Bash(python3:*)"],
    ["Bash(python -m *)"],
    ["Bash(node*)"],
    ["Bash(npx:*)"],
    ["Bash(npx -y:*)"],
    ["Bash(npm:*)"],
    ["Bash(npm exec:*)"],
    ["Bash(pnpm dlx:*)"],
    ["Bash(uv run:*)"],
    ["Bash(docker run --rm:*)"],
    ["Bash(sudo:*)"],
    ["Bash(find:*)"],
    ["Bash(find . -name:*)"],
    ["Bash(xargs -n1 rm:*)"],
    ["Bash(timeout 5:*)"],
    ["Bash(env A=1 *)"],
    ["Bash(A=1 *)"],
  ])("%s", async (entry) => {
    expect(await judge(entry)).toEqual(["warning tools-broad 4"]);
  });

  it.each([
    ["Read Write Edit Glob Grep"],
    ["Bash(git status:*)"],
    ["Bash(git:*)"],
    ["Bash(jq:*)"],
    ["Bash(python scripts/a.py:*)"],
    ["Bash(python -m pytest:*)"],
    ["Bash(node ${CLAUDE_SKILL_DIR}/scripts/a.mjs:*)"],
    ["Bash(npx prettier:*)"],
    ["Bash(npm run build)"],
    ["Bash(npm test:*)"],
    ["Bash(docker ps:*)"],
    ["Bash(python)"],
    ["Bash(find . -name x)"],
    ["Bash(sudo systemctl status:*)"],
    ["mcp__everything__list"],
  ])("is not this: %s", async (entry) => {
    expect(await judge(entry)).toEqual([]);
  });

  it("is told at its line of a list, each by itself", async () => {
    const header = `${HEADER}\nallowed-tools:\n  - Read\n  - Bash(sh:*)\n  - Bash(find:*)`;
    const faults = await readFaults(skillFile(header, BODY));
    expect(faults.filter((fault) => fault.includes("runs any program"))).toEqual([
      'SKILL.md:6 "Bash(sh:*)" runs any program: "sh" runs what it is given. Name what the skill needs, such as Bash(git status:*) or a script of its own.',
      'SKILL.md:7 "Bash(find:*)" runs any program: "find" takes one in its arguments. Name what the skill needs, such as Bash(git status:*) or a script of its own.',
    ]);
  });

  it("what is forbidden may be as broad as it likes", async () => {
    expect(await lint(skillFile(`${HEADER}\ndisallowed-tools: Bash`))).toEqual(["error key-unknown 4"]);
  });
});
