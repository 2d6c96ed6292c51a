import { describe, expect, it } from "vitest";
import { toProgramName } from "../../src/cli/program-name.ts";

describe("the name that printed commands begin with", () => {
  it.each([
    [{}, "skillgraph"],
    [{ npm_command: "run-script", npm_lifecycle_script: "skillgraph run" }, "skillgraph"],
    [{ npm_command: "exec" }, "npx skillgraph"],
    [{ npm_command: "exec", npm_lifecycle_script: "skillgraph" }, "npx skillgraph"],
    // Another program was run by npx, and started this one.
    [{ npm_command: "exec", npm_lifecycle_script: "vitest" }, "skillgraph"],
  ])("%j: %s", (environment, name) => {
    expect(toProgramName(environment)).toBe(name);
  });
});
