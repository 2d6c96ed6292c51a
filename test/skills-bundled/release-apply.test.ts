import { chmodSync, existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addHook,
  apply,
  commit,
  commitAfterTag,
  forgetIdentity,
  git,
  put,
  read,
  readHead,
  repository,
  work,
} from "./release-repository.ts";

const day = /\d{4}-\d{2}-\d{2}/g;

describe("applying", () => {
  const lock =
    '{ "name": "a", "version": "1.2.0",\n"packages": {"": {"version":"1.2.0"}, "node_modules/b": {"version": "1.2.0"}}}';

  it("writes the changelog and the version, commits exactly that, and tags the commit", () => {
    const head = commitAfterTag("feat: a", {
      "package.json": '{"name": "a", "version": "1.2.0", "config": {"version": "1.2.0"}}',
      "package-lock.json": lock,
      "CHANGELOG.md": "# Changes\n\nAll of them.\n\n## 1.2.0\n\n- old\n",
    });
    const changelog = '### Features\n\n- `a` and "b" # not a comment\n\n# nor this';
    const { status, stdout, stderr } = apply("1.3.0", { changelog });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const made = git("rev-parse", "HEAD");
    expect(JSON.parse(stdout)).toEqual({
      tag: "v1.3.0",
      commit: made,
      files: ["CHANGELOG.md", "package-lock.json", "package.json"],
      push: "",
      summary: `v1.3.0 is made, at the commit ${made.slice(0, 10)}.\nThere is no remote to push it to.`,
    });
    expect(git("rev-parse", "HEAD^")).toBe(head);
    expect(git("log", "-1", "--format=%B")).toBe("release: v1.3.0");
    expect(git("cat-file", "-t", "v1.3.0")).toBe("tag");
    expect(git("rev-parse", "v1.3.0^{commit}")).toBe(made);
    expect(git("tag", "-l", "--format=%(contents)", "v1.3.0")).toBe(`v1.3.0\n\n${changelog}`);
    expect(git("status", "--porcelain")).toBe("");
    expect(read("CHANGELOG.md")).toBe(
      `# Changes\n\nAll of them.\n\n## 1.3.0\n\n${changelog}\n\n## 1.2.0\n\n- old\n`,
    );
    expect(read("package.json")).toBe('{"name": "a", "version": "1.3.0", "config": {"version": "1.2.0"}}');
    expect(read("package-lock.json")).toBe(
      lock
        .replace('"version": "1.2.0",\n', '"version": "1.3.0",\n')
        .replace('{"version":"1.2.0"}', '{"version":"1.3.0"}'),
    );
  });

  it("makes a changelog where there is none, and no package.json", () => {
    commitAfterTag("feat: a");
    expect(apply("1.3.0").status).toBe(0);
    expect(read("CHANGELOG.md")).toMatch(/^# Changelog\n\n## 1\.3\.0 - \d{4}-\d\d-\d\d\n\n- something\n$/);
    expect(existsSync(join(repository, "package.json"))).toBe(false);
  });

  const changelogs: [string, string, string][] = [
    [
      "in brackets with a date",
      "# L\n\n## [1.2.0] - 2020-01-01\n\nx\n",
      "# L\n\n## [1.3.0] - DAY\n\n- something\n\n## [1.2.0] - 2020-01-01\n\nx\n",
    ],
    [
      "with a v and the date in parentheses",
      "## v1.2.0 (2020-01-01)\nx\n",
      "## v1.3.0 (DAY)\n\n- something\n\n## v1.2.0 (2020-01-01)\nx\n",
    ],
    [
      "with a link, which only its own generator can make",
      "# [1.2.0](http://x/v1.1.0...v1.2.0) (2020-01-01)\n",
      "# 1.3.0 (DAY)\n\n- something\n\n# [1.2.0](http://x/v1.1.0...v1.2.0) (2020-01-01)\n",
    ],
    [
      "after an example in fenced code",
      "# L\n\n```\n## 9.9.9\n```\n\n## 1.2.0\n",
      "# L\n\n```\n## 9.9.9\n```\n\n## 1.3.0\n\n- something\n\n## 1.2.0\n",
    ],
    [
      "with the line ends of Windows",
      "# L\r\n\r\n## 1.2.0\r\n\r\nx\r\n",
      "# L\r\n\r\n## 1.3.0\r\n\r\n- something\r\n\r\n## 1.2.0\r\n\r\nx\r\n",
    ],
    [
      "without a section and without a last line end",
      "# L\n\nWords.",
      "# L\n\nWords.\n\n## 1.3.0 - DAY\n\n- something\n",
    ],
    ["without any heading", "words\n", "## 1.3.0 - DAY\n\n- something\n\nwords\n"],
    [
      "below what stays unreleased",
      "# L\n\n## Unreleased\n\n- other\n\n## 1.2.0\n",
      "# L\n\n## Unreleased\n\n- other\n\n## 1.3.0\n\n- something\n\n## 1.2.0\n",
    ],
    [
      "with what was unreleased",
      "# L\n\n## [Unreleased]\n\n- something\n\n## [1.2.0]\n\n[1.2.0]: http://x\n",
      "# L\n\n## [Unreleased]\n\n## [1.3.0]\n\n- something\n\n## [1.2.0]\n\n[1.2.0]: http://x\n",
    ],
    [
      "in place of the section that is there",
      "# L\n\n## 1.3.0\n\ndraft\n\n## 1.2.0\n",
      "# L\n\n## 1.3.0\n\n- something\n\n## 1.2.0\n",
    ],
    [
      "in place of the last section, before the links",
      "# L\n\n## [1.3.0]\n\ndraft\n\n[1.3.0]: http://x\n",
      "# L\n\n## [1.3.0]\n\n- something\n\n[1.3.0]: http://x\n",
    ],
  ];

  it.each(changelogs)("adds a section %s and keeps the rest", (_title, before, after) => {
    put({ ".gitattributes": "* -text\n" });
    commitAfterTag("feat: a", { "CHANGELOG.md": before });
    expect(apply("1.3.0").stderr).toBe("");
    expect(read("CHANGELOG.md").replace(day, (date) => (date.startsWith("2020") ? date : "DAY"))).toBe(after);
  });

  it("takes the heading of the version out of what a person wrote above the changes", () => {
    commitAfterTag("feat: a");
    apply("1.3.0", { changelog: "## 1.3.0\n\n- mine" });
    expect(read("CHANGELOG.md").match(/1\.3\.0/g)).toHaveLength(1);
  });

  it("writes into the changelog that is there, however its name is spelled", () => {
    commitAfterTag("feat: a", { "Changelog.md": "# L\n" });
    apply("1.3.0");
    expect(readdirSync(repository).filter((name) => /change/i.test(name))).toEqual(["Changelog.md"]);
  });

  it("keeps a file's mode and leaves no file behind", () => {
    commitAfterTag("feat: a", { "package.json": '\ufeff{\r\n\t"version" : "1.2.0"\r\n}' });
    chmodSync(join(repository, "package.json"), 0o755);
    commit("fix: mode");
    const before = readdirSync(join(repository, ".git"));
    apply("1.3.0");
    expect(read("package.json")).toBe('\ufeff{\r\n\t"version" : "1.3.0"\r\n}');
    expect(statSync(join(repository, "package.json")).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(repository, ".git")).filter((name) => !before.includes(name))).toEqual([]);
  });

  it("leaves a package.json that git does not keep alone", () => {
    commitAfterTag("feat: a", { ".gitignore": "package.json\n" });
    put({ "package.json": '{"version": "0.0.1"}' });
    expect(JSON.parse(apply("1.3.0").stdout).files).toEqual(["CHANGELOG.md"]);
    expect(read("package.json")).toBe('{"version": "0.0.1"}');
  });

  it("only tags when the version and its section are committed already", () => {
    const head = commitAfterTag("feat: a", { "CHANGELOG.md": "## 1.3.0\n\n- something\n" });
    expect(JSON.parse(apply("1.3.0").stdout)).toMatchObject({ commit: head, files: [] });
    expect(git("rev-parse", "v1.3.0^{commit}")).toBe(head);
    expect(JSON.parse(apply("1.3.0").stdout).summary).toContain("v1.3.0 is done already.");
  });

  it.each([
    ["one remote", ["remote add hub http://x"], "git push hub main v1.3.0"],
    [
      "a branch of another name there",
      [
        "remote add hub http://x",
        "config branch.main.remote hub",
        "config branch.main.merge refs/heads/trunk",
      ],
      "git push hub main:trunk v1.3.0",
    ],
    [
      "several remotes",
      ["remote add a http://x", "remote add origin http://y"],
      "git push origin main v1.3.0",
    ],
  ])("says the command to push with %s, and does not push", (_title, commands, push) => {
    commitAfterTag("feat: a");
    for (const command of commands) git(...command.split(" "));
    const { stdout } = apply("1.3.0");
    expect(JSON.parse(stdout)).toMatchObject({
      push,
      summary: expect.stringContaining(`To push it: ${push}`),
    });
  });

  it("sends nothing to a remote that it could reach", () => {
    commitAfterTag("feat: a");
    git("clone", "-q", "--bare", ".", join(work, "remote"));
    git("remote", "add", "origin", join(work, "remote"));
    const before = git("ls-remote", "origin");
    expect(apply("1.3.0").status).toBe(0);
    expect(git("ls-remote", "origin")).toBe(before);
  });

  it.each([
    ["a change", () => put({ "a.txt": "1" }), /^There are changes that are not committed: a\.txt\./],
    [
      "a change in a file that it writes",
      () => put({ "CHANGELOG.md": "mine" }),
      /not committed: CHANGELOG\.md\./,
    ],
    ["a staged change that is undone in the folder", () => stageAndUndo(), /not committed: package\.json\./],
    [
      "a tag of this version",
      () => void git("tag", "v1.3.0", "v1.2.0"),
      /^The tag v1\.3\.0 is there already, at the commit [0-9a-f]{10}\.$/,
    ],
    [
      "a tag of this version in the other style",
      () => void git("tag", "1.3.0", "v1.2.0"),
      /^The tag 1\.3\.0 is there/,
    ],
    ["a tag that somebody put there", () => void git("tag", "v1.3.0"), /^The tag v1\.3\.0 is there/],
    [
      "a higher version",
      () => void git("tag", "v1.4.0"),
      /^1\.3\.0 is not higher than the last version, 1\.4\.0\.$/,
    ],
    ["a changelog that is a link", () => linkChangelog(), /^CHANGELOG\.md is not an ordinary file\.$/],
    ["a changelog that git ignores", () => ignoreChangelog(), /^CHANGELOG\.md is ignored by git/],
  ])("refuses %s and changes nothing", (_title, prepare, message) => {
    commitAfterTag("feat: a", { "package.json": '{"version": "1.2.0"}' });
    prepare();
    const before = [git("for-each-ref"), git("status", "--porcelain"), git("diff", "HEAD")];
    const { status, stdout, stderr } = apply("1.3.0");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.trim()).toMatch(message);
    expect([git("for-each-ref"), git("status", "--porcelain"), git("diff", "HEAD")]).toEqual(before);
  });

  function stageAndUndo(): void {
    put({ "package.json": '{"version": "7.0.0"}' });
    git("add", "-A");
    put({ "package.json": '{"version": "1.2.0"}' });
  }

  function linkChangelog(): void {
    symlinkSync(join(work, "elsewhere.md"), join(repository, "CHANGELOG.md"));
    commit("docs: link");
  }

  function ignoreChangelog(): void {
    commit("chore: ignore", { ".gitignore": "CHANGELOG.md" });
  }

  it("refuses when the branch moved since it was inspected", () => {
    const head = commitAfterTag("feat: a");
    commit("feat: b");
    expect(apply("1.3.0", { head })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`it was at ${head.slice(0, 10)} and is at `),
    });
  });

  it("refuses without a name and an address of the person, before it writes", () => {
    commitAfterTag("feat: a");
    forgetIdentity();
    expect(apply("1.3.0")).toMatchObject({
      status: 1,
      stderr: "git does not know who you are. Set user.name and user.email with git config.\n",
    });
    expect(git("status", "--porcelain")).toBe("");
  });

  it("runs the person's hooks, and puts the files back when one refuses", () => {
    commitAfterTag("feat: a", { "package.json": '{"version": "1.2.0"}' });
    addHook("pre-commit", "echo not on a Monday >&2; exit 1");
    const { status, stderr } = apply("1.3.0");
    expect(status).toBe(1);
    expect(stderr).toBe(
      "The commit was refused; CHANGELOG.md, package.json are as they were. git says:\nnot on a Monday\n",
    );
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag")).toBe("v1.2.0");
    rmSync(join(repository, ".git/hooks/pre-commit"));
    expect(apply("1.3.0").status).toBe(0);
  });

  it("keeps and tags a commit after which a hook ended git", () => {
    commitAfterTag("feat: a");
    addHook("post-commit", "kill -9 $PPID");
    expect(apply("1.3.0")).toMatchObject({ status: 0, stderr: "" });
    expect(git("status", "--porcelain")).toBe("");
    expect(git("rev-parse", "v1.3.0^{commit}")).toBe(readHead());
  });

  it("says that the commit is made when only the tag fails, and makes the tag the next time", () => {
    const head = commitAfterTag("feat: a");
    git("config", "tag.gpgSign", "true");
    git("config", "gpg.program", "false");
    const failed = apply("1.3.0", { head });
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^The commit [0-9a-f]{10} is made, its tag v1\.3\.0 is not\./);
    git("config", "tag.gpgSign", "false");
    expect(apply("1.3.0", { head }).status).toBe(0);
    expect(git("rev-list", "--count", "HEAD")).toBe("3");
  });
});

