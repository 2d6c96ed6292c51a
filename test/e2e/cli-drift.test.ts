import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
// Loaded before the first test, whose time it would take.
import "../../src/cli/commands/resume.ts";
import "../../src/cli/commands/run.ts";
import { createCli, parseLines } from "../support/cli.ts";
import { createInsideCli } from "../support/inside-cli.ts";
import { stageText } from "../support/wizard.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const FENCE = "```";
const mine = ["--skills", "mine"];
const file = "mine/noter/SKILL.md";

/** A skill that notes one word and then another one, each after a person's yes. */
function noterText(word: string): string {
  const blocks = ["one", word].map((each) => `${FENCE}bash run\necho ${each} >> notes.txt\n${FENCE}`);
  return skillText({ name: "noter", description: "Notes two words." }, `\n\n${blocks.join("\n\n")}`);
}

/** A thread that waits for the first yes, and whose skill is edited then. */
async function startEdited() {
  const workspace = createWorkspace({ [file]: noterText("two"), "mine/noter/scripts/go.sh": "true" });
  const cli = createInsideCli(workspace);
  const { code, stdout } = await cli.run(["run", ...mine, "--json", "/noter"]);
  expect(code).toBe(3);
  workspace.write(file, noterText("three"));
  return { ...cli, workspace, thread: String(parseLines(stdout).at(-1)?.thread) };
}

/** The words of a printed command, without the program's name. */
function readCommand(stdout: string, end: string): string[] {
  const line = stdout.split("\n").find((each) => each.includes(`--answer ${end}`)) ?? "";
  return line
    .replace(/ {3}#.*$/, "")
    .trim()
    .split(" ")
    .slice(1);
}

describe("a thread resumed after its skill's file was edited", () => {
  it("goes on with the pinned text and says so", async () => {
    const { run, thread, workspace } = await startEdited();
    const { code, stderr, stdout } = await run(["resume", thread, ...mine, "--approve"]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "! skill noter changed on disk after it was loaded: SKILL.md (changed). It goes on with the text that was loaded.\n",
    );
    expect(stdout).toContain("$ echo two >> notes.txt");
    const end = await run(["resume", thread, ...mine, "--approve"]);
    expect(end.code).toBe(0);
    // It was said, and the files did not change again.
    expect(end.stderr).not.toContain("changed on disk");
    expect(workspace.read("notes.txt")).toBe("one\ntwo\n");
    expect((await run(["threads", "show", thread])).stdout).toContain("pinned");
  });

  it("with --drift ask shows the difference and asks", async () => {
    const { run, thread, workspace } = await startEdited();
    const asked = await run(["resume", thread, ...mine, "--approve", "--drift", "ask"]);
    expect(asked.code).toBe(3);
    expect(workspace.read("notes.txt")).toBe("one\n");
    expect(asked.stdout).toContain(`
The skill noter changed on disk after it was loaded:
  ${join(workspace.folder, file)}
  - SKILL.md (changed)
    --- as loaded
    +++ on disk
