import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashTool } from "../../../src/tools/bash.ts";
import { call, createPlace } from "../call.ts";

const AUTHOR = {
  GIT_AUTHOR_NAME: "x",
  GIT_AUTHOR_EMAIL: "x@x",
  GIT_COMMITTER_NAME: "x",
  GIT_COMMITTER_EMAIL: "x@x",
};
const SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----";

/** A repository with two commits and a change, and a program that leaves a mark when it runs. */
function createRepository() {
  const { root, context } = createPlace({ "f.txt": "one\n" });
  const { workspace } = context;
  const marker = join(root, "marker");
  const program = join(root, "program.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`);
  chmodSync(program, 0o755);
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...AUTHOR };
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: workspace, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const commit = (text: string) => {
    writeFileSync(join(workspace, "f.txt"), text);
    git("add", ".");
    git("commit", "-qm", text);
  };
  git("init", "-q");
  commit("one\n");
  commit("two\n");
  const hook = (name: string) => {
    mkdirSync(join(workspace, ".git", "hooks"), { recursive: true });
    execFileSync("cp", [program, join(workspace, ".git", "hooks", name)]);
  };
  const runsPlain = (command: string) => {
    rmSync(marker, { force: true });
    spawnSync("sh", ["-c", command], {
      cwd: workspace,
      env: { ...env, GIT_EDITOR: "true" },
      stdio: "ignore",
    });
    return existsSync(marker);
  };
  const runsOurs = async (command: string) => {
    rmSync(marker, { force: true });
    await call(
      bashTool,
      { command },
      { ...context, environment: { ...context.environment, ...AUTHOR, HOME: root } },
    );
    return existsSync(marker);
  };
  return { root, workspace, program, git, hook, runsPlain, runsOurs };
}

type Repository = ReturnType<typeof createRepository>;

function sign({ git, root }: Repository) {
  const [header, ...body] = git("cat-file", "commit", "HEAD").split("\n\n");
  const file = join(root, "signed");
  writeFileSync(file, `${header}\n${SIGNATURE}\n\n${body.join("\n\n")}`);
  git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", file).trim());
}

/** A setting, commands that run its program in plain git, and what else the repository needs. */
const TRAPS: [string, string[], (repository: Repository) => void][] = [
  [
    "core.fsmonitor",
    ["git status", "git diff", "git ls-files -m", "git grep -n one", "git -C . status", "git status; true"],
    ({ git, program }) => git("config", "core.fsmonitor", program),
  ],
  [
    "core.fsmonitor of a nested repository",
    ["git status", "git diff"],
    ({ git, program }) => {
      git("init", "-q", "nested");
      git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "x");
      git("-c", "advice.addEmbeddedRepo=false", "add", "nested");
      git("commit", "-qm", "nested");
      git("-C", "nested", "config", "core.fsmonitor", program);
    },
  ],
  [
    "the hook post-index-change",
    ["git diff"],
    ({ hook, workspace }) => {
      hook("post-index-change");
      utimesSync(join(workspace, "f.txt"), 1, 1);
    },
  ],
  [
    "log.showSignature",
    ["git log", "git show"],
    (repository) => {
      sign(repository);
      repository.git("config", "gpg.program", repository.program);
      repository.git("config", "log.showSignature", "true");
    },
  ],
  [
    "format.pretty",
    ["git log", "git show"],
    (repository) => {
      sign(repository);
      repository.git("config", "gpg.program", repository.program);
      repository.git("config", "format.pretty", "%G?");
    },
  ],
  [
    "core.askPass",
    ["printf 'protocol=http\\nhost=127.0.0.1\\n\\n' | git credential fill"],
    ({ git, program }) => git("config", "core.askPass", program),
  ],
  [
    "sequence.editor",
    ["git rebase -i HEAD~1"],
    ({ git, program }) => git("config", "sequence.editor", program),
  ],
  [
    "protocol.ext.allow",
    ["git fetch trap", "git ls-remote trap"],
    ({ git, program }) => {
      git("config", "protocol.ext.allow", "always");
      git("remote", "add", "trap", `ext::${program}`);
    },
  ],
  [
    "core.alternateRefsCommand",
    ["git fetch -q other"],
    ({ git, root, workspace, program }) => {
      git("clone", "-q", "--bare", ".", join(root, "alternate.git"));
      git("clone", "-q", ".", join(root, "other"));
      git("-C", join(root, "other"), "commit", "-q", "--allow-empty", "-m", "new");
      writeFileSync(
        join(workspace, ".git/objects/info/alternates"),
        `${join(root, "alternate.git")}/objects\n`,
      );
      git("remote", "add", "other", join(root, "other"));
      git("config", "core.alternateRefsCommand", program);
    },
  ],
];

describe.each(TRAPS)("a repository that sets %s", (_name, commands, plant) => {
  it.each(commands)("does not run its program for %s", async (command) => {
    const mine = createRepository();
    plant(mine);
    expect(await mine.runsOurs(command)).toBe(false);
    // The trap is a real one: plain git does run it.
    const plain = createRepository();
    plant(plain);
    expect(plain.runsPlain(command)).toBe(true);
  });
});

it("git goes on to do ordinary work: commits run the repository's hooks", async () => {
  const { git, hook, workspace, runsOurs } = createRepository();
  hook("pre-commit");
  writeFileSync(join(workspace, "f.txt"), "three\n");
  expect(await runsOurs("git commit -qam three")).toBe(true);
  expect(git("log", "--format=%s", "-1")).toBe("three\n");
  expect(await runsOurs("git checkout -q -b side && git merge -q HEAD~1 && git stash list")).toBe(false);
  expect(git("branch", "--show-current")).toBe("side\n");
});
