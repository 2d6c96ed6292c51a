import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashTool } from "../../../src/tools/bash.ts";
import { reduceEnvironment } from "../../../src/tools/process/environment.ts";
import { call, createPlace } from "../call.ts";

describe("reduceEnvironment", () => {
  it("passes what commands need and nothing that holds a key or starts a program", () => {
    const environment = reduceEnvironment({
      ...{
        PATH: "/usr/bin",
        HOME: "/home/x",
        LANG: "C.UTF-8",
        LC_ALL: "C",
        TZ: "UTC",
        TERM: "xterm",
        EDITOR: "vim",
      },
      ...{
        OPENAI_API_KEY: "1",
        AWS_SECRET_ACCESS_KEY: "1",
        GITHUB_TOKEN: "1",
        LC_API_KEY: "1",
        LC_PASSWORD: "1",
      },
      ...{
        BASH_ENV: "1",
        ENV: "1",
        LD_PRELOAD: "1",
        NODE_OPTIONS: "1",
        PROMPT_COMMAND: "1",
        "BASH_FUNC_ls%%": "1",
      },
      USER: undefined,
    });
    const names = Object.keys(environment).filter((name) => !name.startsWith("GIT_"));
    expect(names.sort()).toEqual(
      [
        "EDITOR",
        "HOME",
        "LANG",
        "LC_ALL",
        "NO_COLOR",
        "PAGER",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "SKILLGRAPH_RUN",
        "SSH_ASKPASS",
        "TERM",
        "TZ",
        "VISUAL",
      ].sort(),
    );
    expect(environment).toMatchObject({ PATH: "/usr/bin", TERM: "dumb", EDITOR: "true", PAGER: "cat" });
  });

  it("passes locale variables by their names alone", () => {
    const environment = reduceEnvironment({ LC_CTYPE: "C", LC_TIME: "C", LC_X: "1", LC_SIGN: "1", LC_: "1" });
    expect(Object.keys(environment).filter((name) => name.startsWith("LC_"))).toEqual([
      "LC_CTYPE",
      "LC_TIME",
    ]);
  });

  it("drops folders of the workspace from PATH, also behind a link or another spelling", () => {
    const { root, context } = createPlace({ "bin/git": "" });
    const { workspace } = context;
    symlinkSync(join(workspace, "bin"), join(root, "linked"));
    mkdirSync(join(root, "app-tools"));
    const kept = join(root, "app-tools");
    const inside = [
      ...[workspace, `${workspace}/bin`, `${workspace}/not-yet`, `${root}/linked`, `${root}/linked/below`],
      ...[`${root}/app-tools/../app/bin`, `${root}//app/bin`, `${workspace}/`],
    ];
    expect(reduceEnvironment({ PATH: [...inside, kept, "/bin"].join(":") }, workspace).PATH).toBe(
      `${kept}:/bin`,
    );
    expect(reduceEnvironment({ PATH: `${workspace}/bin` }, workspace).PATH).toContain("/usr/bin");
    expect(reduceEnvironment({ PATH: `${workspace}/bin` }).PATH).toBe(`${workspace}/bin`);
  });

  it("drops relative folders from PATH, and has one when there is none", () => {
    expect(reduceEnvironment({ PATH: ".:/usr/bin::node_modules/.bin:/bin" }).PATH).toBe("/usr/bin:/bin");
    expect(reduceEnvironment({ PATH: "." }).PATH).toContain("/usr/bin");
    expect(reduceEnvironment({}).PATH).toContain("/bin");
  });

  it("counts the settings it gives to git", () => {
    const environment = reduceEnvironment({});
    const count = Number(environment.GIT_CONFIG_COUNT);
    for (let index = 0; index < count; index += 1)
      expect(environment).toHaveProperty(`GIT_CONFIG_VALUE_${index}`);
    expect(environment).not.toHaveProperty(`GIT_CONFIG_KEY_${count}`);
    expect(environment).toMatchObject({ GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: "false" });
  });
});

describe("a folder that passes for a bare repository", () => {
  /** Written by file tools alone: nothing in it is named `.git`. */
  function createTrap() {
    const { context } = createPlace({ "work/f.txt": "one\n" });
    const folder = join(context.workspace, "work");
    const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "pipe" });
    const author = ["-c", "user.name=x", "-c", "user.email=x@x"];
    git("init", "-q");
    git("add", ".");
    git(...author, "commit", "-qm", "one");
    writeFileSync(join(folder, "f.txt"), "two\n");
    git("add", ".");
    git(...author, "commit", "-qm", "two");
    writeFileSync(join(folder, "f.txt"), "three\n");
    const trap = join(context.workspace, "trap");
    renameSync(join(folder, ".git"), trap);
    rmSync(folder, { recursive: true });
    const marker = join(context.workspace, "marker");
    const program = join(context.workspace, "program.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${marker}\ncat "$1"\n`, { mode: 0o755 });
    writeFileSync(join(trap, "f.txt"), "three\n");
    writeFileSync(join(trap, "info", "attributes"), "* diff=trap filter=trap\n");
    writeFileSync(
      join(trap, "config"),
      `[core]\n\tbare = false\n\tworktree = ${trap}\n\tfsmonitor = ${program}\n[diff]\n\texternal = ${program}\n` +
        `[diff "trap"]\n\ttextconv = ${program}\n[filter "trap"]\n\tclean = ${program}\n`,
    );
    return { context, trap, marker };
  }

  it.each([
    ["git diff HEAD~1 HEAD", true],
    ["git diff", false],
    ["git log -p", true],
    ["git log -p --ext-diff", true],
    ["git show", true],
    ["git status", false],
  ])("does not run the program it names for %s", async (command, closes) => {
    const { context, trap, marker } = createTrap();
    for (const working_directory of ["trap", "trap/objects"]) {
      expect(await call(bashTool, { command, working_directory }, context)).toContain("[exit code 1");
    }
    expect(existsSync(marker)).toBe(false);
    // The trap is a real one: without the setting it closes where git reads a bare repository at all.
    const environment = { ...context.environment, GIT_CONFIG_COUNT: "0" };
    spawnSync("sh", ["-c", command], { cwd: trap, env: environment });
    expect(existsSync(marker)).toBe(closes);
  });
});

it("an empty or relative HOME is the account's home folder", () => {
  for (const HOME of ["", ".", "here"]) expect(reduceEnvironment({ HOME }).HOME).toBe(userInfo().homedir);
  expect(reduceEnvironment({ HOME: "/home/ada" }).HOME).toBe("/home/ada");
  expect(reduceEnvironment({}).HOME).toBeUndefined();
});
