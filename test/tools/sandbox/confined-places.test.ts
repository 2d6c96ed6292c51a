import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Confined, createConfined, whyNot } from "./confine.ts";

const suite = describe.skipIf(whyNot !== "");
const note = whyNot && ` (${whyNot})`;
const git = (folder: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "-C", folder, ...words], {
    stdio: "pipe",
  });
const approved = { place: { approved: true } };

/** Each script fails, and says that it may not. */
function expectRefused({ run }: Confined, scripts: string[], place = {}): void {
  for (const script of scripts) {
    const { code, stdout, stderr } = run(script, { place });
    expect({ script, code: code !== 0, stdout }).toEqual({ script, code: true, stdout: "" });
    expect(stderr, script).toMatch(
      /Read-only file system|Permission denied|busy|cross-device|not permitted/i,
    );
  }
}

suite(`secrets of the workspace${note}`, () => {
  const secrets = {
    "work/.env": "K=1\n",
    "work/config/.env.local": "K=2\n",
    "work/config/server.key": "K=3\n",
    "work/.claude/.env": "K=4\n",
    "work/home/.ssh/id_rsa": "K=5\n",
    "work/.env.example": "K=\n",
  };

  it("reading, copying, renaming, linking and opening them to all fails loudly", () => {
    const place = createConfined(secrets);
    expectRefused(place, [
      "cat .env",
      "cat config/.env.local",
      "cat config/server.key",
      "cat .claude/.env",
      "cat home/.ssh/id_rsa",
      "ls home/.ssh",
      "cp .env copy",
      "mv .env copy",
      "rm -f .env",
      "ln .env copy",
      "chmod 777 .env",
      "chmod 777 home/.ssh",
      "echo x > .env",
      "mv config other && cat other/.env.local",
      "node -e 'fs.readFileSync(\".env\")'",
      'cat "/proc/1/root$PWD/.env"',
      'cat "/proc/self/cwd/.env"',
    ]);
    expect(readFileSync(join(place.workspace, ".env"), "utf8")).toBe("K=1\n");
  });

  it("a sample is no secret, and what is not there is not made", () => {
    const { workspace, run } = createConfined({ "work/.env.example": "K=\n" });
    expect(run("cat .env.example; ls -A")).toMatchObject({ stdout: "K=\n.env.example\n.skillgraph\n" });
    expect(readdirSync(workspace).sort()).toEqual([".env.example", ".skillgraph"]);
  });

  it("a link of that name, and one that leads to a secret, are as closed", () => {
    const place = createConfined({ "work/real": "K=1\n", "work/.env": "K=2\n", "beside/x": "K=3\n" });
    symlinkSync("real", join(place.workspace, ".env.local"));
    symlinkSync(".env", join(place.workspace, "plain"));
    symlinkSync("gone", join(place.workspace, ".env.gone"));
    symlinkSync("../beside/x", join(place.workspace, ".env.outside"));
    expectRefused(place, ["cat .env.local", "cat real", "cat plain"]);
    expect(place.run("cat .env.outside; cat .env.gone")).toMatchObject({ code: 1, stdout: "" });
  });

  it("a link that a command leaves behind leads nowhere in the next one", () => {
    const place = createConfined({ "work/a/file": "x", "home/private": "secret" });
    expect(place.run(`rm -r a && ln -s ${place.home} a && ln -s /oldroot${place.home} b`).code).toBe(0);
    expect(place.run("cat a/private b/private")).toMatchObject({ code: 1, stdout: "" });
  });

  it("they are open when a person agreed to the command", () => {
    const { run } = createConfined(secrets);
    expect(run("cat .env config/.env.local home/.ssh/id_rsa", approved).stdout).toBe("K=1\nK=2\nK=5\n");
  });

  it("git says that it cannot take one, and records no deletion", () => {
    const { workspace, run } = createConfined({
      ...secrets,
      "home/.gitconfig": "[user]\n\tname = A\n\temail = a@b.c\n",
    });
    git(workspace, "init", "-q");
    git(workspace, "add", ".env");
    git(workspace, "commit", "-qm", "first");
    expect(run("git commit -qam second").stderr).toMatch(/\.env: can only add regular files/);
    expect(git(workspace, "log", "--format=%s").toString()).toBe("first\n");
  });
});

