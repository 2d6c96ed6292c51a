import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const FENCE = "```";

/** A skill that notes a word in a file each time its script runs. */
function createNotes(script = 'echo "$1" >> notes.txt') {
  const header = { name: "noter", description: "Notes a word.", "argument-hint": "<word>" };
  const block = `${FENCE}bash run\nsh "\${CLAUDE_SKILL_DIR}/scripts/note.sh" "$1"\n${FENCE}`;
  const workspace = createWorkspace({
    "mine/noter/SKILL.md": skillText(header, block),
    "mine/noter/scripts/note.sh": script,
  });
  const readNotes = () => (workspace.exists("notes.txt") ? workspace.read("notes.txt") : "");
  return { ...createCli(workspace), workspace, readNotes };
}

const mine = ["--skills", "mine"];

/** The printed resume command with an answer, as words without the program's name. */
function readCommand(stdout: string, answer: string): string {
  const line = stdout.split("\n").find((text) => text.includes("skillgraph resume") && text.includes(answer));
  return (
    line
      ?.trim()
      .replace(/^.*?skillgraph /, "")
      .replace(/ {3}#.*$/, "") ?? ""
  );
}

describe("skillgraph run and resume", () => {
  it("asks, exits 3, and the printed command carries the answer to a new process", async () => {
    const { run, readNotes, workspace } = createNotes();
    const first = await run(["run", ...mine, "/noter", "hello"]);
    expect(first.code).toBe(3);
    expect(first.stdout).toContain("Answer with:\n");
    expect(first.stdout).toContain(`$ sh ${workspace.folder}/mine/noter/scripts/note.sh hello`);
    expect(first.stderr).toMatch(
      /^thread [0-9a-f-]{36}\nmodel offline \(.*\)\n● skill noter loaded \(\d+ tokens\)\n$/,
    );
    expect(readNotes()).toBe("");

    const command = readCommand(first.stdout, "--approve");
    expect(command).toContain(`--skills ${workspace.folder}/mine`);
    const second = await run(command.split(" "));
    expect(second.code).toBe(0);
    expect(second.stderr).toMatch(/\n\$ sh .*\n✓ \d+\.\d s\n$/);
    expect(readNotes()).toBe("hello\n");

    const third = await run(command.split(" "));
    expect(third).toMatchObject({ code: 1, stdout: "" });
    expect(third.stderr).toMatch(
      /^skillgraph: Request "req-[0-9a-f]+" on thread [0-9a-f-]{36} was answered already: approve by \S+@\S+ at \d{4}-\d\d-\d\dT[\d:]{8}Z\.\n$/,
    );
    expect(readNotes()).toBe("hello\n");
  });

  it("--json is one event a line, the last is run-end", async () => {
    const { run } = createNotes();
    const { code, stdout } = await run(["run", ...mine, "--json", "/noter hello"]);
    const events = parseLines(stdout);
    expect(code).toBe(3);
    expect(events[0]).toMatchObject({ type: "run-start", model: "offline" });
    expect(events.at(-2)?.type).toBe("review-open");
    expect(events.at(-1)).toMatchObject({
      type: "run-end",
      status: "waiting",
      thread: events[0]?.thread,
      request: { id: expect.stringMatching(/^req-/), items: [{ kind: "call", name: "Bash" }] },
    });
  });

  it("without a thread, the newest that waits is answered; a unique beginning is enough", async () => {
    const { run, readNotes } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { stdout } = await run(["threads", "--json"]);
    const [{ thread, status }] = JSON.parse(stdout).threads;
    expect(status).toBe("waiting");
    expect(
      (await run(["resume", thread.slice(0, 8), ...mine, "--edit", '{"command":"echo two >> notes.txt"}']))
        .code,
    ).toBe(0);
    expect(readNotes()).toBe("two\n");
    await run(["run", ...mine, "/noter three"]);
    expect((await run(["resume", ...mine, "--reject", "no need"])).code).toBe(1);
    expect(readNotes()).toBe("two\n");
    expect((await run(["resume", ...mine, "--approve"])).code).toBe(1);
  });

  it("resume without an answer shows the open question again and runs nothing", async () => {
    const { run, readNotes } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { code, stdout } = await run(["resume", ...mine]);
    expect(code).toBe(3);
    expect(stdout).toContain("--approve");
    expect(readNotes()).toBe("");
  });

  it("an answer for another request is refused and changes nothing", async () => {
    const { run, readNotes } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { code, stderr } = await run(["resume", ...mine, "--request", "req-000000000000", "--approve"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^skillgraph: Request "req-000000000000" is not open on thread .*\. Open: "req-/);
    expect((await run(["resume", ...mine, "--answer", "yes"])).code).toBe(2);
    expect(readNotes()).toBe("");
    expect((await run(["resume", ...mine, "--approve"])).code).toBe(0);
  });

  it.each([[""], ["0"], ["false"]])("D5: --answer %j is delivered as it was given", async (answer) => {
    const { run, readNotes } = createNotes('printf "[%s]" "$1" >> notes.txt');
    const asked = await run(["run", ...mine, "/noter"]);
    expect(asked.code).toBe(3);
    expect(asked.stdout).toContain("--answer 'your answer'");
    expect((await run(["resume", ...mine, "--answer", answer])).code).toBe(3);
    expect((await run(["resume", ...mine, "--approve"])).code).toBe(0);
    expect(readNotes()).toBe(`[${answer}]`);
  });

  it("--skill, --name, --allow, and a task from standard input", async () => {
    const { run, readNotes } = createNotes();
    const named = await run(["run", ...mine, "--skill", "noter", "--name", "My note", "--allow", "--", "hi"]);
    expect(named.code).toBe(0);
    const piped = await run(["run", ...mine, "--allow", "-"], { input: "/noter piped\n" });
    expect(piped.code).toBe(0);
    expect(readNotes()).toBe("hi\npiped\n");
    expect((await run(["threads"])).stdout).toMatch(/ finished {2}\S+ {2}noter {2}"My note"/);
  });

  it("a skill whose own command failed exits 1, although the run came to its end", async () => {
    const { run } = createNotes("exit 3");
    const { code, stdout } = await run(["run", ...mine, "--allow", "--json", "/noter hi"]);
    expect(parseLines(stdout).at(-1)).toMatchObject({ status: "finished", outcome: "failed" });
    expect(code).toBe(1);
    const chat = (lines: string) => run(["chat", ...mine, "--allow"], { input: lines });
    expect((await chat("/noter hi\n")).code).toBe(1);
    expect((await chat("/noter hi\nhello\n")).code).toBe(0);
  });

  it("--deny refuses what would ask, and goes on to its end", async () => {
    const { run, readNotes } = createNotes();
    const { code, stderr } = await run(["run", ...mine, "--deny", "/noter hi"]);
    expect(code).toBe(1);
    expect(stderr).toContain("✗ Bash refused:");
    expect(readNotes()).toBe("");
  });

  it("--continue writes on the newest thread that waits for nothing", async () => {
    const { run } = createNotes();
    expect((await run(["run", ...mine, "--continue", "x"])).code).toBe(2);
    await run(["run", ...mine, "hello there"]);
    await run(["run", ...mine, "/noter waits"]);
    expect((await run(["run", ...mine, "--continue", "hello again"])).code).toBe(0);
    const { threads } = JSON.parse((await run(["threads", "--json"])).stdout);
    expect(threads.map(({ status }: { status: string }) => status)).toEqual(["finished", "waiting"]);
  });

  it("G3: the first Ctrl-C ends the command too, keeps the thread, and exits 130", async () => {
    const { start, run, workspace } = createNotes("echo begun >> notes.txt; sleep 20; echo late >> late.txt");
    const { child, ended } = start(["run", ...mine, "--allow", "/noter x"]);
    child.stdin.end();
    while (!existsSync(join(workspace.folder, "notes.txt")))
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await run(["threads"])).stdout).toMatch(/^\S+ {2}running {3}\S+ {2}noter {2}\/noter x\n$/);
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /Stopped: interrupted\nThe thread is kept\. Go on with: skillgraph resume \S+ --skills \S+ --allow\n$/,
    );
    const resumed = await run(readCommand(stderr, "resume").split(" "));
    expect(resumed.code).toBe(3);
    expect(resumed.stdout).toContain("It is not known how this call ended:");
    expect((await run(["resume", ...mine, "--answer", "it was noted"])).code).toBe(0);
    expect(readFileSync(join(workspace.folder, "notes.txt"), "utf8")).toBe("begun\n");
    expect(workspace.exists("late.txt")).toBe(false);
  });

  it("--cwd and --checkpoint are carried, so that the printed command works from another folder", async () => {
    const { run, workspace, readNotes } = createNotes();
    const database = `sqlite:${workspace.home}/threads.db`;
    const words = ["run", "--cwd", workspace.folder, "--checkpoint", database, ...mine, "/noter far"];
    const { stdout } = await run(words, { cwd: workspace.home });
    expect((await run(readCommand(stdout, "--approve").split(" "), { cwd: "/" })).code).toBe(0);
    expect(readNotes()).toBe("far\n");
  });

  it("a relative place for threads starts from --cwd, in the printed command too", async () => {
    const { run, workspace, readNotes } = createNotes();
    const words = ["run", "--cwd", workspace.folder, "--checkpoint", "sqlite:mine.db", ...mine, "/noter far"];
    const { stdout } = await run(words, { cwd: workspace.home });
    expect(workspace.exists("mine.db")).toBe(true);
    expect((await run(readCommand(stdout, "--approve").split(" "), { cwd: "/" })).code).toBe(0);
    expect(readNotes()).toBe("far\n");
  });

  it("a thread of memory: is gone with the process, so no command is printed that could not work", async () => {
    const { run } = createNotes();
    const { code, stdout, stderr } = await run(["run", ...mine, "--checkpoint", "memory:", "/noter x"]);
    expect(code).toBe(3);
    expect(stdout).toContain("wants to use Bash");
    expect(stderr).toMatch(/\nThreads in "memory:" are gone with this process[^\n]*\n$/);
    expect(stdout + stderr).not.toContain("skillgraph resume");
  });

  it("faulty skills are one line, and list tells the rest", async () => {
    const { run, workspace } = createNotes();
    for (const name of ["one", "two"]) workspace.write(`mine/${name}/SKILL.md`, "no header");
    const { stderr } = await run(["run", ...mine, "hello"]);
    expect(stderr.match(/not offered/g)).toHaveLength(1);
    expect(stderr).toContain(
      `! 2 skills are not offered: see skillgraph list --skills ${workspace.folder}/mine\n`,
    );
    workspace.write("mine/two/SKILL.md", skillText({ name: "two", description: "Two." }, "x"));
    expect((await run(["run", ...mine, "hello"])).stderr).toContain("! 1 skill is not offered: see ");
  });

  it("a task of more than 1 MiB is wrong usage", async () => {
    const { run } = createNotes();
    const { code, stderr } = await run(["run", "-"], { input: "x".repeat(1024 * 1024 + 1) });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^skillgraph: The task on standard input is larger than 1 MiB[^\n]*\n$/);
  });

  it("a faulty settings file is named and nothing runs", async () => {
    const { run, workspace } = createNotes();
    writeFileSync(join(workspace.folder, "skillgraph.json"), "{");
    const { code, stderr } = await run(["run", ...mine, "/noter x"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^skillgraph: .*skillgraph\.json is no JSON/);
  });
});

