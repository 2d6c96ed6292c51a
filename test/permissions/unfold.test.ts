import { describe, expect, it } from "vitest";
import { readCommand } from "../../src/permissions/command.ts";
import { unfoldCommands } from "../../src/permissions/unfold.ts";

describe("unfoldCommands", () => {
  it.each([
    "timeout 5 nice env A=1 rm x",
    "sh -c 'rm x'",
    "bash -lc 'cd y && rm x'",
    "bash -o pipefail -c 'rm x'",
    "sh -c \"sh -c 'rm x'\"",
    "eval 'rm' x",
    "env -S 'rm x'",
    "env --split-string='rm x' y",
    "find . -name y -exec rm x \\;",
    "find . -execdir rm x {} +",
    "echo 'rm x' | sh",
    "su -c 'rm x' other",
    "trap 'rm x' EXIT",
    "watch -n 1 'rm x'",
    "watch -n 1 rm x",
    "sh <<E\nrm x\nE",
    "bash <<<'rm x'",
    "A=$(rm x) true",
    "cat <(rm x)",
  ])("finds the command in %j", (text) => {
    const found = unfoldCommands(readCommand(text)).commands.map((command) =>
      command.words.slice(0, 2).join(" "),
    );
    expect(found).toContain("rm x");
  });

  it("sees through many layers and commands before it", () => {
    const texts = [
      `${"nohup ".repeat(150)}rm x`,
      `${"eval ".repeat(80)}rm x`,
      `${"true; ".repeat(500)}nohup rm x`,
      `${"find . -exec ".repeat(60)}rm x`,
      `${"echo a | sh; ".repeat(200)}nohup rm x`,
    ];
    for (const text of texts) {
      const found = unfoldCommands(readCommand(text)).commands.map((command) => command.words.join(" "));
      expect(found).toContain("rm x");
    }
  });
});
