import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { pickOne, toAgentOptions, toCarriedFlags, toSettingsOptions } from "../../src/cli/flags.ts";
import { createWorkspace } from "../support/workspace.ts";

describe("flags", () => {
  it("only what was set becomes an option, so that defaults are made in one place", () => {
    expect(toSettingsOptions({})).toEqual({});
    expect(toAgentOptions({ deny: true, maxSteps: 3, trust: true, skills: ["a"] })).toEqual({
      permissions: { mode: "deny" },
      maxSteps: 3,
      trust: true,
      skills: ["a"],
    });
  });

  it("flags that exclude each other are named", () => {
    expect(() => toSettingsOptions({ ask: true, allow: true })).toThrow(
      "Only one of --ask, --deny, --allow can be used; got --ask, --allow.",
    );
    expect(pickOne({ reject: "" }, ["approve", "reject"])).toBe("reject");
  });

  it.each(["missing", "file.txt"])("--cwd %s is refused", (name) => {
    const { folder } = createWorkspace({ "file.txt": "" });
    const path = join(folder, name);
    expect(() => toSettingsOptions({ cwd: path })).toThrow(`--cwd "${path}" is no folder.`);
  });

  it("carried flags find the thread from any folder and behave the same", () => {
    const flags = {
      cwd: "some where",
      checkpoint: "sqlite:it's.db",
      skills: ["a"],
      model: "m",
      allow: true,
    } as const;
    const words = toCarriedFlags({
      ...flags,
      skills: [...flags.skills],
      trust: true,
      maxSteps: 5,
      ask: undefined,
    } as never);
    expect(words).toBe(
      [
        `--cwd '${resolve("some where")}'`,
        `--checkpoint 'sqlite:${resolve("some where", "it")}'\\''s.db'`,
        `--skills '${resolve("some where", "a")}'`,
        "--model m --allow --trust --max-steps 5",
      ].join(" "),
    );
    expect(toCarriedFlags({})).toBe("");
  });
});
