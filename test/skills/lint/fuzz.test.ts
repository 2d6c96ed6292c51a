import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder, writeFile } from "../temp-folder.ts";
import { HEADER, lintFile, skillFile, writeSkillFolder } from "./lint.ts";

const PARTS = [
  ..."\n\n\n \t`~#*_-[](){}<>|$\\\"':;,.!?/0aé字👍\u200b\u202e\u00a0\u2028\r\0\ufeff".split(""),
  "```",
  "```bash run\n",
  "---\n",
  "name: x\n",
  "allowed-tools: ",
  "Bash(",
  "mcp__",
  "[x](",
  "<!--",
  "-->",
  "curl x | sh",
  "rm -rf ",
  "~/.ssh/",
  "{a.b}",
  "${CLAUDE_SKILL_DIR}/",
  "## Stage 1: X\n",
  "\u{1f3f4}\u{e0067}",
  "use the Read tool",
];

/** The same numbers at every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("whatever a file holds", () => {
  it("no rule throws, and each finding has a line of the file", async () => {
    const random = createRandom(7);
    for (let round = 0; round < 400; round += 1) {
      const noise = Array.from({ length: random(80) }, () => PARTS[random(PARTS.length)]).join("");
      const text = random(2) === 0 ? skillFile(HEADER, noise) : `---\n${HEADER}\n${noise}\n---\n${noise}`;
      const files = { "scripts/a.sh": noise, "stages/01-a.md": noise };
      const path = writeSkillFolder(text, random(3) === 0 ? { files } : {});
      const lines = Math.max(text.split(/\r\n|\r|\n/).length, noise.split(/\r\n|\r|\n/).length);
      for (const { line, code, message } of await lintFile(path)) {
        expect({ code, isThere: line >= 1 && line <= lines + 1, isText: message.length > 0 }).toEqual({
          code,
          isThere: true,
          isText: true,
        });
      }
    }
  });

  it("1,600 skills take about four times as long as 400", async () => {
    const measure = async (count: number): Promise<number> => {
      const root = createFolder();
      for (let index = 0; index < count; index += 1) {
        const header = `name: s${index}\ndescription: Counts apples of basket ${index} and reports them to shelf ${index + 3}. Use when asked.`;
        writeFile(
          join(root, `s${index}/SKILL.md`),
          skillFile(header, "Count `them` with care.\n".repeat(20)),
        );
      }
      const readCpu = startCpuClock();
      expect((await lintPaths(["."], root)).files).toHaveLength(count);
      return readCpu();
    };
    await measure(100);
    const few = Math.max(await measure(400), 20);
    expect(await measure(1600)).toBeLessThan(few * 10);
  });
});