describe("skillgraph threads", () => {
  it("a list tells what is asked, and takes its options before the part's name", async () => {
    const { run } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { stdout } = await run(["threads"]);
    expect(stdout).toMatch(/^[0-9a-f-]{36} {2}waiting {3}\S+ {2}noter.*\n {2}asks: \$ sh .*note\.sh one\n$/);
    const { thread } = JSON.parse((await run(["threads", "--json"])).stdout).threads[0];
    const shown = await run(["threads", "--json", "show", thread]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ thread, status: "waiting" });
  });

  it("shows, tells the history of, and removes a thread", async () => {
    const { run } = createNotes();
    await run(["run", ...mine, "/noter one"]);
    const { threads } = JSON.parse((await run(["threads", "--waiting", "--json"])).stdout);
    const { thread, request } = threads[0];
    const shown = await run(["threads", "show", thread]);
    expect(shown.stdout).toContain(`${thread}  waiting  `);
    expect(shown.stdout).toContain(`skillgraph resume ${thread} --request ${request.id} --approve`);
    expect(JSON.parse((await run(["threads", "show", thread, "--json"])).stdout)).toMatchObject({
      thread,
      status: "waiting",
    });
    const history = JSON.parse((await run(["threads", "history", thread, "--json"])).stdout);
    expect(history.checkpoints[0]).toMatchObject({ checkpoint: expect.any(String), summary: "asks: Bash" });
    expect((await run(["threads", "history", thread])).stdout.split("\n").length).toBe(
      history.checkpoints.length + 1,
    );
    expect((await run(["threads", "rm", thread])).stdout).toBe(`Thread ${thread} is deleted.\n`);
    expect((await run(["threads", "rm", thread])).code).toBe(2);
    expect(JSON.parse((await run(["threads", "--json"])).stdout)).toEqual({ threads: [] });
  });
});
