import { describe, expect, it } from "vitest";
import { createCli, parseLines } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const block = "```bash run\necho hello >> notes.txt\n```";

function createChat() {
  const workspace = createWorkspace({
    "mine/noter/SKILL.md": skillText({ name: "noter", description: "Notes a greeting." }, block),
  });
  const { run, start } = createCli(workspace);
  const chat = (lines: string[], words: string[] = []) =>
    run(["chat", "--skills", "mine", ...words], { input: lines.map((line) => `${line}\n`).join("") });
  return { chat, run, start, workspace };
}

describe("skillgraph chat", () => {
  it("takes lines from a pipe: a skill, the answer to its question, a command, and the end", async () => {
    const { chat, workspace } = createChat();
    const { code, stdout, stderr } = await chat([
      "/skill noter",
      "y",
      "/unload noter",
      "/unload noter",
      "/quit",
      "never",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("$ echo hello >> notes.txt");
    expect(workspace.read("notes.txt")).toBe("hello\n");
    expect(stderr).toContain("Skill noter unloaded.\nSkill noter is not loaded on this thread. None is.\n");
    expect(stderr).toMatch(/Go on with: skillgraph chat --thread [0-9a-f-]{36} --skills \S+\n$/);
    expect(stdout + stderr).not.toContain("never");
  });

  it("the end of the input leaves a question open, and another chat takes it up", async () => {
    const { chat, workspace } = createChat();
    const first = await chat(["/noter"]);
    expect(first.code).toBe(3);
    expect(workspace.exists("notes.txt")).toBe(false);
    const thread = /--thread (\S+)/.exec(first.stderr)?.[1] ?? "";
    const second = await chat(["yes"], ["--thread", thread]);
    expect(second.code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("hello\n");
  });

  it("/later keeps the question, and it is asked again before a new line is sent", async () => {
    const { chat, workspace } = createChat();
    const { stdout, code } = await chat(["/noter", "/later", "what now?", "n"]);
    expect(code).toBe(0);
    expect(stdout.match(/wants to use Bash/g)).toHaveLength(2);
    expect(workspace.exists("notes.txt")).toBe(false);
  });

  it("a typing mistake or a failed turn does not end it", async () => {
    const { chat } = createChat();
    const { code, stderr } = await chat(["/notr", "/skills", "/skill", "/help", "hello"]);
    expect(code).toBe(0);
    expect(stderr).toContain('skillgraph: No skill named "notr". Nearest: noter.');
    expect(stderr).toContain("/noter  Notes a greeting.");
    expect(stderr).toContain("Which skill?");
  });

  it("--json writes events only, and a killed chat leaves its question to the next process", async () => {
    const { start, run, workspace } = createChat();
    const chat = start(["chat", "--skills", "mine", "--json"]);
    chat.child.stdin.write("/noter\n");
    const seen = await chat.waitFor('"run-end"');
    expect(parseLines(seen.slice(0, seen.lastIndexOf("}\n") + 2)).at(-1)).toMatchObject({
      status: "waiting",
    });
    chat.child.kill("SIGKILL");
    expect((await chat.ended).code).toBeNull();
    expect((await run(["resume", "--skills", "mine", "--approve"])).code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("hello\n");
  });

  it("/skills, /help, /unload and a typing mistake leave the question as it is", async () => {
    const { chat, workspace } = createChat();
    const lines = ["/noter", "/skills", "/help", "/unload noter", "/notr", "maybe", "/etc/passwd", "y"];
    const { code, stderr } = await chat(lines);
    expect(code).toBe(0);
    expect(workspace.read("notes.txt")).toBe("hello\n");
    expect(stderr.match(/Type y, always, n, n and why not, or \/later\.\n/g)).toHaveLength(7);
    expect(stderr).toContain("/noter  Notes a greeting.");
    expect(stderr).toContain("Skill noter stays until the thread has come to its end");
    expect(stderr).toContain('No skill named "notr"');
    expect(stderr).not.toContain("refused");
  });

  it("/quit at a question leaves it open and ends", async () => {
    const { chat, workspace } = createChat();
    const { code, stdout } = await chat(["/noter", "/quit", "y"]);
    expect(code).toBe(3);
    expect(stdout).toContain("--approve");
    expect(workspace.exists("notes.txt")).toBe(false);
  });

  it.each([[["/again"]], [["/skill again"]], [["/later", "/again"]]])(
    "%j at a question is a new message, and says that the question is dropped",
    async (typed) => {
      const { chat, workspace } = createChat();
      workspace.write(
        "mine/again/SKILL.md",
        skillText({ name: "again", description: "Says it again." }, "Do."),
      );
      const { code, stderr } = await chat(["/noter", ...typed]);
      const told = stderr.indexOf("The open question is dropped: the new message takes its place.\n");
      expect(told).toBeGreaterThan(0);
      expect(stderr.indexOf("skill again loaded")).toBeGreaterThan(told);
      expect(workspace.exists("notes.txt")).toBe(false);
      expect(code).not.toBe(3);
    },
  );

  it("a plain question takes lines as answers, paths too, but not commands", async () => {
    const { chat, workspace } = createChat();
    workspace.write(
      "mine/asker/SKILL.md",
      skillText(
        { name: "asker", description: "Asks.", "argument-hint": "<word>" },
        "```bash run\necho $1 >> notes.txt\n```",
      ),
    );
    const { code, stderr } = await chat(["/asker", "/skills", "no", "y"]);
    expect(code).toBe(0);
    expect(stderr).toContain("Type your answer, or /later.\n");
    expect(workspace.read("notes.txt")).toBe("no\n");
  });

  it("--json ends a turn that failed with an event, too", async () => {
    const { chat } = createChat();
    const { code, stdout } = await chat(["/notr"], ["--json"]);
    expect(parseLines(stdout)).toEqual([
      { type: "run-end", status: "failed", error: { code: "skill-unknown", message: expect.any(String) } },
    ]);
    expect(code).toBe(2);
  });

  it("a message of more than 1 MiB is not sent", async () => {
    const { chat } = createChat();
    const { code, stderr } = await chat(["x".repeat(1024 * 1024 + 1)]);
    expect(stderr).toContain("skillgraph: The task is larger than 1 MiB");
    expect(code).toBe(2);
  });

  it("a thread that is not there is wrong usage", async () => {
    const { chat } = createChat();
    expect((await chat([], ["--thread", "zzz"])).code).toBe(2);
  });
});
