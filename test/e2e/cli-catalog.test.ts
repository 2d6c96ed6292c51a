import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const tidy = skillText(
  {
    name: "tidy",
    description: "Tidies a folder.",
    "allowed-tools": "Read Bash(ls:*)",
    "argument-hint": "<folder>",
  },
  "# Steps\n\nLook first.",
);

describe("skillgraph list", () => {
  it("gives scripts one document", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    const { code, stdout, stderr } = await createCli(workspace).run(["list", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { skills, diagnostics } = JSON.parse(stdout);
    expect(skills.find(({ name }: { name: string }) => name === "tidy")).toMatchObject({
      description: "Tidies a folder.",
      path: join(workspace.folder, "skills/tidy/SKILL.md"),
      source: join(workspace.folder, "skills"),
      tier: "project",
      trusted: false,
      argumentHint: "<folder>",
      allowedTools: ["Read", "Bash(ls:*)"],
    });
    expect(skills.some(({ tier }: { tier: string }) => tier === "bundled")).toBe(true);
    expect(diagnostics).toEqual([]);
  });

  it("a wizard's risk counts its stages, in list and in show", async () => {
    const workspace = createWorkspace({
      "skills/w/SKILL.md": skillText({ name: "w", description: "Works." }, "x"),
      "skills/w/stages/01-go.md": "---\nallowed-tools: Bash(make:*)\n---\n# Go\n\nMake it.\n",
    });
    const { run } = createCli(workspace);
    expect((await run(["list"])).stdout).toContain("w (project, not trusted, risk L2)");
    const { skills } = JSON.parse((await run(["list", "--json"])).stdout);
    expect(skills.find(({ name }: { name: string }) => name === "w").risk).toBe("L2");
    expect((await run(["show", "w"])).stdout).toContain("risk: L2");
  });

  it("marks who cannot load a skill", async () => {
    const header = (name: string, more: object) => skillText({ name, description: "Does it.", ...more }, "x");
    const workspace = createWorkspace({
      "skills/a/SKILL.md": header("a", { "user-invocable": "false" }),
      "skills/b/SKILL.md": header("b", { "disable-model-invocation": "true" }),
      "skills/c/SKILL.md": header("c", { "user-invocable": "false", "disable-model-invocation": "true" }),
    });
    const { run } = createCli(workspace);
    const { stdout } = await run(["list"]);
    expect(stdout).toContain("a (project, not trusted, risk L0, only by the model)");
    expect(stdout).toContain("b (project, not trusted, risk L0, only by name)");
    expect(stdout).toContain("c (project, not trusted, risk L0, nobody can load it)");
    const refused = await run(["run", "/a now"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain('Only the model can load the skill "a"');
    expect((await run(["run", "--skill", "a"])).code).toBe(2);
    expect((await run(["why", "c"])).stdout).toContain("closed ");
    const { stderr } = await run(["chat"], { input: "/skills\n" });
    expect(stderr).toContain("/b  Does it.");
    expect(stderr).not.toContain("/a  ");
  });

  it("shows version, arguments, mode and paths", async () => {
    const header = { version: "1.10", arguments: "from to", mode: "true", paths: '"*.py"' };
    const workspace = createWorkspace({
      "skills/a/SKILL.md": skillText({ name: "a", description: "Does it.", ...header }, "x"),
    });
    const { run } = createCli(workspace);
    const { stdout } = await run(["show", "a"]);
    for (const line of ["version: 1.10", "arguments: from, to", "mode: yes", "paths: *.py"])
      expect(stdout).toContain(`${line}\n`);
    expect(JSON.parse((await run(["show", "a", "--json"])).stdout)).toMatchObject({
      version: "1.10",
      arguments: ["from", "to"],
      mode: true,
      paths: ["*.py"],
    });
  });

  it("A9: one bad file is told on standard error, and hides no other", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy, "skills/bad/SKILL.md": "no header" });
    mkdirSync(join(workspace.folder, "skills/folder/SKILL.md"), { recursive: true });
    symlinkSync("/nowhere", join(workspace.folder, "skills/dangling"));
    const { run } = createCli(workspace);
    const { code, stdout, stderr } = await run(["list"]);
    expect(code).toBe(0);
    expect(stdout).toContain("tidy <folder> (project, not trusted, risk L2)\n  Tidies a folder.\n");
    expect(stderr).toMatch(/^(error|warning): .*skills\/bad\/SKILL\.md:\d+: .* \[[a-z-]+\]$/m);
    const { diagnostics } = JSON.parse((await run(["list", "--json"])).stdout);
    expect(diagnostics.length).toBeGreaterThan(1);
    expect(diagnostics[0]).toMatchObject({
      path: expect.any(String),
      line: expect.any(Number),
      code: expect.any(String),
    });
  });

  it("the first of a name wins, and losers are listed after all others", async () => {
    const workspace = createWorkspace({
      "extra/tidy/SKILL.md": skillText({ name: "tidy", description: "Mine." }, "x"),
      "skills/tidy/SKILL.md": tidy,
    });
    const { stdout } = await createCli(workspace).run(["list", "--json", "--skills", "extra"]);
    const same = JSON.parse(stdout).skills.filter(({ name }: { name: string }) => name === "tidy");
    expect(same).toHaveLength(2);
    expect(same[0]).toMatchObject({ description: "Mine.", tier: "flag", trusted: true });
    expect(same[0]).not.toHaveProperty("shadowed");
    expect(same[1]).toMatchObject({
      shadowed: true,
      shadowedBy: join(workspace.folder, "extra/tidy/SKILL.md"),
    });
  });

  it("a disabled skill is named apart, and marked for scripts", async () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": tidy,
      "skillgraph.json": '{"skills": {"disabled": ["tidy"]}}',
    });
    const { run } = createCli(workspace);
    const { stdout, stderr } = await run(["list"]);
    expect(stdout).not.toMatch(/^tidy/m);
    expect(stderr).toBe("Disabled by the settings: tidy.\n");
    const { skills } = JSON.parse((await run(["list", "--json"])).stdout);
    expect(skills.at(-1)).toMatchObject({ name: "tidy", disabled: true });
    expect((await run(["why", "tidy"])).stdout).toContain("  disabled ");
  });

  it("a second start gives the same from what the first one remembered", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy, "skills/bad/SKILL.md": "no header" });
    const { run } = createCli(workspace);
    await setTimeout(2_100);
    const first = await run(["list", "--json"]);
    expect(readFileSync(join(workspace.home, ".cache/skillgraph/catalog.jsonl"), "utf8")).toContain(
      "Tidies a",
    );
    expect(await run(["list", "--json"])).toEqual(first);
    workspace.write("skills/tidy/SKILL.md", tidy.replace("Tidies", "Cleans"));
    expect((await run(["list"])).stdout).toContain("Cleans a folder.");
  });

  it("what a skill says cannot steer the terminal", async () => {
    const description = '"A \\e[31m red \\u202e one."';
    const workspace = createWorkspace({
      "skills/x/SKILL.md": skillText({ name: "x", description }, "a\u001b[2Jb"),
    });
    const { run } = createCli(workspace);
    expect((await run(["list"])).stdout).not.toMatch(/[\u001b\u202e]/);
    const { stdout } = await run(["show", "x"]);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stdout).toContain("a␛[2Jb");
  });
});