`);
    expect(asked.stdout).toContain("    -echo two >> notes.txt\n    +echo three >> notes.txt\n");
    for (const answer of ["pin", "refresh", "stop"]) {
      expect(readCommand(asked.stdout, answer).slice(0, 3)).toEqual(["resume", thread, "--request"]);
    }
    const listed = await run(["threads", "--waiting"]);
    expect(listed.stdout).toContain('asks: The skill "noter" changed on disk after it was loaded');
    const wrong = await run(["resume", thread, ...mine, "--answer", "maybe"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toBe(
      'skillgraph: "maybe" is no answer for the changed skill "noter"; choose pin, refresh, stop.\n',
    );
    const refreshed = await run(readCommand(asked.stdout, "refresh"));
    expect(refreshed.stderr).toContain("SKILL.md (changed). It is read anew.");
    expect(refreshed.stdout).toContain("$ echo three >> notes.txt");
    expect((await run(["resume", thread, ...mine, "--approve"])).code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("one\nthree\n");
  });

  it("stopped at the question it is kept, and a late answer is refused", async () => {
    const { run, thread } = await startEdited();
    const asked = await run(["resume", thread, ...mine, "--approve", "--drift", "ask"]);
    const stopped = await run(readCommand(asked.stdout, "stop"));
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('Stopped: the person stopped at the changed skill "noter"\n');
    expect(stopped.stderr).toContain(`Go on with: skillgraph resume ${thread}`);
    const again = await run(["resume", thread, ...mine, "--drift", "ask"]);
    expect(again.code).toBe(3);
    const late = await run(readCommand(asked.stdout, "refresh"));
    expect(late).toMatchObject({ code: 2, stdout: "" });
    expect(late.stderr).toMatch(/Request "req-\w+" .* was answered already/);
    expect((await run(readCommand(again.stdout, "pin"))).stdout).toContain("$ echo two >> notes.txt");
  });

  it.each([
    [["--edit", '{"choice":"refresh"}'], 3, "$ echo three >> notes.txt"],
    [["--reject", "let me look"], 1, ""],
  ])("%j answers, too", async (flags, code, text) => {
    const { run, thread } = await startEdited();
    await run(["resume", thread, ...mine, "--approve", "--drift", "ask"]);
    const answered = await run(["resume", thread, ...mine, ...flags]);
    expect(answered.code).toBe(code);
    expect(answered.stdout).toContain(text);
  });

  it("with --drift refresh reads the new text", async () => {
    const { run, thread } = await startEdited();
    const { stderr, stdout } = await run(["resume", thread, ...mine, "--approve", "--drift", "refresh"]);
    expect(stderr).toContain("It is read anew.");
    expect(stdout).toContain("$ echo three >> notes.txt");
  });

  it("--json carries the question with the difference", async () => {
    const { run, thread } = await startEdited();
    const { code, stdout } = await run(["resume", thread, ...mine, "--approve", "--drift", "ask", "--json"]);
    expect(code).toBe(3);
    const events = parseLines(stdout);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "skill-drifted", choice: "ask", files: ["SKILL.md (changed)"] }),
    );
    expect(events.at(-1)).toMatchObject({
      type: "run-end",
      status: "waiting",
      request: {
        items: [
          {
            kind: "drift",
            choices: ["pin", "refresh", "stop"],
            difference: expect.stringContaining("+echo three"),
          },
        ],
      },
    });
  });

  it("the settings choose, and a chat takes the answer as a line", async () => {
    const { thread, workspace } = await startEdited();
    workspace.write("skillgraph.json", JSON.stringify({ skills: { drift: "ask" } }));
    const input = "y\nyes\nrefresh\n/quit\n";
    const { stdout, stderr } = await createCli(workspace).run(["chat", ...mine, "--thread", thread], {
      input,
    });
    expect(stderr).toContain("Type pin, refresh, stop, or /later.");
    expect(stdout).toContain("$ echo three >> notes.txt");
  });
});

describe("B9: a wizard whose files are deleted under way", () => {
  it("pauses and says why", async () => {
    const block = `${FENCE}bash run\ntouch looked\n${FENCE}`;
    const workspace = createWorkspace({
      "mine/trip/SKILL.md": skillText({ name: "trip", description: "Plans a trip." }, "Plan."),
      "mine/trip/stages/01-look.md": stageText(["title: Look", "allowed-tools: Bash(touch:*)"], block),
      "mine/trip/stages/02-plan.md": stageText(["title: Plan", "allowed-tools: Bash(touch:*)"], block),
    });
    const { run } = createInsideCli(workspace);
    const started = await run(["run", ...mine, "--json", "/trip"]);
    expect(started.code).toBe(3);
    const thread = String(parseLines(started.stdout).at(-1)?.thread);
    rmSync(join(workspace.folder, "mine/trip"), { recursive: true });
    const { code, stdout } = await run(["resume", thread, ...mine, "--approve"]);
    expect(code).toBe(3);
    expect(stdout).toContain("  - SKILL.md (gone)\n");
    expect(stdout).toContain("The new text cannot be taken: the SKILL.md is gone.");
    expect(stdout).not.toContain("--answer refresh");
    const next = await run(["resume", thread, ...mine, "--answer", "pin"]);
    expect(next.stdout).toContain('the stage "Plan" of the skill trip');
  });
});
