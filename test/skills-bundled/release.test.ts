import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillPlaceholders, isOptional } from "../../src/model/offline-command.ts";
import { decideCall, type Policy, toGrant } from "../../src/permissions/decide.ts";
import { applyArguments, applyDirectory } from "../../src/skills/arguments/apply-arguments.ts";
import { loadCatalog } from "../../src/skills/catalog.ts";
import { checkValue } from "../../src/skills/json-schema/json-schema.ts";
import { findRunBlocks } from "../../src/skills/run-blocks.ts";
import { readWizard, toFields } from "../../src/skills/stages/read-wizard.ts";
import type { Stage } from "../../src/skills/stages/stage.ts";
import {
  commitAfterTag,
  git,
  read,
  repository,
  runBash,
  runJson,
  skill,
  work,
} from "./release-repository.ts";

describe("the stages", () => {
  const path = join(skill, "SKILL.md");
  const reading = readWizard({ name: "release", path, directory: skill, metadata: {} });
  const stages = reading.wizard?.stages ?? [];

  it("are three without a fault, and only the last one has no gate", () => {
    expect(reading.diagnostics).toEqual([]);
    expect(stages.map(({ id, gate }) => [id, gate])).toEqual([
      ["inspect", "approve"],
      ["plan", "approve"],
      ["apply", "none"],
    ]);
  });

  /** The one command of a stage with the results of the stages before in it. */
  function fill(stage: Stage, results: { id: string; output: unknown }[], asked = ""): string {
    const fields = toFields(results.map((result) => ({ ...result, summary: "" })));
    const values = { arguments: asked, skillDirectory: skill, fields };
    const blocks = findRunBlocks(applyArguments(stage.text, values));
    expect(blocks).toHaveLength(1);
    return fillPlaceholders(blocks[0]?.code ?? "", new Map([["$ARGUMENTS", ""]])).code;
  }

  /** The ids of the stages in which a command may run without a question. */
  function listAllowing(command: string): string[] {
    const policy: Policy = {
      deny: [],
      ask: [],
      allow: [],
      mode: "ask",
      restrict: false,
      workspace: repository,
      home: work,
      skillFolders: [skill],
      readableFolders: [skill],
    };
    const call = { tool: "Bash", target: { kind: "command" as const, command, cwd: repository } };
    const allowing = stages.filter(({ allowedTools }) => {
      const grant = toGrant(
        "release",
        allowedTools.map((entry) => applyDirectory(entry, skill)),
        [],
      );
      return decideCall(policy, [grant], call).verdict === "allow";
    });
    return allowing.map(({ id }) => id);
  }

  it("are carried out as they stand: each result fits its schema, each command is allowed in its stage alone", () => {
    commitAfterTag('feat: it\'s $(touch ran) `touch ran` "quoted" \\\\', {
      "package.json": '{"version": "1.2.0"}',
    });
    const results: { id: string; output: unknown }[] = [];
    for (const stage of stages) {
      const command = fill(stage, results);
      expect(listAllowing(command)).toEqual([stage.id]);
      const output = JSON.parse(runBash(command).stdout);
      expect(checkValue(stage.output ?? {}, output)).toEqual({ ok: true, value: output });
      expect(output.summary).not.toBe("");
      results.push({ id: stage.id, output });
    }
    expect(git("tag")).toBe("v1.2.0\nv1.3.0");
    expect(read("CHANGELOG.md")).toContain('- it\'s $(touch ran) `touch ran` "quoted" \\\\ (');
    expect(existsSync(join(repository, "ran"))).toBe(false);
  });

  it.each([
    ["", "1.2.1"],
    ["major", "2.0.0"],
    ["3.0.0", "3.0.0"],
  ])("asked for %j, make the release %s", (asked, version) => {
    commitAfterTag("fix: a");
    const results: { id: string; output: unknown }[] = [];
    for (const stage of stages) {
      const command = fill(stage, results, asked);
      expect(listAllowing(command)).toEqual([stage.id]);
      results.push({ id: stage.id, output: JSON.parse(runBash(command).stdout) });
    }
    expect(git("tag")).toBe(`v1.2.0\nv${version}`);
  });

  it("ask for no argument when none is given, and for no version either", () => {
    const catalog = loadCatalog([{ path: dirname(skill), tier: "bundled", trusted: true }]);
    expect(isOptional("$ARGUMENTS", catalog.get("release")?.argumentHint)).toBe(true);
    commitAfterTag("fix: a");
    const { version: _none, ...inspected } = runJson("inspect");
    expect(checkValue(stages[0]?.output ?? {}, inspected, { coerce: true })).toMatchObject({
      ok: true,
      value: { version: "" },
    });
  });

  it("hand over no field that does nothing", () => {
    const known = stages.map(({ output }) => Object.keys(Object(output?.properties)));
    expect(known[1]).toEqual(["version", "changelog"]);
  });

  it("follow what a person changed at each gate", () => {
    commitAfterTag("fix: a");
    const inspected = { ...runJson("inspect"), suggested: "major" };
    const [, plan, applying] = stages as [Stage, Stage, Stage];
    const bash = (command: string) => JSON.parse(runBash(command).stdout);
    const before = [{ id: "inspect", output: inspected }];
    const planned = bash(fill(plan, before));
    expect(planned.version).toBe("2.0.0");
    const changed = { ...planned, version: "3.0.0", changelog: "- by hand\n\n### And\n\n- more" };
    expect(bash(fill(applying, [...before, { id: "plan", output: changed }])).tag).toBe("v3.0.0");
    expect(read("CHANGELOG.md")).toContain("- by hand\n\n### And\n\n- more\n");
  });

  it("refuse a value that was never put in", () => {
    commitAfterTag("fix: a");
    const bare = findRunBlocks(stages[2]?.text ?? "")[0]?.code ?? "";
    const command = applyDirectory(bare, skill);
    const { status, stderr } = runBash(command);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: '--version takes a version such as 1.2.0, not "{plan.version}".\n',
    });
  });
});
