import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planTurn } from "../../src/model/offline-plan.ts";
import { applyArguments, applyDirectory } from "../../src/skills/arguments/apply-arguments.ts";
import { renderSkillEnvelope } from "../../src/skills/envelope.ts";
import { findRunBlocks } from "../../src/skills/run-blocks.ts";

const skill = fileURLToPath(new URL("../../skills/git-helper", import.meta.url));
const person = { NAME: "Ada", EMAIL: "ada@example.org" };
const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_EDITOR: "true",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) =>
      Object.entries(person).map(([name, value]) => [`GIT_${role}_${name}`, value]),
    ),
  ),
};

let base: string;
let work: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "git-helper-test-")));
  work = join(base, "work");
  mkdirSync(work);
  git("init", "-q", "-b", "main");
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function spawn(program: string, words: string[], folder = work) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    encoding: "utf8",
    env: environment,
  });
  return { status, stdout, stderr };
}

function git(...words: string[]): string {
  const { status, stdout, stderr } = spawn("git", words);
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.replace(/\n$/, "");
}

function put(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
}

function commit(files: Record<string, string>, message = "say what changed"): string {
  put(files);
  git("add", "--all");
  git("commit", "-q", "--allow-empty", "-m", message);
  return git("rev-parse", "HEAD");
}

