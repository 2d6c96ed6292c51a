import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { tripFiles } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const good = skillText({ name: "good", description: "Tidies. Use when asked." }, "x");
const poor = skillText({ name: "poor", description: "Tidies. Use when asked." }, "See [a](a.md).");
const bad = skillText({ name: "Bad", description: "Tidies: all. Use when asked.", version: "1" }, "x");

describe("skillgraph lint", () => {
  it("tells people each fault with its line and code, file by file, and counts them", async () => {
    const workspace = createWorkspace({
      "skills/good/SKILL.md": good,
      "skills/poor/SKILL.md": poor,
      ".claude/skills/bad/SKILL.md": bad,
    });
    const { code, stdout, stderr } = await createCli(workspace).run(["lint"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      'skills/poor/SKILL.md:5  warning  link-missing  The skill has no file "a.md".',
      "",
      '.claude/skills/bad/SKILL.md:2  error    name-folder  The name "Bad" is not the folder\'s name "bad".',
      '.claude/skills/bad/SKILL.md:2  error    name-form  The name "Bad" should be lower-case letters and digits, joined by single hyphens.',
      '.claude/skills/bad/SKILL.md:3  error    header-repaired  "description" is not valid YAML: a colon followed by a blank (": ") ends plain text. Read as it is written; put it in quotes.',
      '.claude/skills/bad/SKILL.md:4  error    key-unknown  "version" is no key of the specification, though it is shown here; other clients may refuse it. Its keys: name, description, license, compatibility, metadata, allowed-tools.',
      "",
      "4 errors, 1 warning in 3 skills.",
      "3 of them can be mended with --fix.",
      "",
    ]);
  });

  it("only warnings exit with 0, as no faults do", async () => {
    const workspace = createWorkspace({ "skills/good/SKILL.md": good, "skills/poor/SKILL.md": poor });
    const { run } = createCli(workspace);
    expect(await run(["lint"])).toMatchObject({ code: 0, stderr: "" });
    const clean = await run(["lint", "skills/good/SKILL.md"]);
    expect(clean).toEqual({ code: 0, stdout: "No faults in 1 skill.\n", stderr: "" });
  });

  it("--json is one document with absolute paths", async () => {
    const workspace = createWorkspace({ "skills/good/SKILL.md": good, "skills/poor/SKILL.md": poor });
    const { code, stdout } = await createCli(workspace).run(["lint", "skills", "--json"]);
    expect(code).toBe(0);
    const path = join(workspace.folder, "skills/poor/SKILL.md");
    expect(JSON.parse(stdout)).toEqual({
      diagnostics: [
        {
          code: "link-missing",
          severity: "warning",
          path,
          line: 5,
          message: 'The skill has no file "a.md".',
        },
      ],
      files: [join(workspace.folder, "skills/good/SKILL.md"), path],
    });
  });

  it("a stage that cannot be read is an error in its own file", async () => {
    const workspace = createWorkspace(tripFiles);
    const { run } = createCli(workspace);
    expect(await run(["lint", "skills/trip"])).toMatchObject({ code: 0, stderr: "" });
    workspace.write("skills/trip/stages/02-plan.md", "---\ntitle: Plan\ngate: maybe\n---\nx\n");
    const { code, stdout } = await run(["lint", "skills/trip"]);
    expect(code).toBe(1);
    expect(stdout).toContain("skills/trip/stages/02-plan.md:3  error    stage-gate  ");
  });

  it("--cwd is where paths start", async () => {
    const workspace = createWorkspace({ "deep/skills/good/SKILL.md": good });
    const { run } = createCli(workspace);
    const words = ["--cwd", "deep"];
    expect((await run(["lint", ...words])).stdout).toBe("No faults in 1 skill.\n");
    expect((await run(["lint", "skills/good", ...words])).stdout).toBe("No faults in 1 skill.\n");
    expect(await run(["lint", "--cwd", "nope"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("a project without skills is told, and is no failure", async () => {
    const { code, stdout, stderr } = await createCli(createWorkspace()).run(["lint"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^No skills found\. [^\n]*\n$/);
  });

  it("a path that is not there is wrong usage", async () => {
    const { run } = createCli(createWorkspace());
    const { code, stdout, stderr } = await run(["lint", "nope"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^skillgraph: No file or folder "nope" to check \([^\n]*\)\.\n$/);
    expect(JSON.parse((await run(["lint", "nope", "--json"])).stdout)).toMatchObject({
      error: { code: "usage" },
    });
  });

  it("a settings file that cannot be read keeps no skill from being checked", async () => {
    const workspace = createWorkspace({ "skills/good/SKILL.md": good, "skillgraph.json": "{" });
    expect(await createCli(workspace).run(["lint"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("what a file or a path holds cannot steer the terminal", async () => {
    const header = { name: "x\u001b[2J", description: "Use when asked.", "k\u202ey": "1" };
    const workspace = createWorkspace({
      "skills/a\u001b[2Jb\u202ec/SKILL.md": skillText(header, "[x](a\u202eb.md)"),
    });
    const { code, stdout } = await createCli(workspace).run(["lint"]);
    expect(code).toBe(1);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it("--fix mends what it can, says so, and exits by what is left", async () => {
    const faulty = "---\nname: faulty\ndescription: Tidies: all. Use when asked.\n---\nTi\u200bdy.\n";
    const workspace = createWorkspace({ "skills/faulty/SKILL.md": faulty, "skills/poor/SKILL.md": poor });
    const { run } = createCli(workspace);
    const { code, stdout, stderr } = await run(["lint", "--fix"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      'skills/faulty/SKILL.md:3  mended   header-repaired  put "description" in quotes',
      "skills/faulty/SKILL.md:5  mended   text-hidden  remove what cannot be seen",
      "",
      'skills/poor/SKILL.md:5  warning  link-missing  The skill has no file "a.md".',
      "",
      "0 errors, 1 warning in 2 skills.",
      "",
    ]);
    expect(workspace.read("skills/faulty/SKILL.md")).toBe(
      '---\nname: faulty\ndescription: "Tidies: all. Use when asked."\n---\nTidy.\n',
    );
    const again = JSON.parse((await run(["lint", "--fix", "--json"])).stdout);
    expect(again).toMatchObject({ fixed: [], skipped: [], diagnostics: [{ code: "link-missing" }] });
  });

  it("--fix --json says what was mended, and an error that is left exits with 1", async () => {
    const faulty =
      "---\nname: faulty\ndescription: Tidies. Use when asked.\nodd: 1\nlicense: 2\n---\nTidy.\n";
    const workspace = createWorkspace({ "skills/faulty/SKILL.md": faulty });
    const { code, stdout } = await createCli(workspace).run(["lint", "--fix", "--json"]);
    expect(code).toBe(1);
    const path = join(workspace.folder, "skills/faulty/SKILL.md");
    expect(JSON.parse(stdout)).toMatchObject({
      fixed: [{ path, code: "value-type", line: 5, description: 'put "license" in quotes' }],
      skipped: [],
      diagnostics: [{ code: "key-unknown", path, line: 4 }],
      files: [path],
    });
  });

  it("--sarif is one document with places relative to the working folder", async () => {
    const workspace = createWorkspace({ "skills/good/SKILL.md": good, "skills/poor/SKILL.md": poor });
    const { code, stdout, stderr } = await createCli(workspace).run(["lint", "--sarif"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { version, runs } = JSON.parse(stdout);
    expect(version).toBe("2.1.0");
    expect(runs[0].results).toMatchObject([
      {
        ruleId: "link-missing",
        level: "warning",
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: "skills/poor/SKILL.md" }, region: { startLine: 5 } },
          },
        ],
      },
    ]);
  });

  it("searches as many folders as the settings say", async () => {
    const workspace = createWorkspace({ "skills/good/SKILL.md": good, "skills/poor/SKILL.md": poor });
    const config = join(workspace.folder, "config/skillgraph");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, "settings.json"), '{"skills":{"maxFolders":2}}');
    const env = { XDG_CONFIG_HOME: join(workspace.folder, "config") };
    const { stdout } = await createCli(workspace).run(["lint", "skills", "--json"], { env });
    const { files, diagnostics } = JSON.parse(stdout);
    expect(files).toEqual([join(workspace.folder, "skills/good/SKILL.md")]);
    expect(diagnostics).toMatchObject([{ code: "root-large", path: join(workspace.folder, "skills") }]);
  });

  it("--json with --sarif is wrong usage", async () => {
    const { code, stderr } = await createCli(createWorkspace()).run(["lint", "--json", "--sarif"]);
    expect(code).toBe(2);
    expect(stderr).toBe("skillgraph: Only one of --json, --sarif can be used; got --json, --sarif.\n");
  });
});
