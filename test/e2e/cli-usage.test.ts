import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createCli } from "../support/cli.ts";
import { createWorkspace, skillText } from "../support/workspace.ts";

const SKILL = skillText({ name: "tidy", description: "Tidies a folder." }, "Do it.");
const HEAVY = /langchain|langgraph|libsql|node_modules\/zod|@clack|openai/;

/** Prints the URL of every module that is loaded, those of `require` too. */
const LOG_MODULES = `
import module from "node:module";
import { writeSync } from "node:fs";
const hook = 'import { writeSync } from "node:fs"; export async function load(url, context, next) { writeSync(2, "MODULE " + url + "\\\\n"); return next(url, context); }';
module.register("data:text/javascript," + encodeURIComponent(hook));
const load = module._load;
module._load = function (request, ...rest) { writeSync(2, "MODULE " + request + "\\n"); return load.call(this, request, ...rest); };
`;

describe("wrong usage", () => {
  it.each([
    ["an unknown command", ["lits"], /^skillgraph: Unknown command 'lits' \(Did you mean list\?\)\n$/],
    [
      "an unknown flag",
      ["list", "--jsno"],
      /^skillgraph: Unknown option '--jsno' \(Did you mean --json\?\)\n$/,
    ],
    ["no task", ["run"], /^skillgraph: There is no task\./],
    ["an unknown skill", ["show", "tydi"], /^skillgraph: No skill named "tydi"\. Nearest: tidy\./],
    ["an unknown slash command", ["run", "/tydi x"], /^skillgraph: No skill named "tydi"\. Nearest: tidy\./],
    ["an unknown --skill", ["run", "--skill", "tydi"], /^skillgraph: No skill named "tydi"\./],
    ["a folder that is not there", ["list", "--cwd", "gone"], /^skillgraph: --cwd "gone" is no folder\.\n$/],
    ["skills that are not there", ["list", "--skills", "gone"], /^skillgraph: .*gone/],
    ["modes that exclude each other", ["run", "x", "--ask", "--allow"], /got --ask, --allow\.\n$/],
    [
      "answers that exclude each other",
      ["resume", "--approve", "--reject", "x"],
      /got --approve, --reject\.\n$/,
    ],
    [
      "a stage to go to",
      ["resume", "--goto", "plan"],
      /^skillgraph: There is no stage to go to: --goto "plan"\.\n$/,
    ],
    ["no number of steps", ["run", "x", "--max-steps", "many"], /Give a whole number above 0\.\n$/],
    ["a file that is not there", ["run", "read @gone.md"], /^skillgraph: @gone\.md: no file/],
    ["a checkpoint that is no URL", ["threads", "--checkpoint", "ftp://x"], /^skillgraph: .*ftp:\/\/x/],
    ["an unknown thread", ["threads", "show", "zzz"], /^skillgraph: No thread "zzz"\./],
    [
      "a thread to resume that is not there",
      ["resume", "zzz", "--approve"],
      /^skillgraph: No thread "zzz"\./,
    ],
  ])("%s exits 2 with one line", async (_name, words, message) => {
    const { run } = createCli(createWorkspace({ "skills/tidy/SKILL.md": SKILL }));
    const { code, stdout, stderr } = await run(words);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("--json gets a document for a failure, too", async () => {
    const { run } = createCli(createWorkspace());
    const list = await run(["show", "gone", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject({ error: { code: "skill-unknown" } });
    const resume = await run(["resume", "--json"]);
    expect(JSON.parse(resume.stdout)).toMatchObject({
      type: "run-end",
      status: "failed",
      error: { code: "nothing-pending" },
    });
    expect([list.code, resume.code]).toEqual([2, 1]);
  });
});

describe("help", () => {
  it("--help and --version exit 0 on standard output", async () => {
    const { run } = createCli(createWorkspace());
    const help = await run(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const name of ["run", "resume", "chat", "threads", "list", "show", "trust", "demo"]) {
      expect(help.stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
    }
    const version = await run(["--version"]);
    expect(version).toMatchObject({ code: 0, stderr: "" });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("no command shows the help on standard error and exits 2", async () => {
    const { code, stdout, stderr } = await createCli(createWorkspace()).run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: skillgraph");
  });
});

describe("what is loaded", () => {
  async function listModules(words: string[]): Promise<string[]> {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": SKILL, "log.mjs": LOG_MODULES });
    const log = pathToFileURL(`${workspace.folder}/log.mjs`).href;
    const { stderr } = await createCli(workspace).run(words, { nodeOptions: ["--import", log] });
    return stderr.split("\n").filter((line) => line.startsWith("MODULE "));
  }

  it.each([[["--help"]], [["list"]], [["show", "tidy"]], [["trust", "--list"]]])(
    "%j needs no model, graph, database or schema library",
    async (words) => {
      const modules = await listModules(words);
      expect(modules.filter((line) => HEAVY.test(line))).toEqual([]);
      expect(modules.length).toBeGreaterThan(0);
    },
  );

  it("the watch sees what a run loads", async () => {
    expect((await listModules(["threads"])).some((line) => HEAVY.test(line))).toBe(true);
  });
});

describe("a reader that leaves", () => {
  it("is no stack trace", async () => {
    const workspace = createWorkspace({
      "skills/tidy/SKILL.md": skillText({ name: "tidy", description: "x" }, "body\n".repeat(50_000)),
    });
    const { child, ended } = createCli(workspace).start(["show", "tidy"]);
    child.stdin.end();
    child.stdout.once("data", () => child.stdout.destroy());
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
