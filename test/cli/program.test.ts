import { describe, expect, it } from "vitest";
import type { Commands } from "../../src/cli/command-list.ts";
import { describeFailure } from "../../src/cli/failure.ts";
import { createProgram } from "../../src/cli/program.ts";
import { SkillgraphError } from "../../src/errors.ts";

const names = [
  "run",
  "resume",
  "chat",
  "listThreads",
  "showThread",
  "showHistory",
  "removeThread",
  "pruneThreads",
  "forkThread",
  "list",
  "show",
  "why",
  "trust",
  "doctor",
  "graph",
  "lint",
  "new",
  "demo",
];

/** What was called, with which arguments, and how it ended. */
async function parse(words: string[]) {
  const calls: unknown[] = [];
  const commands = Object.fromEntries(
    names.map((name) => [
      name,
      async (...rest: unknown[]) => {
        calls.push([name, ...rest]);
        return 7;
      },
    ]),
  ) as unknown as Commands;
  let code: number | undefined;
  const program = createProgram(commands, "1.2.3", (ended) => {
    code = ended;
  });
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands: parts }) => parts),
  ]) {
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  }
  try {
    await program.parseAsync(words, { from: "user" });
    return { calls, code };
  } catch (error) {
    return {
      calls,
      failure: describeFailure(error, words, program),
    };
  }
}

describe("the command line", () => {
  it.each([
    [
      ["run", "sort", "it"],
      ["run", ["sort", "it"], {}],
    ],
    [
      ["run", "--skills", "a", "--skills", "b", "x"],
      ["run", ["x"], { skills: ["a", "b"] }],
    ],
    [
      ["run", "--max-steps", "5", "--", "--x"],
      ["run", ["--x"], { maxSteps: 5 }],
    ],
    [
      ["run", "-"],
      ["run", ["-"], {}],
    ],
    [
      ["run", "--wizard", "/release", "1.2"],
      ["run", ["/release", "1.2"], { wizard: true }],
    ],
    [["resume"], ["resume", undefined, {}]],
    [
      ["resume", "3f", "--goto", "__end__"],
      ["resume", "3f", { goto: "__end__" }],
    ],
    [
      ["resume", "3f", "--answer", ""],
      ["resume", "3f", { answer: "" }],
    ],
    [
      ["resume", "3f", "--answer", "-5"],
      ["resume", "3f", { answer: "-5" }],
    ],
    [["threads"], ["listThreads", {}]],
    [
      ["threads", "--waiting", "--json"],
      ["listThreads", { waiting: true, json: true }],
    ],
    [
      ["threads", "list"],
      ["listThreads", {}],
    ],
    [
      ["threads", "show", "3f"],
      ["showThread", "3f", {}],
    ],
    [
      ["threads", "history", "3f", "--json"],
      ["showHistory", "3f", { json: true }],
    ],
    [
      ["threads", "--json", "show", "3f"],
      ["showThread", "3f", { json: true }],
    ],
    [
      ["threads", "--cwd", "d", "--json", "history", "3f", "--checkpoint", "memory:"],
      ["showHistory", "3f", { cwd: "d", json: true, checkpoint: "memory:" }],
    ],
    [
      ["threads", "--json", "list", "--waiting"],
      ["listThreads", { waiting: true, json: true }],
    ],
    [
      ["threads", "rm", "3f"],
      ["removeThread", "3f", {}],
    ],
    [
      ["threads", "prune", "--older-than", "30d", "--dry-run", "--json"],
      ["pruneThreads", { olderThan: "30d", dryRun: true, json: true }],
    ],
    [
      ["show", "x"],
      ["show", "x", {}],
    ],
    [
      ["threads", "fork", "3f", "--at", "1f", "--json"],
      ["forkThread", "3f", { at: "1f", json: true }],
    ],
    [
      ["why", "x", "--skills", "a"],
      ["why", "x", { skills: ["a"] }],
    ],
    [
      ["doctor", "--model", "m", "--deny"],
      ["doctor", { model: "m", deny: true }],
    ],
    [["graph"], ["graph", undefined, {}]],
    [
      ["graph", "x", "--wizard"],
      ["graph", "x", { wizard: true }],
    ],
    [["lint"], ["lint", [], {}]],
    [
      ["lint", "a", "b", "--json"],
      ["lint", ["a", "b"], { json: true }],
    ],
    [
      ["new", "x", "--wizard", "--cwd", "d"],
      ["new", "x", { wizard: true, cwd: "d" }],
    ],
    [
      ["resume", "--answer=--trust"],
      ["resume", undefined, { answer: "--trust" }],
    ],
    [
      ["resume", "--reject", "--no tests"],
      ["resume", undefined, { reject: "--no tests" }],
    ],
    [
      ["resume", "--reject", "-"],
      ["resume", undefined, { reject: "-" }],
    ],
    [["trust"], ["trust", undefined, {}]],
    [
      ["trust", "d", "--remove"],
      ["trust", "d", { remove: true }],
    ],
    [
      ["demo", "--keep"],
      ["demo", { keep: true }],
    ],
  ])("%j", async (words, call) => {
    const { calls, code } = await parse(words);
    expect(calls).toEqual([call]);
    expect(code).toBe(7);
  });

  it.each([
    [["rnu", "x"], "Unknown command 'rnu' (Did you mean run?)"],
    [
      ["threads", "fork", "3f"],
      "Required option '--at <checkpoint>' not specified. See: skillgraph threads fork --help.",
    ],
    [
      ["xyzzy"],
      "Unknown command 'xyzzy'. Commands: run, resume, chat, threads, list, show, why, trust, doctor, graph, lint, new, demo.",
    ],
    [["run", "--modle", "x"], "Unknown option '--modle' (Did you mean --model?)"],
    [["list", "--qqqqqq"], "Unknown option '--qqqqqq'. See: skillgraph --help."],
    [
      ["run", "x", "--max-steps", "0"],
      "Option '--max-steps <n>' argument '0' is invalid. Give a whole number above 0.",
    ],
    [["run", "x", "--max-steps", "1.5"], "argument '1.5' is invalid"],
    [["run", "x", "--model"], "Option '--model <name>' argument missing"],
    [
      ["resume", "--answer", "--trust"],
      "Option '--answer <value>' argument missing, since '--trust' is an option. To give it as the value: --answer=--trust",
    ],
    [["resume", "--reject", "--model=x"], "argument missing, since '--model' is an option"],
    [["resume", "--request", "--approve"], "Option '--request <id>' argument missing"],
    [["resume", "--drift", "--approve"], "argument '--approve' is invalid"],
    [["threads", "--cwd", "--checkpoint"], "Option '--cwd <dir>' argument missing"],
    [["threads", "prune", "--older-than", "--dry-run"], "Option '--older-than <age>' argument missing"],
    [["show"], "Missing required argument 'name'"],
    [["list", "x"], "Too many arguments for 'list'"],
    [
      ["threads", "rn", "x"],
      "Unknown command 'rn' of threads. Commands: list, show, history, fork, rm, prune.",
    ],
  ])("%j is wrong usage, in one line", async (words, message) => {
    const { failure } = await parse(words);
    expect(failure?.code).toBe(2);
    expect(failure?.err).toMatch(/^skillgraph: [^\n]*\n$/);
    expect(failure?.err).toContain(message);
    expect(failure?.out).toBeUndefined();
  });

  it.each([[["--help"]], [["run", "--help"]], [["--version"]], [["help"]]])(
    "%j ends with 0",
    async (words) => {
      expect((await parse(words)).failure).toEqual({ code: 0 });
    },
  );

  it("no command at all is wrong usage", async () => {
    expect((await parse([])).failure).toEqual({ code: 2 });
  });
});

