import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace } from "../support/workspace.ts";

describe("skillgraph new", () => {
  it("writes a skill that has no fault and runs at once", async () => {
    const workspace = createWorkspace();
    const { run } = createCli(workspace);
    const { code, stdout, stderr } = await run(["new", "sort-mail"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      `Wrote ${join(workspace.folder, "skills/sort-mail/SKILL.md")}`,
      "",
      "Next, change them to your needs, and try:",
      "skillgraph lint skills/sort-mail",
      "skillgraph run /sort-mail --trust",
      "",
    ]);
    expect((await run(["lint", "skills/sort-mail"])).stdout).toBe("No faults in 1 skill.\n");
    const done = await run(["run", "/sort-mail", "--trust"]);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("- `ls -l`: done\n");
    expect(done.stdout).toContain(" skills\n");
  });

  it("--wizard writes stages: the first waits at its gate, the last uses what was approved", async () => {
    const { run } = createCli(createWorkspace());
    const made = JSON.parse((await run(["new", "trip", "--wizard", "--json"])).stdout);
    expect(made.files).toHaveLength(3);
    expect((await run(["lint"])).stdout).toBe("No faults in 1 skill.\n");
    const waiting = await run(["run", "/trip", "--trust"]);
    expect(waiting.code).toBe(3);
    expect(waiting.stdout).toContain("title: What is in this folder");
    const done = await run(["resume", "--trust", "--edit", '{"title":"It\'s mine"}']);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("\nIt's mine\n");
  });

  it("--json gives the paths, and --cwd is where skills lies", async () => {
    const workspace = createWorkspace({ "my work/notes.txt": "x" });
    const { run } = createCli(workspace);
    const { code, stdout } = await run(["new", "a", "--cwd", "my work", "--json"]);
    expect(code).toBe(0);
    const folder = join(workspace.folder, "my work/skills/a");
    expect(JSON.parse(stdout)).toEqual({ name: "a", folder, files: [join(folder, "SKILL.md")] });
    const shown = (await run(["new", "b", "--cwd", "my work"])).stdout;
    expect(shown).toContain("skillgraph run /b --trust --cwd 'my work'\n");
  });

  it.each([
    ["Sort_Mail", 'No skill can be called "Sort_Mail". A name is 1 to 64 lower-case letters,'],
    ["taken", "is there already; nothing was written."],
  ])("%s is wrong usage, in one line, and nothing is changed", async (name, message) => {
    const workspace = createWorkspace({ "skills/taken/SKILL.md": "mine" });
    const { code, stdout, stderr } = await createCli(workspace).run(["new", name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^skillgraph: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect(workspace.read("skills/taken/SKILL.md")).toBe("mine");
    expect(workspace.exists(`skills/Sort_Mail`)).toBe(false);
  });
});