suite(`places that steer later runs${note}`, () => {
  const files = {
    "work/.bashrc": "old",
    "work/skillgraph.json": "{}",
    "work/.mcp.json": "{}",
    "work/.claude/settings.json": "{}",
    "work/packages/one/.cursor/rules/a": "old",
    "work/skills/one/SKILL.md": "old",
    "work/skills/one/scripts/run.sh": "old",
  };

  it("are read and not written, renamed, removed or replaced", () => {
    const place = createConfined(files);
    const readable = [join(place.workspace, "skills/one")];
    expect(place.run("cat .bashrc .mcp.json skills/one/SKILL.md", { place: { readable } }).stdout).toBe(
      "old{}old",
    );
    const scripts = [
      "echo x > .bashrc",
      "echo x >> skillgraph.json",
      "rm -f .mcp.json",
      "echo x > new && mv new .mcp.json",
      "echo x > .claude/settings.json",
      "echo x > .claude/new",
      "mv .claude other",
      "rm -rf .claude",
      "echo x > packages/one/.cursor/rules/a",
      "mv packages/one other",
      "mv packages other",
      "echo x > skills/one/SKILL.md",
      "echo x > skills/one/new",
      "chmod 777 skills/one/scripts/run.sh",
      "ln skills/one/SKILL.md other",
      "mv skills other",
      "mv skills/one skills/two",
    ];
    expectRefused(place, scripts, { readable });
    expect(
      place.run("mkdir skills/two packages/two && echo x > packages/one/file", { place: { readable } }).code,
    ).toBe(0);
  });

  it("a skill inside a protected folder does not open what is around it", () => {
    const place = createConfined({
      "work/.claude/skills/one/SKILL.md": "old",
      "work/.claude/skills/two/SKILL.md": "old",
    });
    const readable = [join(place.workspace, ".claude/skills/one")];
    expectRefused(place, ["echo x > .claude/skills/two/SKILL.md", "mkdir .claude/skills/three"], {
      readable,
    });
  });

  it("are written when a person agreed to the command; skills outside the workspace are not", () => {
    const { root, workspace, run } = createConfined({ ...files, "skills/out/SKILL.md": "old" });
    const place = { approved: true, readable: [join(workspace, "skills/one"), join(root, "skills/out")] };
    expect(run("echo x > .claude/new && echo x > skills/one/SKILL.md", { place }).code).toBe(0);
    const outside = run(`cat ${root}/skills/out/SKILL.md; echo x > ${root}/skills/out/SKILL.md`, { place });
    expect(outside).toMatchObject({ code: 1, stdout: "old" });
  });

  it("secrets of a skill outside are not read", () => {
    const { root, run } = createConfined({ "skills/out/SKILL.md": "old", "skills/out/.env": "K=1" });
    const place = { readable: [join(root, "skills/out")] };
    expect(run(`cat ${root}/skills/out/.env`, { place })).toMatchObject({ code: 1, stdout: "" });
  });

  it("a file that is linked hard to a protected one is not found by its name: a stated limit", () => {
    const { workspace, run } = createConfined({ "work/.bashrc": "old" });
    linkSync(join(workspace, ".bashrc"), join(workspace, "other"));
    expect(run("cat other").stdout).toBe("old");
  });
});

