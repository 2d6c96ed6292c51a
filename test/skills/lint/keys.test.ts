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
      '34 "allowed_tools" is no key of the specification: it is not read; write "allowed-tools" yourself, which pre-approves what it lists.',
    ]);
    const one = Array.from({ length: 21 }, (_, index) => `odd${index}: x`).join("\n");
    expect((await readFaults(skillFile(`${HEADER}\n${one}`))).at(-1)).toBe(
      "SKILL.md:24 And 1 more key is not in the specification.",
    );
  });

  it.each([
    ["disallowed_tools", 'it is read as "disallowed-tools".', 'write "disallowed-tools"'],
    ["dissallowed-tools", 'it is read as "disallowed-tools".', 'write "disallowed-tools"'],
    [
      "disableModelInvocation",
      'it is read as "disable-model-invocation".',
      'write "disable-model-invocation"',
    ],
    ["argumentHint", 'it is not read; write "argument-hint".', 'write "argument-hint"'],
    ["user_invocable", 'it is not read; write "user-invocable".', 'write "user-invocable"'],
  ])("that are misspelled are told as they are read, and mended: %s", async (key, effect, description) => {
    const [first, ...rest] = await lintFile(writeSkillFolder(skillFile(`${HEADER}\n${key}: true`)));
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ code: "key-unknown", severity: "error", line: 4, fix: { description } });
    expect(first?.message).toBe(`"${key}" is no key of the specification: ${effect}`);
  });

  it.each(["allowed_tools", "allowedTools", "AllowedTools", "alowed-tools", "allowed-tool"])(
    "%s is left to a person: the right key would pre-approve more",
    async (key) => {
      const [first, ...rest] = await lintFile(writeSkillFolder(skillFile(`${HEADER}\n${key}: Bash(git *)`)));
      expect(rest).toEqual([]);
      expect(first).not.toHaveProperty("fix");
      expect(first?.message).toBe(
        `"${key}" is no key of the specification: it is not read; write "allowed-tools" yourself, which pre-approves what it lists.`,
      );
    },
  );
});
