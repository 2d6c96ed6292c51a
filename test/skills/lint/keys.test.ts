import { describe, expect, it } from "vitest";
import { HEADER, lintFile, readFaults, skillFile, writeSkillFolder } from "./lint.ts";

describe("keys that the specification does not know", () => {
  it("are told up to twenty, then counted, and what can be mended is always told", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `odd${index}: x`).join("\n");
    const diagnostics = await lintFile(
      writeSkillFolder(skillFile(`${HEADER}\n${keys}\nallowed_tools: Read`)),
    );
    expect(diagnostics).toHaveLength(22);
    expect(diagnostics.map(({ line, message }) => `${line} ${message}`).slice(20)).toEqual([
      "24 And 10 more keys are not in the specification.",
      expect.stringMatching(/^34 "allowed_tools" .*Did you mean "allowed-tools"\?/),
    ]);
    const one = Array.from({ length: 21 }, (_, index) => `odd${index}: x`).join("\n");
    expect((await readFaults(skillFile(`${HEADER}\n${one}`))).at(-1)).toBe(
      "SKILL.md:24 And 1 more key is not in the specification.",
    );
  });
});