suite(`git folders${note}`, () => {
  it("commits are written, hooks and settings are not, and the folder stays in its place", () => {
    const place = createConfined({ "home/.gitconfig": "[user]\n\tname = A\n\temail = a@b.c\n" });
    git(place.workspace, "init", "-q");
    expectRefused(place, [
      "echo x > .git/hooks/pre-commit",
      "echo x >> .git/config",
      "git config core.fsmonitor ./evil",
      "rm -rf .git/hooks/",
      "mv .git/hooks .git/other",
      "mv .git other",
    ]);
    expect(place.run("echo x > f && git add f && git commit -qm first && git checkout -q -b next").code).toBe(
      0,
    );
  });

  it("what would lead git elsewhere and was made by a command is removed when that has ended", () => {
    const place = createConfined({ "home/.gitconfig": "[user]\n\tname = A\n\temail = a@b.c\n" });
    git(place.workspace, "init", "-q");
    const script =
      "mkdir -p evil/hooks && echo ../evil > .git/commondir && ln -s x .git/config.worktree && echo x > f";
    expect(place.run(script)).toMatchObject({
      code: 0,
      removed: [".git/config.worktree", ".git/commondir"].map((path) => join(place.workspace, path)),
    });
    expect(existsSync(join(place.workspace, ".git/commondir"))).toBe(false);
    expect(place.run("git status --short")).toMatchObject({ code: 0, stdout: "?? f\n", removed: [] });
    expect(
      place.run("git add f && git commit -qm first && git worktree add -q tree && git init -q new").removed,
    ).toEqual([]);
    expect(place.run("echo x > .git/commondir", approved).removed).toEqual([]);
  });

  it("a missing folder of hooks cannot be made with something in it", () => {
    const place = createConfined({ "work/.git/HEAD": "ref: refs/heads/main\n" });
    for (const name of ["objects", "refs"]) mkdirSync(join(place.workspace, ".git", name));
    expectRefused(place, ["mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"]);
  });

  it("a repository deeper in the workspace, and the folders of submodules, are closed the same way", () => {
    const place = createConfined({
      "work/.git/HEAD": "ref: refs/heads/main\n",
      "work/.git/modules/libs/one/HEAD": "ref: refs/heads/main\n",
      "work/.git/modules/libs/one/config": "[core]\n",
    });
    git(place.workspace, "init", "-q", "inner");
    expectRefused(place, [
      "echo x > inner/.git/hooks/pre-commit",
      "mv inner other",
      "echo x > .git/modules/libs/one/config",
      "echo x > .git/modules/libs/one/hooks/pre-commit",
      "mv .git/modules/libs other",
    ]);
  });

  it("a worktree commits into its repository outside, whose hooks and settings stay closed", () => {
    const place = createConfined({
      "main/a": "x",
      "home/.gitconfig": "[user]\n\tname = A\n\temail = a@b.c\n",
    });
    const main = join(place.root, "main");
    git(main, "init", "-q");
    git(main, "add", "a");
    git(main, "commit", "-qm", "first");
    git(main, "worktree", "add", "-q", join(place.workspace, "tree"));
    const tree = { workspace: join(place.workspace, "tree"), cwd: join(place.workspace, "tree") };
    const commit = place.run("echo y > b && git add b && git commit -qm second && git log --format=%s", {
      place: tree,
    });
    expect(commit).toMatchObject({ code: 0, stdout: "second\nfirst\n", stderr: "" });
    expectRefused(place, [`echo x > ${main}/.git/hooks/pre-commit`, `echo x >> ${main}/.git/config`], tree);
    expect(place.run(`cat ${main}/a`, { place: tree })).toMatchObject({ code: 1, stdout: "" });
  });

  it("a .git file that leads to a folder which knows nothing of the workspace opens nothing", () => {
    const { root, workspace, run } = createConfined({ "other/.git/HEAD": "x", "home/.ssh/id_rsa": "key" });
    for (const target of ["../other/.git", "../home/.ssh"]) {
      execFileSync("sh", ["-c", `echo "gitdir: ${target}" > ${workspace}/.git`]);
      expect(run(`ls ${join(root, target.slice(3))}`)).toMatchObject({ stdout: "" });
    }
    expect(existsSync(join(root, "other/.git/hooks"))).toBe(false);
  });
});