function look(folder = work) {
  const { status, stdout, stderr } = spawn(process.execPath, [join(skill, "scripts/state.mjs")], folder);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

function state(): Record<string, unknown> {
  const { stdout } = spawn(process.execPath, [join(skill, "scripts/state.mjs"), "--json"]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

function fix(...words: string[]) {
  return spawn(process.execPath, [join(skill, "scripts/fix.mjs"), ...words]);
}

/** Everything that git says differs, and where the branches stand. */
function facts(): string {
  return [
    git("status", "--porcelain=v2", "--branch", "-uall"),
    git("for-each-ref"),
    git("ls-files", "-s"),
    git("stash", "list"),
  ].join("\n");
}

/** Runs the way back that a fix told, as a person would paste it. */
function undo(stdout: string): void {
  const command = /^To undo: (.*?)(?: \(while .*\))?$/m.exec(stdout)?.[1] ?? "exit 9";
  expect(spawn("bash", ["-c", command])).toMatchObject({ status: 0 });
}

/** A merge that stopped at a conflict in a.txt. */
function startConflict(): void {
  commit({ "a.txt": "one\n" });
  git("switch", "-qc", "side");
  commit({ "a.txt": "side\n", "side.txt": "new\n" });
  git("switch", "-q", "main");
  commit({ "a.txt": "main\n" });
  expect(spawn("git", ["merge", "side"]).status).toBe(1);
}

/** A bare repository that main is pushed to. */
function addServer(): void {
  git("init", "-q", "--bare", "-b", "main", join(base, "server"));
  git("remote", "add", "origin", join(base, "server"));
  git("push", "-q", "-u", "origin", "main");
}

describe("the state", () => {
  it("of a new repository says that there is no commit", () => {
    expect(look()).toContain("On branch main, without a commit yet.");
  });

  it("of a clean one says that there is nothing to commit and nothing to mend", () => {
    commit({ "a.txt": "1" });
    expect(look()).toMatch(/On branch main at \w{9}\.\nNo upstream is set\.\nNothing to commit\./);
    expect(look()).toContain("Nothing to mend.");
  });

  it("lists what is staged, changed, deleted and new, each under its own heading", () => {
    commit({ "a.txt": "1", "b.txt": "to go", "c.txt": "1", "old.txt": "some text\n" });
    put({ "a.txt": "2", "new ü.txt": "1", "added.txt": "more" });
    git("add", "added.txt");
    git("mv", "old.txt", "moved.txt");
    git("rm", "-q", "--cached", "b.txt");
    rmSync(join(work, "b.txt"));
    rmSync(join(work, "c.txt"));
    expect(state()).toMatchObject({
      staged: [
        { path: "added.txt", change: "A" },
        { path: "b.txt", change: "D" },
        { path: "moved.txt", change: "R" },
      ],
      unstaged: ["a.txt"],
      deleted: ["c.txt"],
      untracked: ["new ü.txt"],
      conflicts: [],
    });
    expect(look()).toContain("Staged (3):\n  added.txt (new)\n  b.txt (deleted)\n  moved.txt (renamed)\n");
  });

  it.each(["a b.txt", 'quote".txt', "tab\t.txt", "line\nbreak.txt", "表.txt", "-dash", "[x]*"])(
    "knows a file named %j in every place",
    (name) => {
      commit({ [name]: "1" });
      put({ [name]: "2" });
      expect(state()).toMatchObject({ unstaged: [name] });
      git("add", "--all");
      expect(state()).toMatchObject({ staged: [{ path: name, change: "M" }] });
    },
  );

  it("says how far the branch is from its upstream", () => {
    commit({ "a.txt": "1" });
    addServer();
    expect(look()).toContain("In step with origin/main, as of the last fetch.");
    commit({ "a.txt": "2" });
    commit({ "a.txt": "3" });
    expect(look()).toContain("2 ahead of origin/main");
    git("push", "-q");
    git("reset", "-q", "--hard", "HEAD~1");
    const text = look();
    expect(text).toContain("1 behind origin/main");
    expect(text).toContain("git pull --ff-only");
  });

  it("says when the upstream is gone", () => {
    commit({ "a.txt": "1" });
    addServer();
    git("update-ref", "-d", "refs/remotes/origin/main");
    expect(look()).toContain("The upstream origin/main is gone.");
  });

  it("warns when commits are on no branch, and only then", () => {
    commit({ "a.txt": "1" });
    git("switch", "-q", "--detach");
    expect(look()).toMatch(/On no branch \(detached HEAD\) at \w{9}\.\n/);
    commit({ "a.txt": "2" });
    expect(look()).toContain("Its commits are on no branch: make one before you leave.");
    expect(look()).toContain("git switch -c kept");
  });

  it("names a merge, its conflicts and the way out", () => {
    startConflict();
    expect(state()).toMatchObject({ operation: "merge", conflicts: ["a.txt"] });
    expect(look()).toContain("fix.mjs abort");
  });

  it.each([
    ["rebase", ["rebase", "side"]],
    ["cherry-pick", ["cherry-pick", "side"]],
    ["revert", ["revert", "--no-edit", "HEAD~1"]],
  ])("names a %s in progress", (name, words) => {
    startConflict();
    git("merge", "--abort");
    commit({ "a.txt": "more\n" });
    expect(spawn("git", words).status).not.toBe(0);
    expect(state()).toMatchObject({ operation: name });
  });

  it("names a bisect in progress", () => {
    commit({ "a.txt": "1" });
    git("bisect", "start");
    expect(state()).toMatchObject({ operation: "bisect" });
  });

  it("counts stashes and sees a lock", () => {
    commit({ "a.txt": "1" });
    for (const content of ["2", "3"]) {
      put({ "a.txt": content });
      git("stash", "-q");
    }
    put({ ".git/index.lock": "" });
    expect(state()).toMatchObject({ stashes: 2, locked: true });
    expect(look()).toContain("Stashed: 2 stashes");
  });

  it("names large new files, and not those that are ignored", () => {
    commit({ ".gitignore": "ignored.bin\n" });
    for (const name of ["ignored.bin", "large.bin", "small.bin"]) {
      put({ [name]: "" });
      truncateSync(join(work, name), name === "small.bin" ? 1_000 : 6 * 1024 * 1024);
    }
    expect(state()).toMatchObject({ large: [{ path: "large.bin", size: 6 * 1024 * 1024 }] });
  });

  it("proposes to ignore what tools make and what may hold secrets", () => {
    commit({ "a.txt": "1" });
    put({
      "node_modules/x/y.js": "",
      "node_modules/z.js": "",
      ".env": "",
      ".env.example": "",
      "p/dist/a.js": "",
      "npm-debug.log": "",
    });
    expect(state().ignorable).toEqual([
      { pattern: ".env", why: "may hold secrets", files: 1 },
      { pattern: "node_modules/", why: "made by a tool", files: 2 },
      { pattern: "*.log", why: "left over from a program", files: 1 },
      { pattern: "dist/", why: "made by a tool", files: 1 },
    ]);
  });

  it("names what git knows by mistake, and proposes to unstage it while it is new", () => {
    commit({ "node_modules/x.js": "" });
    put({ ".env": "A=1" });
    git("add", "-f", ".env");
    expect(state()).toMatchObject({ trackedByMistake: [".env", "node_modules/x.js"] });
    expect(look()).toContain("fix.mjs unstage .env");
  });

  it("shows the last commits and whether the newest is only here", () => {
    commit({ "a.txt": "1" }, "first");
    addServer();
    expect(state()).toMatchObject({ last: [{ title: "first", author: "Ada", pushed: true }] });
    commit({ "a.txt": "2" }, "wip");
    expect(state()).toMatchObject({ last: [{ title: "wip", pushed: false }, { title: "first" }] });
    expect(look()).toContain("fix.mjs amend-message MESSAGE");
  });

  it("names merged branches, not the current, the default, an open one or one in another work tree", () => {
    commit({ "a.txt": "1" });
    for (const name of ["merged", "here", "elsewhere"]) git("branch", name);
    git("switch", "-qc", "open");
    commit({ "b.txt": "1" });
    git("switch", "-q", "here");
    git("worktree", "add", "-q", join(base, "other"), "elsewhere");
    expect(state()).toMatchObject({ default: "main", merged: ["merged"] });
  });

  it("in a folder below gives paths and commands from there", () => {
    commit({ "sub/a.txt": "1", "b.txt": "1" });
    rmSync(join(work, "sub/a.txt"));
    put({ "sub/c.txt": "", "b.txt": "2" });
    const text = look(join(work, "sub"));
    expect(text).toContain("\n  ../b.txt");
    expect(text).toContain("fix.mjs restore-deleted a.txt");
  });

  it("changes nothing and starts no program of the repository's settings", () => {
    commit({ "a.txt": "1" });
    git("config", "core.fsmonitor", `touch ${join(base, "ran")}`);
    put({ "a.txt": "2" });
    const listing = () =>
      readdirSync(work, { recursive: true, encoding: "utf8" }).map(
        (path) => `${path} ${lstatSync(join(work, path)).mtimeMs}`,
      );
    const before = listing();
    look();
    expect(listing()).toEqual(before);
    expect(existsSync(join(base, "ran"))).toBe(false);
  });

  it("never shows a control character of a name", () => {
    put({ "a\u001b[31m.txt": "" });
    expect(look()).toContain("a\\u001b[31m.txt");
    expect(look()).not.toContain("\u001b");
  });

  it("outside of a repository and with a wrong option ends with 2 and one line", () => {
    const script = join(skill, "scripts/state.mjs");
    expect(spawn(process.execPath, [script], base)).toEqual({
      status: 2,
      stdout: "",
      stderr: "This folder is in no Git repository.\n",
    });
    expect(spawn(process.execPath, [script, "--all"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^Usage/),
    });
  });
});

describe("fixes that can be undone", () => {
  const cases: [string, () => void, string[], () => void][] = [
    [
      "unstage takes a file out of the next commit",
      () => {
        commit({ "a.txt": "1" });
        put({ "a.txt": "2", "b.txt": "1" });
        git("add", "--all");
      },
      ["unstage", "a.txt"],
      () => expect(git("status", "--porcelain")).toBe(" M a.txt\nA  b.txt"),
    ],
    [
      "unstage keeps what was staged and is not in the file any more",
      () => {
        commit({ "a.txt": "1" });
        put({ "a.txt": "2" });
        git("add", "--all");
        put({ "a.txt": "3" });
      },
      ["unstage", "a.txt"],
      () => expect(git("status", "--porcelain")).toBe(" M a.txt"),
    ],
    [
      "unstage takes a folder, and both names of a renamed file",
      () => {
        commit({ "d/a.txt": "some text\n" });
        git("mv", "d/a.txt", "d/b.txt");
      },
      ["unstage", "d"],
      () => expect(git("status", "--porcelain")).toBe(" D d/a.txt\n?? d/b.txt"),
    ],
    [
      "unstage works before the first commit",
      () => {
        put({ "a.txt": "1", "b.txt": "1" });
        git("add", "--all");
      },
      ["unstage", "a.txt"],
      () => expect(git("status", "--porcelain")).toBe("A  b.txt\n?? a.txt"),
    ],
    [
      "unstage takes a name with wildcards by the letter",
      () => {
        commit({ "0.txt": "" });
        put({ "*.txt": "1", "b.txt": "1" });
        git("add", "--all");
      },
      ["unstage", "*.txt"],
      () => expect(git("status", "--porcelain")).toBe("A  b.txt\n?? *.txt"),
    ],
    [
      "undo-commit keeps the changes, those that were staged already too",
      () => {
        commit({ "a.txt": "1" });
        commit({ "a.txt": "2" });
        put({ "b.txt": "1" });
        git("add", "b.txt");
        put({ "a.txt": "3" });
      },
      ["undo-commit"],
      () => expect(git("status", "--porcelain")).toBe("MM a.txt\nA  b.txt"),
    ],
    [
      "amend-message changes the message and nothing else",
      () => {
        commit({ "a.txt": "1" }, "wip");
        put({ "b.txt": "1" });
        git("add", "b.txt");
      },
      ["amend-message", "--", "- say `what` it $(does)"],
      () => {
        expect(git("log", "-1", "--format=%s")).toBe("- say `what` it $(does)");
        expect(git("show", "--format=", "--name-only")).toBe("a.txt");
        expect(git("status", "--porcelain")).toBe("A  b.txt");
      },
    ],
    [
      "stash-all takes new files and keeps what was staged apart",
      () => {
        commit({ "a.txt": "1" });
        put({ "a.txt": "2", "staged.txt": "1", "new.txt": "1" });
        git("add", "staged.txt");
      },
      ["stash-all", "half done"],
      () => {
        expect(git("status", "--porcelain")).toBe("");
        expect(git("stash", "list")).toBe("stash@{0}: On main: half done");
      },
    ],
    [
      "delete-merged deletes a branch and keeps its upstream in the way back",
      () => {
        commit({ "a.txt": "1" });
        git("branch", "done");
        addServer();
        git("push", "-q", "-u", "origin", "done");
      },
      ["delete-merged", "done"],
      () => expect(git("branch", "--format=%(refname:short)")).toBe("main"),
    ],
    [
      "restore-deleted brings back a file as it was staged",
      () => {
        commit({ "a b.txt": "1", "c.txt": "1" });
        put({ "a b.txt": "2", "c.txt": "edited" });
        git("add", "a b.txt");
        rmSync(join(work, "a b.txt"));
      },
      ["restore-deleted", "a b.txt"],
      () => expect(readFileSync(join(work, "a b.txt"), "utf8")).toBe("2"),
    ],
    [
      "restore-deleted brings back a folder and leaves the edited files in it",
      () => {
        commit({ "d/a.txt": "1", "d/b.txt": "1", "d/c.txt": "1" });
        put({ "d/c.txt": "edited" });
        rmSync(join(work, "d/a.txt"));
        rmSync(join(work, "d/b.txt"));
      },
      ["restore-deleted", "d"],
      () => expect(git("status", "--porcelain")).toBe(" M d/c.txt"),
    ],
    [
      "restore-deleted brings back what a staged deletion took",
      () => {
        commit({ "a.txt": "1", "b.txt": "1" });
        git("rm", "-q", "a.txt");
      },
      ["restore-deleted", "a.txt"],
      () => expect(git("status", "--porcelain")).toBe(""),
    ],
    [
      "restore-deleted brings back what an earlier commit deleted",
      () => {
        commit({ "d/a.txt": "1", "b.txt": "1" });
        git("rm", "-q", "d/a.txt");
        commit({}, "remove");
        commit({ "b.txt": "2" });
      },
      ["restore-deleted", "d/a.txt"],
      () => expect(readFileSync(join(work, "d/a.txt"), "utf8")).toBe("1"),
    ],
  ];

  it.each(cases)("%s", (_title, arrange, words, check) => {
    arrange();
    const before = facts();
    const at = words.indexOf("--");
    const dry =
      at === -1 ? [...words, "--dry-run"] : [...words.slice(0, at), "--dry-run", ...words.slice(at)];
    const tried = fix(...dry);
    expect(tried).toMatchObject({ status: 0, stderr: "" });
    expect(tried.stdout).toMatch(/^Would .*\.\nNothing was changed\.\n$/);
    expect(facts()).toBe(before);
    const { status, stdout } = fix(...words);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Done: /);
    check();
    undo(stdout);
    expect(facts()).toBe(before);
  });

  it.each([
    ["", "dist/\n"],
    ["a", "a\ndist/\n"],
    ["a\n", "a\ndist/\n"],
    ["a\r\nb\r\n", "a\r\nb\r\ndist/\r\n"],
  ])("ignore adds a line to a .gitignore of %j", (before, after) => {
    if (before !== "") put({ ".gitignore": before });
    expect(fix("ignore", "dist/", "--dry-run").stdout).toContain("Would");
    expect(existsSync(join(work, ".gitignore"))).toBe(before !== "");
    expect(fix("ignore", "dist/").status).toBe(0);
    expect(readFileSync(join(work, ".gitignore"), "utf8")).toBe(after);
    expect(fix("ignore", "dist/").stdout).toContain("Nothing to do");
    expect(readFileSync(join(work, ".gitignore"), "utf8")).toBe(after);
  });

  it("ignore writes to the root's file and says which known files stay", () => {
    commit({ "sub/a.log": "", "b.log": "" });
    const { stdout } = spawn(
      process.execPath,
      [join(skill, "scripts/fix.mjs"), "ignore", "*.log"],
      join(work, "sub"),
    );
    expect(stdout).toContain("../.gitignore");
    expect(stdout).toContain("2 files that git knows already match and stay in it: b.log, sub/a.log");
    expect(readFileSync(join(work, ".gitignore"), "utf8")).toBe("*.log\n");
  });

  it("abort gives up a merge and keeps what was solved already", () => {
    startConflict();
    put({ "a.txt": "solved by hand\n" });
    const { status, stdout } = fix("abort");
    expect(status).toBe(0);
    expect(state()).toMatchObject({ conflicts: [] });
    expect(state().operation).toBeUndefined();
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("main\n");
    const command = /in commit \w+: (git .*)$/m.exec(stdout)?.[1] ?? "exit 9";
    expect(spawn("bash", ["-c", command]).status).toBe(0);
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("solved by hand\n");
    expect(readFileSync(join(work, "side.txt"), "utf8")).toBe("new\n");
  });

  it.each([
    ["rebase", ["rebase", "side"]],
    ["cherry-pick", ["cherry-pick", "side"]],
    ["revert", ["revert", "--no-edit", "HEAD~1"]],
  ])("abort gives up a %s", (name, words) => {
    startConflict();
    git("merge", "--abort");
    const head = commit({ "a.txt": "more\n" });
    spawn("git", words);
    expect(fix("abort").stdout).toContain(`Done: give up the ${name}`);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(git("status", "--porcelain")).toBe("");
  });

  it("abort ends a bisect, which can be taken up again", () => {
    for (const content of ["1", "2", "3", "4"]) commit({ "a.txt": content });
    git("bisect", "start", "HEAD", "HEAD~3");
    const middle = git("rev-parse", "HEAD");
    const { stdout } = fix("abort");
    expect(git("symbolic-ref", "--short", "HEAD")).toBe("main");
    undo(stdout);
    expect(git("rev-parse", "HEAD")).toBe(middle);
  });
});

describe("what a fix refuses", () => {
  const refusals: [string, number, () => void, string[], string][] = [
    [
      "to take back a commit that is pushed",
      3,
      () => {
        commit({ "a.txt": "1" });
        commit({ "a.txt": "2" }, "out");
        addServer();
      },
      ["undo-commit"],
      'The commit "out" is in origin/main',
    ],
    [
      "to take back a commit that is tagged",
      3,
      () => {
        commit({ "a.txt": "1" });
        commit({ "a.txt": "2" });
        git("tag", "v1");
      },
      ["undo-commit"],
      "is in v1",
    ],
    [
      "to take back the first commit",
      3,
      () => {
        commit({ "a.txt": "1" });
      },
      ["undo-commit"],
      "none before it",
    ],
    [
      "to take back a merge",
      3,
      () => {
        commit({});
        git("switch", "-qc", "side");
        commit({});
        git("switch", "-q", "main");
        git("merge", "-q", "--no-ff", "--no-edit", "side");
      },
      ["undo-commit"],
      "is a merge",
    ],
    ["to take back a commit during a merge", 3, startConflict, ["undo-commit"], "A merge is in progress"],
    [
      "to take back a commit where there is none",
      3,
      () => undefined,
      ["undo-commit"],
      "There is no commit yet",
    ],
    [
      "to reword a pushed commit",
      3,
      () => {
        commit({ "a.txt": "1" });
        addServer();
      },
      ["amend-message", "new"],
      "others may have it",
    ],
    [
      "an empty message",
      2,
      () => {
        commit({});
      },
      ["amend-message", " "],
      "Usage: fix.mjs amend-message <message>",
    ],
    ["to stash during a merge", 3, startConflict, ["stash-all", "x"], "A merge is in progress"],
    ["to stash before the first commit", 3, () => put({ "a.txt": "1" }), ["stash-all", "x"], "no commit yet"],
    ["to unstage during a conflict", 3, startConflict, ["unstage", "side.txt"], "conflicts in a.txt"],
    [
      "to unstage what is not staged",
      2,
      () => {
        commit({ "a.txt": "1" });
        put({ "b.txt": "1" });
        git("add", "b.txt");
      },
      ["unstage", "a.txt"],
      'Nothing of "a.txt" is staged. Staged: b.txt.',
    ],
    [
      "a path outside",
      2,
      () => {
        commit({});
      },
      ["unstage", "../x"],
      "is no path in this repository",
    ],
    [
      "to delete a branch with commits of its own",
      3,
      () => {
        commit({});
        git("switch", "-qc", "side");
        commit({ "a.txt": "1" });
        git("switch", "-q", "main");
      },
      ["delete-merged", "side"],
      "commits that are not in main",
    ],
    [
      "to delete the default branch",
      3,
      () => {
        commit({});
        git("switch", "-qc", "side");
      },
      ["delete-merged", "main"],
      "is the default branch",
    ],
    [
      "to delete the current branch",
      3,
      () => {
        commit({});
        git("switch", "-qc", "side");
      },
      ["delete-merged", "side"],
      "is the branch you are on",
    ],
    [
      "to delete a branch of another work tree",
      3,
      () => {
        commit({});
        git("worktree", "add", "-q", "-b", "side", join(base, "other"));
      },
      ["delete-merged", "side"],
      "checked out in another work tree",
    ],
    [
      "to delete an unknown branch",
      2,
      () => {
        commit({});
        git("branch", "old");
      },
      ["delete-merged", "odl"],
      'There is no branch "odl" here. Merged ones: old.',
    ],
    [
      "a branch that is an option",
      2,
      () => {
        commit({});
      },
      ["delete-merged", "--", "--force"],
      'There is no branch "--force"',
    ],
    [
      "to overwrite a file that is there",
      3,
      () => {
        commit({ "a.txt": "1" });
        put({ "a.txt": "edited" });
      },
      ["restore-deleted", "a.txt"],
      "is not overwritten",
    ],
    [
      "to overwrite a file that came back after a staged deletion",
      3,
      () => {
        commit({ "a.txt": "1" });
        git("rm", "-q", "a.txt");
        put({ "a.txt": "mine" });
      },
      ["restore-deleted", "a.txt"],
      "is there again",
    ],
    [
      "to restore what never was",
      2,
      () => {
        commit({ "a.txt": "1" });
      },
      ["restore-deleted", "b.txt"],
      'Git knows no deleted file "b.txt"',
    ],
    ["to ignore everything", 3, () => undefined, ["ignore", "*"], "would ignore everything"],
    ["a pattern of two lines", 2, () => undefined, ["ignore", "a\n*"], "one line"],
    ["a pattern that takes others back", 2, () => undefined, ["ignore", "!a"], "no pattern that ignores"],
    [
      "to write through a link",
      3,
      () => symlinkSync(join(base, "target"), join(work, ".gitignore")),
      ["ignore", "dist/"],
      "not an ordinary file",
    ],
    ["no fix", 2, () => undefined, [], "Name a fix. Fixes: ignore, unstage"],
    ["an unknown fix", 2, () => undefined, ["reset-hard"], 'There is no fix "reset-hard".'],
    ["an unknown option", 2, () => undefined, ["undo-commit", "--force"], "Usage"],
    ["one value too many", 2, () => undefined, ["unstage", "a", "b"], "Usage: fix.mjs unstage <path>"],
  ];

  it.each(refusals)("%s", (_title, code, arrange, words, message) => {
    arrange();
    const before = facts();
    const { status, stdout, stderr } = fix(...words);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(facts()).toBe(before);
  });

  it.each([
    ["abort", [], "no merge, rebase"],
    ["stash-all", ["x"], "no change is open"],
    ["amend-message", ["same"], "has this message already"],
  ])("%s with nothing to do says so", (name, given, message) => {
    commit({ "a.txt": "1" }, "same");
    expect(fix(name, ...given)).toMatchObject({ status: 0, stdout: expect.stringContaining(message) });
  });

  it("a failure of git is one line and exit code 1", () => {
    commit({ "a.txt": "1" });
    commit({ "a.txt": "2" });
    put({ ".git/index.lock": "", "a.txt": "3" });
    const { status, stderr } = fix("stash-all", "x");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Failed: git .*\n$/);
  });
});

describe("the skill's text", () => {
  const text = readFileSync(join(skill, "SKILL.md"), "utf8");

  it("allows in advance to look, and no fix", () => {
    const allowed = /^allowed-tools: (.*)$/m.exec(text)?.[1] ?? "";
    expect(applyDirectory(allowed, "/s")).toBe("Read Glob Grep Bash(node /s/scripts/state.mjs:*)");
  });

  it.each(["", "I committed to the wrong branch; rm -rf $HOME"])(
    "is carried out without a model by looking only, for %j",
    (values) => {
      const body = text.replace(/^---\n[\s\S]*?\n---\n/, "");
      const filled = applyArguments(body, { arguments: values, skillDirectory: "/skills/git-helper" });
      const given = { name: "git-helper", directory: "/skills/git-helper", digest: "d", arguments: values };
      const messages = [
        new HumanMessage(`/git-helper ${values}`.trim()),
        new HumanMessage(renderSkillEnvelope({ ...given, argumentHint: "[what went wrong]", text: filled })),
      ];
      expect(findRunBlocks(filled)).toHaveLength(1);
      const { calls } = planTurn(
        messages,
        ["Bash", "AskUser"].map((name) => ({ name, description: "" })),
      );
      expect(calls[0]?.input.command).toBe("node /skills/git-helper/scripts/state.mjs");
    },
  );

  it("lists every fix that the script knows", () => {
    const known = /Fixes: (.*)\.\n/.exec(fix().stderr)?.[1]?.split(", ") ?? [];
    const listed = [...text.matchAll(/^\| `([a-z-]+)/gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual(known.sort());
  });
});
