import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, createRepository, decideIn, run, touchLater, writeIn } from "./scratch.ts";

/** A program that leaves a mark, and goes on as what it stands for would. */
function createTrap(): { program: string; mark: string } {
  const folder = createFolder();
  const [program, mark] = [join(folder, "trap"), join(folder, "mark")];
  writeIn(folder, "trap", `#!/bin/sh\n: > "${mark}"\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  return { program, mark };
}

/** Plain git, without the settings that our commands get. */
function runPlain(folder: string, command: string): void {
  try {
    execFileSync("/bin/sh", ["-c", command], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", PAGER: "cat" },
      stdio: ["ignore", "ignore", "ignore"],
      timeout: 20_000,
    });
  } catch (error) {
    expect(error).toBeDefined();
  }
}

interface Hostile {
  setting: string;
  settings: (program: string) => Record<string, string>;
  files?: Record<string, string>;
  command: string;
}

const HOSTILE: Hostile[] = [
  {
    setting: "core.fsmonitor",
    settings: (program) => ({ "core.fsmonitor": program }),
    command: "git status",
  },
  {
    setting: "filter.x.clean",
    settings: (program) => ({ "filter.x.clean": program }),
    files: { ".gitattributes": "* filter=x\n", "a.txt": "two\n" },
    command: "git diff",
  },
  {
    setting: "filter.x.process",
    settings: (program) => ({ "filter.x.process": program }),
    files: { ".gitattributes": "* filter=x\n", "a.txt": "two\n" },
    command: "git status",
  },
  {
    setting: "diff.external",
    settings: (program) => ({ "diff.external": program }),
    files: { "a.txt": "two\n" },
    command: "git diff",
  },
  {
    setting: "diff.x.command",
    settings: (program) => ({ "diff.x.command": program }),
    files: { ".gitattributes": "* diff=x\n", "a.txt": "two\n" },
    command: "git diff",
  },
  {
    setting: "diff.x.textconv",
    settings: (program) => ({ "diff.x.textconv": program }),
    files: { ".gitattributes": "* diff=x\n" },
    command: "git log -p",
  },
  {
    setting: "include.path",
    settings: () => ({ "include.path": "../more" }),
    files: { "a.txt": "two\n" },
    command: "git diff",
  },
  {
    setting: "gpg.program",
    settings: (program) => ({ "gpg.program": program, "log.showSignature": "true" }),
    command: "git log",
  },
  {
    setting: "gpg.program by a format",
    settings: (program) => ({ "gpg.program": program }),
    command: "git log --format=%G?",
  },
];

/** A commit that carries something like a signature. */
function sign(folder: string): void {
  const git = (args: string[], input?: string): string =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", ...(input === undefined ? {} : { input }) });
  const plain = git(["cat-file", "commit", "HEAD"]);
  const end = plain.indexOf("\n\n");
  const signed = `${plain.slice(0, end)}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n${plain.slice(end)}`;
  const id = git(["hash-object", "-t", "commit", "-w", "--stdin"], signed).trim();
  git(["update-ref", "HEAD", id]);
}

describe("C: git in a repository whose settings run programs", () => {
  it.each(HOSTILE)("$setting runs one at $command, so that asks", ({ settings, files = {}, command }) => {
    const { program, mark } = createTrap();
    const folder = createRepository(createFolder());
    sign(folder);
    expect(decideIn(folder, command).verdict).toBe(/%G/.test(command) ? "ask" : "allow");
    for (const [key, value] of Object.entries(settings(program)))
      execFileSync("git", ["config", key, value], { cwd: folder });
    writeIn(folder, "more", `[diff]\n\texternal = ${program}\n`);
    for (const [name, text] of Object.entries(files)) writeIn(folder, name, text);
    touchLater(join(folder, "a.txt"));
    runPlain(folder, command);
    expect(existsSync(mark)).toBe(true);
    const decision = decideIn(folder, command);
    expect(decision.verdict).toBe("ask");
    expect(decision.reason).toMatch(/settings file sets|%G/);
  });

  it("a hook that runs when the index changes makes a comparison ask, and nothing else", () => {
    const { program, mark } = createTrap();
    const folder = createRepository(createFolder());
    symlinkSync(program, join(folder, ".git/hooks/post-index-change"));
    touchLater(join(folder, "a.txt"));
    runPlain(folder, "git diff");
    expect(existsSync(mark)).toBe(true);
    expect(decideIn(folder, "git diff").reason).toContain("post-index-change");
    expect(decideIn(folder, "git log").verdict).toBe("allow");
  });

  it("a nested repository has settings of its own: comparing asks, unless it is left out", () => {
    const { program, mark } = createTrap();
    const folder = createRepository(createFolder());
    createRepository(join(folder, "sub"), { "filter.x.clean": program });
    execFileSync("git", ["add", "sub"], { cwd: folder, stdio: "ignore" });
    writeIn(folder, "sub/.gitattributes", "* filter=x\n");
    writeIn(folder, "sub/a.txt", "two\n");
    rmSync(mark, { force: true });
    run(folder, "git status");
    expect(existsSync(mark)).toBe(true);
    for (const command of ["git status", "git diff", "git diff --ignore-submodules=dirty"])
      expect(decideIn(folder, command).reason).toContain('nested repository "sub"');
    for (const command of ["git status --ignore-submodules", "git diff --ignore-submodules=all", "git log"])
      expect(decideIn(folder, command).verdict).toBe("allow");
    rmSync(mark);
    run(folder, "git status --ignore-submodules; git diff --ignore-submodules=all; git log -p");
    expect(existsSync(mark)).toBe(false);
    renameSync(join(folder, "sub/.git"), join(folder, "gone"));
    expect(decideIn(folder, "git status").verdict).toBe("allow");
  });

  it("settings that are kept in another folder, or behind a link, ask", () => {
    const { program } = createTrap();
    const other = createRepository(createFolder(), { "diff.external": program });
    const linked = createFolder();
    symlinkSync(join(other, ".git"), join(linked, ".git"));
    expect(decideIn(linked, "git diff").reason).toContain("is a link");
    const filed = createFolder({ ".git": `gitdir: ${other}/.git\n` });
    expect(decideIn(filed, "git log").reason).toContain("outside the workspace");
    const shared = createRepository(createFolder());
    writeIn(shared, ".git/commondir", `${other}/.git\n`);
    expect(decideIn(shared, "git log").reason).toContain("another folder");
  });

  it("a working tree of a repository elsewhere is taken when that repository knows it", () => {
    const main = createRepository(createFolder());
    const tree = join(createFolder(), "tree");
    execFileSync("git", ["worktree", "add", "-q", tree], { cwd: main, stdio: "ignore" });
    expect(decideIn(tree, "git status").verdict).toBe("allow");
    execFileSync("git", ["config", "diff.external", "x"], { cwd: main });
    expect(decideIn(tree, "git status").reason).toContain("sets diff.external");
    const thief = createFolder({ ".git": `gitdir: ${main}/.git/worktrees/tree\n` });
    expect(decideIn(thief, "git log").verdict).toBe("ask");
  });

  it("a working tree that takes its history from a third place asks", () => {
    const other = createRepository(createFolder());
    const state = createFolder({ HEAD: "ref: refs/heads/main\n", commondir: `${other}/.git\n` });
    const tree = createFolder({ ".git": `gitdir: ${state}\n` });
    writeIn(state, "gitdir", `${tree}/.git\n`);
    expect(decideIn(tree, "git log").reason).toContain("outside the workspace");
  });

  it("more than 100 nested repositories are not looked at one by one: comparing asks", () => {
    const folder = createRepository(createFolder());
    const add = (name: string) => `160000 ${"1".repeat(40)}\t${name}\n`;
    const link = (input: string) =>
      execFileSync("git", ["update-index", "--index-info"], { cwd: folder, input, stdio: "pipe" });
    link(Array.from({ length: 100 }, (_, index) => add(`sub${index}`)).join(""));
    expect(decideIn(folder, "git status").verdict).toBe("allow");
    link(add("last"));
    expect(decideIn(folder, "git status").reason).toContain("too many others");
  });

  it("the settings of one working tree alone count, too", () => {
    const folder = createRepository(createFolder(), { "extensions.worktreeConfig": "true" });
    expect(decideIn(folder, "git diff").verdict).toBe("allow");
    writeIn(folder, ".git/config.worktree", "[diff]\n\texternal = x\n");
    expect(decideIn(folder, "git diff").reason).toContain("sets diff.external");
  });

  it("a change of the settings is seen at once", () => {
    const folder = createRepository(createFolder());
    for (let index = 0; index < 3; index += 1) {
      expect(decideIn(folder, "git diff").verdict).toBe("allow");
      execFileSync("git", ["config", "diff.external", "x"], { cwd: folder });
      expect(decideIn(folder, "git diff").verdict).toBe("ask");
      execFileSync("git", ["config", "--unset", "diff.external"], { cwd: folder });
    }
  });

  it("a repository that begins above the workspace, or may be the folder itself, asks", () => {
    const folder = createRepository(createFolder());
    mkdirSync(join(folder, "sub"));
    expect(decideIn(join(folder, "sub"), "git status").reason).toContain("begins outside");
    const bare = createFolder({ HEAD: "ref: refs/heads/x\n", "objects/x": "", "refs/x": "" });
    expect(decideIn(bare, "git status").reason).toContain("repository itself");
    expect(decideIn(createFolder(), "git status").verdict).toBe("allow");
    expect(decideIn(createFolder(), "git diff a b").verdict).toBe("ask");
  });

  it("files that are secrets are not shown", () => {
    const folder = createRepository(createFolder());
    writeIn(folder, "conf/.env", "KEY=1\n");
    execFileSync("git", ["add", "-f", "conf/.env"], { cwd: folder });
    for (const command of ["git diff", "git show", "git log -p", "git grep -n KEY", "git cat-file -p HEAD"])
      expect(decideIn(folder, command).reason, command).toContain("conf/.env");
    for (const command of ["git status", "git log --stat", "git ls-files", "git branch"])
      expect(decideIn(folder, command).verdict, command).toBe("allow");
  });
});
