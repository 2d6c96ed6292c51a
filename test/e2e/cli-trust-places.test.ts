import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createInsideCli } from "../support/inside-cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const note = skillText({ name: "note", description: "Takes notes." }, "Write.");
const tidy = skillText({ name: "tidy", description: "Tidies." }, "Tidy.");

function createProject() {
  const workspace = createWorkspace({ "skills/tidy/SKILL.md": tidy, "skills/note/SKILL.md": note });
  mkdirSync(join(workspace.folder, ".git"));
  const { run } = createInsideCli(workspace);
  const listTrusted = async () => {
    const { skills } = JSON.parse((await run(["list", "--json"])).stdout) as {
      skills: { name: string; tier: string; trusted: boolean }[];
    };
    return skills.filter(({ tier, trusted }) => tier === "project" && trusted).map(({ name }) => name);
  };
  return { workspace, run, listTrusted };
}

describe("trust in a place within a project", () => {
  it("begins with the project: a skill's folder alone is refused, and the folder to trust is named", async () => {
    const { workspace, run } = createProject();
    for (const place of ["skills/tidy", "skills"]) {
      const { code, stdout, stderr } = await run(["trust", place]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`Use: skillgraph trust ${workspace.folder}\n`);
    }
    expect((await run(["trust", "--list"])).stdout).toBe("");
  });

  it("is of a skill as it is now, once the project is trusted", async () => {
    const { workspace, run, listTrusted } = createProject();
    await run(["trust"]);
    for (const name of ["tidy", "note"]) workspace.write(`skills/${name}/go.sh`, "ls");
    expect(await listTrusted()).toEqual([]);
    const { code, stdout } = await run(["trust", "skills/tidy"]);
    expect(code).toBe(0);
    expect(stdout).toContain("which is trusted already. As they are now:\n  tidy (risk L0, changed) reads\n");
    expect(stdout).not.toContain("note (");
    expect(await listTrusted()).toEqual(["tidy"]);
    expect((await run(["trust", "--list"])).stdout).toBe(`${workspace.folder}\n`);
    mkdirSync(join(workspace.folder, "docs"));
    expect((await run(["trust", "docs"])).stdout).toContain("No skill of it is here.");
    const document = JSON.parse((await run(["trust", "skills/note", "--json"])).stdout);
    expect(document).toMatchObject({ trusted: true, skills: [{ name: "note", status: "changed" }] });
    expect(await listTrusted()).toEqual(["note", "tidy"]);
  });

  it("is taken back from one skill, which is named", async () => {
    const { workspace, run, listTrusted } = createProject();
    await run(["trust"]);
    const { stdout, stderr } = await run(["trust", "--remove", "skills/tidy"]);
    expect(stdout).toBe("No longer trusted: tidy\n");
    expect(stderr).toBe(`${workspace.folder} is still trusted.\n`);
    expect(await listTrusted()).toEqual(["note"]);
    expect((await run(["trust", "--remove", "skills/tidy"])).stdout).toContain(
      "is already not trusted by itself.",
    );
  });
});

describe("trust that is given again", () => {
  it("says what is new, changed and gone, by name", async () => {
    const { workspace, run } = createProject();
    await run(["trust"]);
    expect((await run(["trust"])).stdout).toContain(`${workspace.folder} is already trusted.\n`);
    workspace.write("skills/fresh/SKILL.md", skillText({ name: "fresh", description: "New." }, "x"));
    workspace.write("skills/note/more.md", "x");
    rmSync(join(workspace.folder, "skills/tidy"), { recursive: true });
    const { stdout } = await run(["trust"]);
    expect(stdout.split("\n")[0]).toBe(`${workspace.folder} is trusted again: 1 new, 1 changed, 1 gone.`);
    expect(stdout).toContain("  tidy (gone) is trusted no longer\n");
    expect((await run(["trust"])).stdout).not.toContain("gone");
  });
});

describe("trust in more than a project", () => {
  it("is refused for the root of all folders, and told of for a home folder", async () => {
    const { workspace, run } = createProject();
    const root = await run(["trust", "/"]);
    expect(root).toMatchObject({ code: 2, stdout: "" });
    expect(root.stderr).toContain("Name the project that you trust.");
    const home = await run(["trust", workspace.home]);
    expect(home.code).toBe(0);
    expect(home.stderr).toContain("each one counts as trusted, also those that you add later");
    expect((await run(["trust"])).stderr).not.toContain("each one counts");
  });
});
