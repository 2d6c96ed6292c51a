import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkRules, findCheckpointFile, ruleTools } from "../../../src/runtime/doctor/check-rules.ts";
import { loadSettings } from "../../../src/runtime/settings.ts";
import { searchSkillsTool } from "../../../src/tools/search-skills.ts";
import { createSkillTool } from "../../../src/tools/skill.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { unloadSkillTool } from "../../../src/tools/unload-skill.ts";
import { createWorkspace } from "../../support/workspace.ts";

function check(files: { person?: object; own?: object; folders?: string[] }, trust = false) {
  const workspace = createWorkspace({ "skillgraph.json": JSON.stringify(files.own ?? {}, null, 2) });
  const config = join(workspace.home, ".config/skillgraph");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "settings.json"), JSON.stringify(files.person ?? {}, null, 2));
  for (const folder of files.folders ?? []) mkdirSync(join(workspace.folder, folder));
  const settings = loadSettings({ cwd: workspace.folder, environment: workspace.environment, trust });
  return { settings, faults: checkRules(settings), own: join(workspace.folder, "skillgraph.json"), config };
}

describe("checkRules", () => {
  it("finds nothing in rules that can be followed, under any name of a tool", () => {
    const permissions = {
      allow: ["Read", "Shell(ls:*)"],
      ask: ["execute_command"],
      deny: ["WebFetch", "Edit(a/**)"],
    };
    expect(check({ person: { permissions }, own: { permissions } }, true).faults).toEqual([]);
    expect(check({}).faults).toEqual([]);
  });

  it("knows every built-in tool", () => {
    const names = createToolbox([createSkillTool("", []), searchSkillsTool, unloadSkillTool])
      .list()
      .map(({ name }) => name);
    expect([...ruleTools].sort()).toEqual([...names, "CompleteStage"].sort());
  });

  it("names file, line and list of a rule that cannot be read", () => {
    const { faults, own } = check({ own: { permissions: { deny: ["Read", "Bash(rm"] } } });
    expect(faults).toMatchObject([{ code: "rule-unreadable", severity: "error", path: own, line: 5 }]);
    expect(faults[0]?.message).toContain('"Bash(rm" in permissions.deny is no permission rule.');
  });

  it.each(["Nope", "Nope(x)", "bash2", "constructor"])("%s is for no tool", (rule) => {
    const { faults, config } = check({ person: { permissions: { ask: [rule] } } });
    expect(faults).toMatchObject([
      { code: "rule-tool-unknown", severity: "warning", path: join(config, "settings.json"), line: 4 },
    ]);
    expect(faults[0]?.message).toBe(
      `"${rule}" in permissions.ask is for no built-in tool. Known tools: ${ruleTools.join(", ")}.`,
    );
  });

  it("what an untrusted project would allow or search is not read", () => {
    const own = {
      permissions: { allow: ["Bash(", "Nope"] },
      skills: { roots: ["gone"] },
      checkpoint: "x.db",
    };
    const untrusted = check({ own });
    expect(untrusted.faults).toEqual([]);
    expect(findCheckpointFile(untrusted.settings)).toBeUndefined();
    const trusted = check({ own }, true);
    expect(trusted.faults.map(({ code }) => code)).toEqual([
      "rule-unreadable",
      "rule-tool-unknown",
      "root-missing",
    ]);
    expect(findCheckpointFile(trusted.settings)).toBe(trusted.own);
  });

  it("warns of skill folders that are not there, from where each path starts", () => {
    const skills = { roots: ["here", "gone"] };
    const { faults, own, config } = check(
      { own: { skills }, person: { skills: { roots: ["mine"] } }, folders: ["here"] },
      true,
    );
    expect(faults).toMatchObject([
      {
        code: "root-missing",
        path: join(config, "settings.json"),
        message: expect.stringContaining(join(config, "mine")),
      },
      { code: "root-missing", path: own, line: 5, message: expect.stringContaining('"gone"') },
    ]);
  });
});

describe("rules for one project", () => {
  it("are looked at in the person's file, with their list and line", () => {
    const projects = { "/some/place": { permissions: { allow: ["Bash(a && b)", "Nope"] } } };
    const { faults, config } = check({ person: { projects } });
    expect(faults).toMatchObject([
      { code: "rule-unreadable", severity: "error", path: join(config, "settings.json"), line: 6 },
      { code: "rule-tool-unknown", severity: "warning", line: 7 },
    ]);
    expect(faults[0]?.message).toBe(
      '"Bash(a && b)" in projects["/some/place"].permissions.allow is no permission rule. A rule is for one command, and each of several needs its own. Write Bash(a) and Bash(b).',
    );
  });

  it("that no project's real path leads to are warned of", () => {
    const { faults } = check({ person: { projects: { "~/projects/": {} } } });
    expect(faults).toMatchObject([{ code: "project-path", severity: "warning", line: 3 }]);
  });

  it("count for nothing in a project's own file, trusted or not", () => {
    for (const trust of [false, true]) {
      const { settings, faults, own } = check(
        { own: { projects: { "/x": { permissions: { allow: ["Bash"] } } } } },
        trust,
      );
      expect(settings.permissions.allow).toEqual([]);
      expect(faults).toMatchObject([{ code: "setting-misplaced", severity: "warning", path: own, line: 2 }]);
    }
  });
});