describe("applying again", () => {
  /** What a hook does to kill the script that started its git, and git with it. */
  const kill = 'kill -9 "$(ps -o ppid= -p $PPID | tr -d " ")" $PPID';

  it("says that all is done, with the same result", () => {
    const head = commitAfterTag("feat: a");
    const first = JSON.parse(apply("1.3.0", { head }).stdout);
    const refs = git("for-each-ref");
    const second = JSON.parse(apply("1.3.0", { head }).stdout);
    expect(second).toEqual({ ...first, summary: expect.stringContaining("v1.3.0 is done already.") });
    commit("fix: later");
    expect(JSON.parse(apply("1.3.0", { head }).stdout)).toEqual(second);
    expect(git("for-each-ref", "refs/tags")).toBe(
      refs
        .split("\n")
        .filter((line) => line.includes("tags"))
        .join("\n"),
    );
  });

  it.each([
    ["before the commit", "pre-commit", 2],
    ["between the commit and the tag", "post-commit", 3],
  ])("goes on after a kill %s and makes one commit and one tag", (_title, hook, commits) => {
    const head = commitAfterTag("feat: a", { "package.json": '{"version": "1.2.0"}' });
    addHook(hook, kill);
    expect(apply("1.3.0", { head }).signal).toBe("SIGKILL");
    expect(git("rev-list", "--count", "HEAD")).toBe(String(commits));
    expect(git("tag")).toBe("v1.2.0");
    rmSync(join(repository, ".git/hooks", hook));
    expect(apply("1.3.0", { head })).toMatchObject({ status: 0, stderr: "" });
    expect(git("rev-list", "--count", "HEAD")).toBe("3");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("rev-parse", "v1.3.0^{commit}")).toBe(git("rev-parse", "HEAD"));
    expect(read("package.json")).toBe('{"version": "1.3.0"}');
  });

  it("goes on when a killed run had written only one of the files, on the day before", () => {
    const head = commitAfterTag("feat: a", { "package.json": '{"version": "1.2.0"}' });
    put({ "CHANGELOG.md": "# Changelog\n\n## 1.3.0 - 2020-01-01\n\n- something\n" });
    expect(apply("1.3.0", { head })).toMatchObject({ status: 0, stderr: "" });
    expect(read("CHANGELOG.md")).toContain("## 1.3.0 - 2020-01-01");
    expect(git("status", "--porcelain")).toBe("");
  });

  it("does not take a half-written file for its own when the plan is another one", () => {
    commitAfterTag("feat: a");
    put({ "CHANGELOG.md": "# Changelog\n\n## 1.3.0 - 2020-01-01\n\n- something\n" });
    expect(apply("1.3.0", { changelog: "- other" }).stderr).toContain("not committed: CHANGELOG.md");
  });
});
