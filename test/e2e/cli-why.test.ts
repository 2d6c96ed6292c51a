import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const tidy = skillText({ name: "tidy", description: "Tidies a folder." }, "x");

describe("skillgraph why", () => {
  it("tells people the winner, the losers with their faults, and where it searched", async () => {
    const workspace = createWorkspace({
      "extra/tidy/SKILL.md": tidy,
      "skills/tidy/SKILL.md": tidy,
      ".claude/skills/tidy/SKILL.md": "---\nname: tidy\n---\nx\n",
    });
    const { code, stdout, stderr } = await createCli(workspace).run(["why", "tidy", "--skills", "extra"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const path = (place: string) => join(workspace.folder, place);
    const lines = [
      `tidy is ${path("extra/tidy/SKILL.md")}`,
      "",
      "Candidates, strongest first:",
      `  offered ${path("extra/tidy/SKILL.md")} (flag, risk L0)`,
      `  shadowed ${path("skills/tidy/SKILL.md")} (project, not trusted, risk L0)`,
      `    ${path("extra/tidy/SKILL.md")} has the same name and comes first.`,
      '    Its folder is not trusted: it loads only after a person agreed, and grants nothing. See "skillgraph trust".',
      `  refused ${path(".claude/skills/tidy/SKILL.md")} (project, not trusted)`,
      "    It cannot be used as a skill.",
      "    line 1: error: The skill has no description to choose it by. [description-missing]",
      "",
      "Searched, strongest first:",
      `  ${path("extra")} (flag): 1 skill`,
      `  ${path("skills")} (project, not trusted): 1 skill, 0 offered`,
      `  ${path(".claude/skills")} (project, not trusted): 0 skills`,
    ];
    expect(stdout.split("\n").slice(0, lines.length)).toEqual(lines);
    expect(stdout).toMatch(/\n {2}\S+\/skills \(bundled\): \d+ skills?\n$/);
  });

  it("an unknown name exits 1 with the nearest names and the place to put one", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    const { run } = createCli(workspace);
    const text = await run(["why", "tydi"]);
    expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 1, stderr: "" });
    expect(text.stdout).toContain("tydi: no skill of this name is offered.\nNearest names: tidy\n");
    expect(text.stdout).toContain(`  ${join(workspace.folder, "skills")} (project, not trusted): 1 skill\n`);
    expect(text.stdout).toContain(
      `A skill of this project would be ${join(workspace.folder, "skills/tydi/SKILL.md")}.\n`,
    );
    const json = await run(["why", "tydi", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: "tydi",
      winner: null,
      candidates: [],
      nearest: ["tidy"],
      error: { code: "skill-unknown", message: expect.stringContaining('No skill named "tydi"') },
    });
  });

  it("--json is one document with every candidate and root", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy });
    const { code, stdout } = await createCli(workspace).run(["why", "tidy", "--json"]);
    expect(code).toBe(0);
    const path = join(workspace.folder, "skills/tidy/SKILL.md");
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      winner: path,
      candidates: [{ path, status: "offered", tier: "project", trusted: false, diagnostics: [] }],
      roots: [{ path: join(workspace.folder, "skills"), skills: 1, offered: 1 }, { tier: "bundled" }],
    });
    expect(document).not.toHaveProperty("error");
  });

  it("what a name or a path holds cannot steer the terminal", async () => {
    const { run } = createCli(createWorkspace());
    expect((await run(["why", "a\u001b[2Jb\u202ec"])).stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it("a limit of the search is told below its root, and what lies behind it is found", async () => {
    const workspace = createWorkspace({ "skills/1/2/3/4/5/6/tidy/SKILL.md": tidy });
    const { run } = createCli(workspace);
    const { code, stdout } = await run(["why", "tidy"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `  unsearched ${join(workspace.folder, "skills/1/2/3/4/5/6/tidy/SKILL.md")} (project`,
    );
    expect(stdout).toMatch(
      /0 skills\n {4}1 folder was not searched, being more than 6 levels down\. .*--skills\.\n/,
    );
    const { limits } = JSON.parse((await run(["why", "tidy", "--json"])).stdout);
    expect(limits).toMatchObject([{ code: "root-deep" }]);
  });
});
