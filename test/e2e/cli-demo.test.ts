import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

interface Demo {
  ok: boolean;
  folder?: string;
  steps: { step: string; ok: boolean; told: string }[];
}

describe("skillgraph demo", () => {
  it("does the main job through a killed process, tells each step, and leaves nothing behind", async () => {
    const workspace = createWorkspace();
    // A key must not be used: the demo needs no network.
    const env = {
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
      TMPDIR: workspace.home,
    };
    const { code, stdout, stderr } = await createCli(workspace).run(["demo"], { env });
    expect(stderr).toBe("");
    const steps = [...stdout.matchAll(/^✓ \d\. (.*)$/gm)].map(([, step]) => step);
    expect(steps).toEqual([
      "A messy folder",
      "Skills found",
      "Skill chosen and loaded",
      "Plan made",
      "Asked",
      "Killed",
      "Question kept",
      "Resumed and done",
      "The same answer again",
    ]);
    expect(stdout).toContain("Every step had the expected result.");
    expect(code).toBe(0);
    const folder = /A temporary copy of the example, (\S+):/.exec(stdout)?.[1] ?? "";
    expect(folder).toContain(workspace.home);
    expect(existsSync(folder)).toBe(false);
  });

  it("--json is one document, and --keep keeps the folder", async () => {
    const { code, stdout } = await createCli(createWorkspace()).run(["demo", "--json", "--keep"]);
    const { ok, steps, folder = "" } = JSON.parse(stdout) as Demo;
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(steps.every((step) => step.ok)).toBe(true);
    expect(existsSync(join(folder, "work", "inbox", "documents", "todo.txt"))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