describe("skillgraph show", () => {
  it("shows the header, the files and the instructions", async () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": tidy,
      "skills/tidy/scripts/look.sh": "ls",
      "skills/tidy/references/rules.md": "x",
    });
    const { run } = createCli(workspace);
    const text = await run(["show", "tidy"]);
    expect(text).toMatchObject({ code: 0, stderr: "" });
    expect(text.stdout).toContain("tidy: Tidies a folder.\n");
    expect(text.stdout).toContain("allowed tools: Read, Bash(ls:*)\n");
    expect(text.stdout).toContain("scripts: scripts/look.sh\n");
    expect(text.stdout).toMatch(/\n\n# Steps\n\nLook first\.\n$/);
    const json = await run(["show", "tidy", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: "tidy",
      resources: { scripts: ["scripts/look.sh"], references: ["references/rules.md"], assets: [] },
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
      body: expect.stringContaining("Look first."),
    });
  });
});

describe("skillgraph trust", () => {
  it("trusts the current project, lists it, and takes the trust back", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy, "skillgraph.json": "{}", "sub/x": "" });
    const { run } = createCli(workspace);
    const isTrusted = async () => {
      const { skills } = JSON.parse((await run(["list", "--json"])).stdout);
      return skills.find(({ name }: { name: string }) => name === "tidy").trusted;
    };
    expect(await isTrusted()).toBe(false);
    const trusted = await run(["trust", "--json"], { cwd: join(workspace.folder, "sub") });
    expect(JSON.parse(trusted.stdout)).toMatchObject({
      folder: workspace.folder,
      trusted: true,
      changed: true,
    });
    expect(await isTrusted()).toBe(true);
    expect((await run(["trust", "--list"])).stdout).toBe(`${workspace.folder}\n`);
    expect((await run(["trust"])).stdout).toMatch(`${workspace.folder} is already trusted.\n`);
    expect((await run(["trust", workspace.folder, "--remove"])).stdout).toBe(
      `${workspace.folder} is no longer trusted.\nNo longer trusted: tidy\n`,
    );
    expect(await isTrusted()).toBe(false);
    expect(JSON.parse((await run(["trust", "--list", "--json"])).stdout)).toEqual({ folders: [] });
  });

  it("--trust is for one command only", async () => {
    const { run } = createCli(createWorkspace({ "skills/tidy/SKILL.md": tidy }));
    expect((await run(["list", "--trust"])).stdout).toContain("tidy <folder> (project, risk L2)\n");
    expect((await run(["list"])).stdout).toContain("not trusted");
  });

  it("a folder that is not there cannot be trusted", async () => {
    const { code, stderr } = await createCli(createWorkspace()).run(["trust", "gone"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'skillgraph: No folder "gone".\n' });
  });

  it("lists the stages of a wizard, and tells what is wrong with them", async () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": tidy,
      "skills/tidy/stages/01-plan.md":
        "---\ntitle: Plan\noutput: { type: object, properties: { folders: { type: array } } }\n---\n\nPlan it.\n",
      "skills/tidy/stages/02-apply.md": "---\ntitle: Apply\ngate: none\n---\n\nDo it.\n",
    });
    const { run } = createCli(workspace);
    expect((await run(["show", "tidy"])).stdout).toContain(
      "stages:\n  1. plan: Plan (a person approves; hands over folders)\n  2. apply: Apply (goes on by itself; hands over a summary)\n",
    );
    const { stages } = JSON.parse((await run(["show", "tidy", "--json"])).stdout);
    expect(stages).toMatchObject([
      { id: "plan", gate: "approve", output: { type: "object" } },
      { id: "apply", gate: "none", needs: ["plan"] },
    ]);

    workspace.write("skills/tidy/stages/02-apply.md", "---\ngate: nobody\n---\n\nDo it.\n");
    const faulty = await run(["show", "tidy"]);
    expect(faulty.code).toBe(0);
    expect(faulty.stdout).not.toContain("stages:");
    expect(faulty.stderr).toMatch(/^error: .*02-apply\.md:\d+: .*nobody/m);
  });
});