describe("describeFailure", () => {
  const noCommands = { commands: [] };
  const error = new SkillgraphError("thread-unknown", 'No thread "x\u001b".');

  it("--json gets a document beside the line", () => {
    const failure = describeFailure(error, ["threads", "show", "x", "--json"], noCommands);
    expect(failure.code).toBe(2);
    expect(JSON.parse(failure.out ?? "")).toEqual({
      error: { code: "thread-unknown", message: 'No thread "x␛".' },
    });
  });

  it("a run that did not begin still ends its events", () => {
    const { out } = describeFailure(error, ["resume", "x", "--json"], noCommands);
    expect(JSON.parse(out ?? "")).toMatchObject({
      type: "run-end",
      status: "failed",
      error: { code: "thread-unknown" },
    });
  });

  it("words of a task ask for no JSON", () => {
    expect(describeFailure(error, ["run", "--", "--json"], noCommands).out).toBeUndefined();
  });

  it("a working folder that was deleted is wrong usage in plain words", () => {
    const gone = Object.assign(new Error("ENOENT: no such file or directory, uv_cwd"), {
      code: "ENOENT",
      syscall: "uv_cwd",
    });
    const { code, err, out } = describeFailure(gone, ["list", "--json"], noCommands);
    expect(code).toBe(2);
    expect(err).toMatch(/^skillgraph: The working folder was deleted\. .*--cwd[^\n]*\n$/);
    expect(JSON.parse(out ?? "")).toMatchObject({ error: { code: "usage" } });
  });

  it("a fault nobody expected is one line without a stack", () => {
    expect(describeFailure(new TypeError("a\n  b"), ["run"], noCommands)).toEqual({
      code: 1,
      err: "skillgraph: a b\n",
    });
  });
});
