import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// Loaded before the first test, whose time it would take.
import "../../src/cli/commands/resume.ts";
import "../../src/cli/commands/run.ts";
import { createInsideCli } from "../support/inside-cli.ts";
import { stageText } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const mine = ["--skills", "mine"];

const FENCE = "```";
/** A stage that can be done without a model. */
const echo = (word: string) => `${FENCE}bash run\necho ${word}\n${FENCE}`;

function createGo() {
  const workspace = createWorkspace({
    "mine/go/SKILL.md": skillText({ name: "go", description: "Goes." }, "INTRO"),
    "mine/go/stages/1-look.md": stageText(["title: Look", "auto: true"], echo("look")),
    "mine/go/stages/2-plan.md": stageText(["title: Plan"], echo("plan")),
    "mine/go/stages/3-tell.md": stageText(["title: Tell", "auto: true"], echo("tell")),
  });
  return { ...createInsideCli(workspace), workspace };
}

/** The words of the printed command that ends with a flag, without the program's name. */
function readCommand(stdout: string, end: string): string[] {
  const line = stdout.split("\n").find((each) => each.includes(`resume`) && each.includes(end)) ?? "";
  return line
    .replace(/ {2,}#.*$/, "")
    .trim()
    .split(" ")
    .slice(1);
}

describe("run --auto-gates", () => {
  it("opens the gates that say auto, exits 3 at the next, and the printed command goes on in the same way", async () => {
    const { run } = createGo();
    const begun = await run(["run", ...mine, "--model", "offline", "--auto-gates", "/go"]);
    expect(begun.code).toBe(3);
    expect(begun.stdout).toContain("Stage 2 of 3 is complete: Plan");
    const command = readCommand(begun.stdout, "--approve");
    expect(command).toEqual(expect.arrayContaining(["resume", "--auto-gates", "--approve"]));
    expect((await run(command)).code).toBe(0);
  });

  it("without it every gate is a person's", async () => {
    const { run } = createGo();
    const begun = await run(["run", ...mine, "--model", "offline", "/go"]);
    expect(begun.code).toBe(3);
    expect(begun.stdout).toContain("Stage 1 of 3 is complete: Look");
    expect(begun.stdout).not.toContain("--auto-gates");
  });
});

describe("a wizard whose next stage was taken away", () => {
  it("exits 3 with the question, and the printed command goes on at another one", async () => {
    const { run, workspace } = createGo();
    const begun = await run(["run", ...mine, "--model", "offline", "/go"]);
    rmSync(join(workspace.folder, "mine/go/stages/2-plan.md"));
    workspace.write("mine/go/stages/2-tour.md", stageText(["title: Tour"], echo("tour")));
    const asked = await run([...readCommand(begun.stdout, "--approve"), "--drift", "refresh"]);
    expect(asked.code).toBe(3);
    expect(asked.stdout).toContain('Its stage "plan" is gone.');
    expect(readCommand(asked.stdout, "--answer stop")).toContain("resume");
    const mapped = await run(readCommand(asked.stdout, "--goto tour"));
    expect(mapped.code).toBe(3);
    expect(mapped.stdout).toContain("Stage 2 of 3 is complete: Tour");
  });
});
