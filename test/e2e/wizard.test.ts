import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type CliResult, createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

/** A repository with one tag, a feature and a fix since, and a CLI in it. */
function createRepository() {
  const workspace = createWorkspace({ "package.json": '{ "name": "demo-app", "version": "1.2.3" }\n' });
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: workspace.folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: workspace.home },
    }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", ".");
  git("commit", "-qm", "feat: the beginning");
  git("tag", "v1.2.3");
  for (const [file, subject] of [
    ["a.txt", "feat: list files by size"],
    ["b.txt", "fix: a crash on empty folders"],
  ] as const) {
    workspace.write(file, file);
    git("add", ".");
    git("commit", "-qm", subject);
  }
  return { workspace, git, cli: createCli(workspace) };
}

interface Gate {
  thread: string;
  request: { id: string; items: { kind: string; stage?: string; args: Record<string, unknown> }[] };
}

function readGate({ stdout }: CliResult): Gate {
  return parseLines(stdout).at(-1) as unknown as Gate;
}

describe("the release wizard from the first question to the tag", () => {
  it("approved, rejected, gone back, edited, killed inside a stage, resumed", async () => {
    const { workspace, git, cli } = createRepository();
    const begun = await cli.run(["run", "/release", "--json"]);
    expect(begun.code).toBe(3);
    const first = readGate(begun);
    expect(first.request.items[0]).toMatchObject({
      kind: "stage",
      stage: "inspect",
      args: { suggested: "minor" },
    });
    const resume = (...words: string[]) => cli.run(["resume", first.thread, ...words]);

    const plan = await resume("--request", first.request.id, "--approve");
    expect(plan.code).toBe(3);
    expect(plan.stdout).toContain("Stage 2 of 3 is complete: Plan the release (skill release)");
    expect(plan.stdout).toContain("version: 1.3.0");
    expect(plan.stdout).toContain("- list files by size");
    const late = await resume("--request", first.request.id, "--approve");
    expect(late.code).toBe(2);

    const rejected = await resume("--reject", "too much");
    expect(rejected.code).toBe(3);
    expect(rejected.stdout).toContain('I cannot act on the feedback "too much"');
    const back = readGate(await resume("--goto", "inspect", "--json"));
    expect(back.request.items[0]?.stage).toBe("inspect");
    const wrong = await resume("--goto", "apply");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("apply");
    expect(git("tag")).toBe("v1.2.3");

    const major = readGate(await resume("--edit", '{"suggested":"major"}', "--json"));
    expect(major.request.items[0]?.args.version).toBe("2.0.0");
    // The commit takes long, so that the process dies inside the stage.
    const hook = join(workspace.folder, ".git/hooks/pre-commit");
    writeFileSync(hook, "#!/bin/sh\ntouch .git/committing\nsleep 30\n");
    chmodSync(hook, 0o755);
    const dying = cli.start(["resume", first.thread, "--edit", '{"version":"1.9.0"}']);
    for (let tries = 0; tries < 500 && !workspace.exists(".git/committing"); tries += 1) await wait(20);
    dying.child.kill("SIGKILL");
    await dying.ended;
    writeFileSync(hook, "#!/bin/sh\nexit 0\n");
    expect(git("tag")).toBe("v1.2.3");

    const unknown = readGate(await resume("--json"));
    expect(unknown.request.items[0]?.kind).toBe("outcome");
    const done = await resume("--request", unknown.request.id, "--approve");
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("All stages of the skill release are complete.");
    expect(git("tag").split("\n")).toEqual(["v1.2.3", "v1.9.0"]);
    expect(git("status", "--short")).toBe("");
    expect(workspace.read("CHANGELOG.md")).toContain("## 1.9.0");
    expect(workspace.read("package.json")).toContain('"version": "1.9.0"');
    expect((await resume("--approve")).code).toBe(1);
  }, 60_000);

  it("a dirty tree is refused with its reason, and the stage is done again once it is clean", async () => {
    const { workspace, git, cli } = createRepository();
    workspace.write("left.txt", "left");
    const refused = await cli.run(["run", "/release"]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("There are changes that are not committed: left.txt.");
    git("add", ".");
    git("commit", "-qm", "fix: what was left");
    const again = await cli.run(["run", "--continue", "try again"]);
    expect(again.code).toBe(3);
    expect(again.stdout).toContain("Stage 1 of 3 is complete");
  });

  it("an edit with a mistyped key, or of nothing, does not open the gate", async () => {
    const { git, cli } = createRepository();
    await cli.run(["run", "/release"]);
    await cli.run(["resume", "--approve"]);
    for (const key of ["verison", "nokey"]) {
      const { code, stdout } = await cli.run(["resume", "--edit", `{"${key}":"1.9.0"}`]);
      expect(code).toBe(3);
      expect(stdout).toContain(
        `The last answer was not taken: "${key}" is no field of the output of the stage "plan". Fields: version, `,
      );
      expect(stdout).toContain("Stage 2 of 3 is complete");
    }
    const empty = await cli.run(["resume", "--edit", "{}"]);
    expect(empty).toMatchObject({
      code: 2,
      stderr: "skillgraph: --edit {} changes nothing; use --approve.\n",
    });
    expect(git("tag")).toBe("v1.2.3");
    expect(git("status", "--short")).toBe("");
  });

  it("stopped at a gate, nothing is written and the thread is finished", async () => {
    const { git, cli } = createRepository();
    await cli.run(["run", "/release"]);
    const stopped = await cli.run(["resume", "--goto", "__end__"]);
    expect(stopped.stdout).toContain('was stopped by the person at the stage "inspect"');
    expect(git("status", "--short")).toBe("");
    expect((await cli.run(["threads", "--waiting"])).stdout).not.toContain("release");
  });
});

describe("a skill with stage headings, written for another client", () => {
  const files = {
    "skills/letter/SKILL.md": skillText(
      { name: "letter", description: "Writes a letter with a person." },
      "Work with the person.\n\n## Stage 1: Gather\n\nAsk for facts.\n\n## Stage 2: Write\n\nWrite it.\n\n## Notes\n\nBe kind.",
    ),
  };

  it("is a wizard with --wizard, and each of its gates is a person's", async () => {
    const cli = createCli(createWorkspace(files));
    const asked = await cli.run(["run", "/letter", "--wizard", "--trust"]);
    expect(asked.code).toBe(3);
    expect(asked.stdout).toContain('Stage 1 of 2, "Gather": I cannot do this stage without a model.');
    expect(asked.stdout).toContain("Ask for facts.");
    expect(asked.stdout).not.toContain("Write it.");
    const gate = await cli.run(["resume", "--answer", "The facts are there.", "--trust"]);
    expect(gate.stdout).toContain("Stage 1 of 2 is complete: Gather");
    const second = await cli.run(["resume", "--approve", "--trust"]);
    expect(second.stdout).toContain('Stage 2 of 2, "Write"');
    await cli.run(["resume", "--answer", "Written.", "--trust"]);
    expect((await cli.run(["resume", "--approve", "--trust"])).code).toBe(0);
  });

  it.each([
    [["run", "do it", "--wizard"], "--wizard"],
    [["run", "/nothing", "--wizard"], '"nothing"'],
  ])("%j is refused by name", async (words, name) => {
    const result = await createCli(createWorkspace(files)).run([...words, "--trust"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(name);
  });

  it("a skill without stages is refused with what makes one", async () => {
    const plain = {
      "skills/plain/SKILL.md": skillText({ name: "plain", description: "Is plain." }, "Text."),
    };
    const result = await createCli(createWorkspace(plain)).run(["run", "/plain", "--wizard", "--trust"]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('The skill "plain" has no stages');
  });
});
