import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { cliPath, createCli } from "../support/cli.ts";
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

/** What a part of the bundle was made from; none for any other module. */
function listSources(module: string): string[] {
  const map = `${module.slice("MODULE ".length).replace(/^file:\/\//, "")}.map`;
  if (!map.startsWith(dirname(cliPath)) || !existsSync(map)) return [];
  return (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources;
}

/** Runs a command in a folder that is deleted before the command starts. */
function runInDeletedFolder(words: string[], folder: string, home: string) {
  const script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"';
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script, folder, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
    input: "",
  });
  return { code: status, stdout, stderr };
}

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
    ["a wizard without its skill", ["run", "sort it", "--wizard"], /^skillgraph: --wizard needs the skill/],
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

describe("where a wrong setting came from", () => {
  const settings = (value: object) => JSON.stringify(value, null, 2);
  const files = { "skillgraph.json": settings({ permissions: { deny: ["Read", "Bash(rm"] } }) };

  it.each([[["run", "x"]], [["threads"]], [["resume"]], [["chat"]]])(
    "%j names file, line and rule",
    async (words) => {
      const { code, stderr } = await createCli(createWorkspace(files)).run(words);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^skillgraph: \S+\/skillgraph\.json:5: "Bash\(rm" in permissions\.deny is no permission rule\. [^\n]*\n$/,
      );
    },
  );

  it("list tells of rules that nobody can follow, and of folders that are not there", async () => {
    const own = { permissions: { deny: ["Nope", "Bash(rm"], ask: ["Nope(x)", "Shell"] } };
    const workspace = createWorkspace({ "skillgraph.json": settings(own) });
    const { run } = createCli(workspace);
    const { code, stderr } = await run(["list"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/error: \S+skillgraph\.json:\d+: "Bash\(rm" .* \[rule-unreadable\]\n/);
    expect(stderr.match(/\[rule-tool-unknown\]/g)).toHaveLength(2);
    expect(stderr).toContain(
      "Known tools: Read, Write, Edit, Glob, Grep, Bash, WebFetch, Skill, SearchSkills, UnloadSkill, AskUser, CompleteStage.",
    );
    const { diagnostics } = JSON.parse((await run(["list", "--json"])).stdout);
    expect(diagnostics.map(({ code: fault }: { code: string }) => fault).sort()).toEqual([
      "rule-tool-unknown",
      "rule-tool-unknown",
      "rule-unreadable",
    ]);
    workspace.write(
      "skillgraph.json",
      settings({ permissions: { ask: ["Nope"] }, skills: { roots: ["gone"] } }),
    );
    const hello = await run(["run", "--trust", "hello"]);
    expect(hello.stderr).toContain('"Nope" in permissions.ask is for no built-in tool');
    expect(hello.stderr).toContain('"gone" in skills.roots is no folder');
  });

  it.each([
    ["a flag", ["--checkpoint", "ftp://x"], {}, {}, /^skillgraph: --checkpoint: "ftp:\/\/x"/],
    [
      "the environment",
      [],
      { SKILLGRAPH_CHECKPOINT: "ftp://x" },
      {},
      /^skillgraph: SKILLGRAPH_CHECKPOINT: "ftp/,
    ],
    ["a file", ["--trust"], {}, { checkpoint: "ftp://x" }, /^skillgraph: \S+\/skillgraph\.json: "ftp:/],
  ])("a checkpoint from %s", async (_name, words, env, own, message) => {
    const { run } = createCli(createWorkspace({ "skillgraph.json": settings(own) }));
    const { code, stderr } = await run(["run", ...words, "x"], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a working folder that was deleted", () => {
  const inDeletedFolder = (workspace: ReturnType<typeof createWorkspace>, words: string[]) =>
    runInDeletedFolder([process.execPath, cliPath, ...words], join(workspace.folder, "gone"), workspace.home);

  it.each([[["list"]], [["run", "x"]], [["threads"]], [["trust"]], [["list", "--cwd", "sub"]]])(
    "%j exits 2 with one line",
    async (words) => {
      const { code, stdout, stderr } = inDeletedFolder(createWorkspace(), words);
      expect(stderr).toMatch(/^skillgraph: [^\n]*\n$/);
      expect(stderr).not.toContain("uv_cwd");
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    },
  );

  it.each([["list"], ["run"], ["threads"]])("%s works with an absolute --cwd", async (name) => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": SKILL });
    const words = [name, "--cwd", workspace.folder, ...(name === "run" ? ["hello"] : [])];
    expect(inDeletedFolder(workspace, words).code).toBe(0);
  });
});

describe("looking where nothing is kept", () => {
  it.each([
    ["threads"],
    ["threads", "show", "x"],
    ["threads", "rm", "x"],
    ["threads", "fork", "x", "--at", "x"],
    ["doctor"],
    ["resume"],
    ["resume", "x", "--approve"],
  ])("%s %s makes no file", async (...words) => {
    const workspace = createWorkspace();
    await createCli(workspace).run(words);
    expect(workspace.exists(".skillgraph")).toBe(false);
  });
});

describe("help", () => {
  it("resume tells how to go back to a stage, and how to stop", async () => {
    const { stdout } = await createCli(createWorkspace()).run(["resume", "--help"]);
    expect(stdout).toMatch(/--goto <stage> +go back to a stage, or __end__ to stop/);
  });

  it("--help and --version exit 0 on standard output", async () => {
    const { run } = createCli(createWorkspace());
    const help = await run(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const name of "run resume chat threads list show why trust doctor graph demo".split(" ")) {
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
    const modules = stderr.split("\n").filter((line) => line.startsWith("MODULE "));
    return [...modules, ...modules.flatMap(listSources)];
  }

  it.each([
    [["--help"]],
    [["list"]],
    [["show", "tidy"]],
    [["why", "tidy"]],
    [["trust", "--list"]],
    [["lint"]],
    [["new", "x"]],
  ])("%j needs no model, graph, database or schema library", async (words) => {
    const modules = await listModules(words);
    expect(modules.filter((line) => HEAVY.test(line))).toEqual([]);
    expect(modules.length).toBeGreaterThan(0);
  });

  it("the watch sees what a run loads", async () => {
    expect((await listModules(["threads"])).some((line) => HEAVY.test(line))).toBe(true);
  });
});

describe("an output that is full", () => {
  it("exits 1 with one line", async () => {
    const workspace = createWorkspace({ "skills/tidy/SKILL.md": SKILL });
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", '"$0" "$@" > /dev/full', process.execPath, cliPath, "list"],
      {
        cwd: workspace.folder,
        env: workspace.environment,
        encoding: "utf8",
      },
    );
    expect(stderr).toMatch(/^skillgraph: The output could not be written: ENOSPC[^\n]*\n$/);
    expect(status).toBe(1);
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
