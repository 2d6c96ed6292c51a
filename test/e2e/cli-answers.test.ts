import { describe, expect, it } from "vitest";
// Loaded before the first test, whose time it would take.
import "../../src/cli/commands/resume.ts";
import "../../src/cli/commands/run.ts";
import "../../src/cli/commands/threads.ts";
import { createCli, parseLines } from "../support/cli.ts";
import { createInsideCli } from "../support/inside-cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const FENCE = "```";
const mine = ["--skills", "mine"];

function createNotes(command = "echo $1 >> notes.txt") {
  const header = { name: "noter", description: "Notes a word.", "argument-hint": "<word>" };
  const workspace = createWorkspace({
    "mine/noter/SKILL.md": skillText(header, `\n\n${FENCE}bash run\n${command}\n${FENCE}`),
  });
  const { run: runProcess, start } = createCli(workspace);
  return { ...createInsideCli(workspace), runProcess, start, workspace };
}

describe("an answer that names no thread", () => {
  it("is refused while more than one waits, and nothing runs", async () => {
    const { run, workspace } = createNotes();
    const ids: string[] = [];
    for (const word of ["one", "two"]) {
      const { stdout } = await run(["run", ...mine, "--json", `/noter ${word}`]);
      ids.push(String(parseLines(stdout)[0]?.thread));
    }
    for (const answer of [
      ["--approve"],
      ["--reject", "no"],
      ["--edit", "{}"],
      ["--answer", "x"],
      ["--goto", "x"],
    ]) {
      const { code, stderr, stdout } = await run(["resume", ...mine, ...answer]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^skillgraph: 2 threads wait for an answer, so name the one that is meant: /);
      for (const id of ids) expect(stderr).toContain(`${id} (noter, asks: $ echo `);
    }
    expect(workspace.exists("notes.txt")).toBe(false);
    expect((await run(["resume", ...mine])).stdout).toContain(`skillgraph resume ${ids[1]}`);
  });

  it("is taken by the only one that waits, and --request finds its thread", async () => {
    const { run, workspace } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { threads } = JSON.parse((await run(["threads", "--json"])).stdout);
    await run(["run", ...mine, "/noter two"]);
    const first = await run(["resume", ...mine, "--request", threads[0].request.id, "--approve"]);
    expect(first.code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("one\n");
    expect((await run(["resume", ...mine, "--approve"])).code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("one\ntwo\n");
  });
});

describe("a thread that runs in another process", () => {
  it("is told to be running, not to be stopped", async () => {
    const { run, start, workspace } = createNotes("touch begun.txt; sleep 20");
    await run(["run", ...mine, "/noter one"]);
    const { threads } = JSON.parse((await run(["threads", "--json"])).stdout);
    const { thread } = threads[0];
    start(["resume", thread, ...mine, "--approve"]);
    for (let tries = 0; tries < 500 && !workspace.exists("begun.txt"); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const { code, stderr } = await run(["resume", thread, ...mine, "--approve"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `skillgraph: Thread ${thread} is running in another process and waits for no answer now.\n`,
    );
    // D7: whoever names the request is told who was first, also while that run goes on.
    const second = await run([
      "resume",
      thread,
      ...mine,
      "--request",
      threads[0].request.id,
      "--reject",
      "no",
    ]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/ was answered already: approve by \S+@\S+ at \S+Z\.\n$/);
    const shown = await run(["threads", "show", thread]);
    expect(shown.stdout).toContain(`${thread}  running  `);
    expect(shown.stdout).not.toContain("Go on with");
  });
});

describe("--goto __end__ on a thread without a wizard", () => {
  it("ends its run", async () => {
    const { run, workspace } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { code, stdout } = await run(["resume", ...mine, "--goto", "__end__"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The person ended this here.\n" });
    expect((await run(["threads", "--waiting"])).stdout).toBe("");
    expect(workspace.exists("notes.txt")).toBe(false);
    await run(["run", ...mine, "/noter two"]);
    expect((await run(["resume", ...mine, "--goto", "noter"])).stderr).toContain("belongs to no wizard");
  });
});

describe("a command that is printed for npx", () => {
  const env = { npm_command: "exec", npm_lifecycle_script: "skillgraph" };

  it("begins with npx at the end of the demo", async () => {
    const { code, stdout } = await createNotes().runProcess(["demo"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('npx skillgraph run "/file-organizer ." --cwd ~/Downloads');
    expect(stdout).toContain("   npx skillgraph resume ");
  });

  it("begins with npx in run, threads, chat, new and faults", async () => {
    const { run, runProcess } = createNotes();
    const asked = await run(["run", ...mine, "/noter one"], { env });
    expect(asked.stdout).toMatch(/^ {2}npx skillgraph resume .* --approve$/m);
    const { threads } = JSON.parse((await run(["threads", "--json"])).stdout);
    const texts = [
      (await run(["threads", "show", threads[0].thread], { env })).stdout,
      (await runProcess(["chat", ...mine], { env, input: "/noter x\n/quit\n" })).stderr,
      (await run(["new", "tidy"], { env })).stdout,
      (await run(["show", "nothing"], { env })).stderr,
      asked.stdout,
    ];
    for (const text of texts) {
      expect(text).toContain("npx skillgraph ");
      expect(text).not.toMatch(/(?<!npx )skillgraph (?:resume|chat|run|lint|list)/);
    }
  });
});

describe("what is shown", () => {
  it("threads --help names --waiting", async () => {
    expect((await createNotes().run(["threads", "--help"])).stdout).toMatch(
      /--waiting +only those that wait/,
    );
  });

  it("show has one empty line before the text, and a finished thread none at its end", async () => {
    const { run } = createNotes();
    expect((await run(["show", "noter", ...mine])).stdout).toMatch(/[^\n]\n\n```bash run\n/);
    await run(["run", ...mine, "/noter one"]);
    await run(["resume", ...mine, "--approve"]);
    const { threads } = JSON.parse((await run(["threads", "--json"])).stdout);
    const { stdout } = await run(["threads", "show", threads[0].thread]);
    expect(stdout).toMatch(/[^\n]\n$/);
    expect(stdout).toMatch(/\nskillgraph: \d+\.\d+\.\d+\n/);
    await run(["run", ...mine, "/noter two"]);
    const waiting = JSON.parse((await run(["threads", "--waiting", "--json"])).stdout).threads[0].thread;
    expect((await run(["threads", "show", waiting])).stdout).not.toContain("\n\n\n");
  });
});

describe("chat", () => {
  it("/later with nothing open says so, and with a question that was left it stays open", async () => {
    const { runProcess } = createNotes();
    const { stderr } = await runProcess(["chat", ...mine], { input: "/later\n/noter x\n/later\n/later\n" });
    expect(stderr).toContain("Nothing is open.\n");
    expect(stderr).toContain("The question stays open.\n");
    expect(stderr).not.toContain("No skill");
  });

  it("/skills keeps the two spaces after a name", async () => {
    const { runProcess } = createNotes();
    expect((await runProcess(["chat", ...mine], { input: "/skills\n" })).stderr).toContain(
      "/noter  Notes a word.\n",
    );
  });
});
