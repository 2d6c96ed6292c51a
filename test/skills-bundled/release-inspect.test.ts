import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commit,
  commitAfterTag,
  environment,
  forgetIdentity,
  git,
  moveTo,
  put,
  repository,
  run,
  runJson,
  skill,
  work,
} from "./release-repository.ts";

describe("inspecting", () => {
  it("prints the commits since the last version tag as one JSON object", () => {
    const head = commitAfterTag("fix(io): read on");
    expect(runJson("inspect")).toEqual({
      head,
      branch: "main",
      lastTag: "v1.2.0",
      currentVersion: "1.2.0",
      suggested: "patch",
      version: "",
      summary: "1 commit (1 fix) on main since v1.2.0. Suggested: patch.",
      warnings: [],
      commits: [{ hash: head.slice(0, 7), subject: "fix(io): read on", type: "fix", breaking: false }],
      omitted: 0,
    });
  });

  it.each([
    ["feat: a thing", "minor", "feat", false],
    ["feat(深い)!: 変更", "major", "feat", true],
    ["fix: a\n\nBREAKING CHANGE: b is gone", "major", "fix", true],
    ["chore: tidy\n\nBREAKING-CHANGE: node 20", "major", "chore", true],
    ["docs: words", "none", "docs", false],
    ["Feature: 新しい", "minor", "feat", false],
    ["fix：全角", "patch", "fix", false],
    ["✨ feat: sparkle", "minor", "feat", false],
    [":bug: fix: gone", "patch", "fix", false],
    ["mend the door", "patch", "other", false],
    ["Note: nothing of the kind", "patch", "other", false],
    ["supprime l’ancien: réglage", "patch", "other", false],
  ])("takes %j for %s", (message, suggested, type, breaking) => {
    commitAfterTag(message);
    expect(runJson("inspect")).toMatchObject({ suggested, commits: [{ type, breaking }] });
  });

  it.each([
    [["make", "it major, please"], { suggested: "patch", version: "" }, "Suggested: patch"],
    [["make", "a", "release"], { suggested: "patch", version: "" }, "Suggested: patch"],
    [["make it", "3.0.0"], { version: "3.0.0" }, "3.0.0"],
    [["major"], { suggested: "major", version: "" }, "Asked for: major. The commits suggest: patch."],
    [["3.0.0"], { suggested: "patch", version: "3.0.0" }, "Asked for: 3.0.0. The commits suggest: patch."],
    [["v3.0.0-rc.1"], { suggested: "patch", version: "3.0.0-rc.1" }, "Asked for: 3.0.0-rc.1."],
    [[""], { suggested: "patch", version: "" }, "Suggested: patch."],
  ])("takes the words %j for what is asked for", (words, asked, said) => {
    commitAfterTag("fix: a");
    expect(runJson("inspect", ...words)).toMatchObject({ ...asked, summary: expect.stringContaining(said) });
  });

  it("takes a breaking change for a minor one below 1.0.0", () => {
    commit("one");
    git("tag", "v0.3.1");
    commit("fix!: other");
    expect(runJson("inspect")).toMatchObject({ suggested: "minor", commits: [{ breaking: true }] });
  });

  it("counts neither a commit that was reverted nor its revert", () => {
    commitAfterTag("fix: small");
    commit("feat: large", { "a.txt": "1" });
    git("revert", "--no-edit", "HEAD");
    const { suggested, commits } = runJson("inspect");
    expect(suggested).toBe("patch");
    expect(commits.map(({ type }: { type: string }) => type)).toEqual(["undone", "undone", "fix"]);
    git("revert", "--no-edit", "HEAD");
    expect(runJson("inspect")).toMatchObject({ suggested: "minor" });
  });

  it("lists what a merge brought and not the merge", () => {
    commitAfterTag("fix: a");
    git("checkout", "-q", "-b", "side", "v1.2.0");
    commit("feat: b");
    git("checkout", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side");
    const subjects = runJson("inspect").commits.map((each: { subject: string }) => each.subject);
    expect(subjects.sort()).toEqual(["feat: b", "fix: a"]);
  });

  it("takes the highest version tag of this branch and no other tag", () => {
    commit("one");
    for (const tag of ["v1.9.0", "v1.10.0", "v1.10.0-rc.1", "nightly", "v2", "lib@3.0.0"]) git("tag", tag);
    git("checkout", "-q", "-b", "side");
    commit("side");
    git("tag", "v9.0.0");
    git("checkout", "-q", "main");
    commit("fix: two");
    expect(runJson("inspect").lastTag).toBe("v1.10.0");
  });

  it("works in a folder of the repository", () => {
    commitAfterTag("fix: a", { "deep/er/a.txt": "1" });
    const options = { cwd: join(repository, "deep/er"), env: environment };
    expect(spawnSync(process.execPath, [join(skill, "scripts/inspect.mjs")], options).status).toBe(0);
  });

  it("stays below the length at which a result is cut, and says what it left out", () => {
    commit("one");
    git("tag", "v1.0.0");
    const stream = Array.from({ length: 400 }, (_, index) => {
      const message = `fix: ${index} ${"x".repeat(300)}`;
      return `commit refs/heads/main\ncommitter A <a@b> ${1e9 + index} +0000\ndata ${message.length}\n${message}\n${index === 0 ? "from refs/heads/main^0\n" : ""}`;
    });
    execFileSync("git", ["fast-import", "--quiet"], {
      cwd: repository,
      env: environment,
      input: stream.join("\n"),
    });
    const { stdout } = run("inspect");
    const { commits, omitted, lastTag } = JSON.parse(stdout);
    // These commits are older than the tag: somebody's clock was wrong.
    expect(lastTag).toBe("v1.0.0");
    expect(stdout.length).toBeLessThan(25_000);
    expect(commits.length + omitted).toBe(400);
    expect(omitted).toBeGreaterThan(0);
    expect(commits[0].subject).toMatch(/^fix: 399 x+…$/);
    const plan = run("plan");
    expect(plan.stdout.length).toBeLessThan(25_000);
    expect(JSON.parse(plan.stdout).changelog).toMatch(/- … and \d+ more$/);
  });

  it("never prints a control or format character of a commit", () => {
    commitAfterTag("fix: a\u001b[31mb\u202ec\u00a0d");
    expect(runJson("inspect").commits[0].subject).toBe("fix: a[31mbc d");
  });

  it("warns of a missing identity before anything is planned", () => {
    commitAfterTag("fix: a");
    forgetIdentity();
    const { warnings, summary } = runJson("inspect");
    expect(warnings).toEqual([expect.stringContaining("git does not know who you are")]);
    expect(summary).toContain(warnings[0]);
  });

  it("ignores what git ignores, and the folder of threads", () => {
    commitAfterTag("fix: a", { ".gitignore": "*.log\n" });
    put({ "a.log": "x", ".skillgraph/threads.db": "x" });
    expect(run("inspect").status).toBe(0);
  });

  it.each([
    ["core.fsmonitor", "status"],
    ["gpg.program", "log"],
  ])("does not run the program that the repository names as %s", (setting, command) => {
    commitAfterTag("fix: a");
    const program = join(work, "program.sh");
    const trace = join(work, "ran");
    // It signs, too, as far as git can tell.
    const lines = [
      `touch "${trace}"`,
      "printf '\\n[GNUPG:] SIG_CREATED \\n' >&2",
      "printf -- '-----BEGIN PGP SIGNATURE-----\\n'",
    ];
    writeFileSync(program, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
    git("config", setting, program);
    git("config", "log.showSignature", "true");
    if (setting === "gpg.program") git("commit", "-q", "-S", "--allow-empty", "-m", "fix: signed");
    rmSync(trace, { force: true });
    for (const script of ["inspect", "plan"]) expect(run(script).status).toBe(0);
    expect(existsSync(trace)).toBe(false);
    // Nothing forbids it here, so git runs it.
    git(command);
    expect(existsSync(trace)).toBe(true);
  });
});

describe("refusing", () => {
  const states: [string, RegExp, () => void][] = [
    [
      "no repository",
      /^There is no git repository here\.$/,
      () => rmSync(join(repository, ".git"), { recursive: true }),
    ],
    ["no commit", /^There are no commits yet\.$/, () => undefined],
    [
      "no commit since the last tag",
      /^There are no commits since v1\.0\.0\. Nothing to release\.$/,
      () => {
        commit("one");
        git("tag", "v1.0.0");
      },
    ],
    [
      "a changed file and a new one",
      /^There are changes that are not committed: a\.txt, b \\u000a\.txt\. Commit or stash them first\.$/,
      () => {
        commitAfterTag("fix: a", { "a.txt": "1" });
        put({ "a.txt": "2", "b \n.txt": "3" });
      },
    ],
    [
      "many changes, of which it names five",
      /: 1, 2, 3, 4, 5 and 2 more\./,
      () => {
        commitAfterTag("fix: a");
        put({ 1: "", 2: "", 3: "", 4: "", 5: "", 6: "", 7: "" });
      },
    ],
    [
      "a detached HEAD",
      /^HEAD is detached\./,
      () => {
        commitAfterTag("fix: a");
        git("checkout", "-q", "--detach");
      },
    ],
    [
      "a merge in progress",
      /^A merge is in progress\. Finish or abort it first\.$/,
      () => {
        startConflict();
        expect(() => git("merge", "side")).toThrow();
      },
    ],
    [
      "a rebase in progress",
      /^A rebase is in progress\./,
      () => {
        startConflict();
        expect(() => git("rebase", "side")).toThrow();
      },
    ],
    [
      "a bare repository",
      /^This is a bare repository/,
      () => {
        commitAfterTag("fix: a");
        git("clone", "-q", "--bare", ".", join(work, "bare"));
        moveTo(join(work, "bare"));
      },
    ],
    [
      "a shallow clone without a tag",
      /^This is a shallow clone without a version tag\. Run: git fetch --unshallow --tags$/,
      () => {
        commitAfterTag("fix: a");
        git("clone", "-q", "--depth", "1", "--no-tags", `file://${repository}`, join(work, "shallow"));
        moveTo(join(work, "shallow"));
      },
    ],
    [
      "a package.json that is no JSON",
      /^package\.json is no JSON: /,
      () => void commitAfterTag("fix: a", { "package.json": "{" }),
    ],
    [
      "a changelog that is not UTF-8",
      /^CHANGELOG\.md is not in UTF-8\.$/,
      () => {
        writeFileSync(join(repository, "CHANGELOG.md"), Buffer.from([0x23, 0x20, 0xff]));
        commitAfterTag("fix: a");
      },
    ],
  ];

  function startConflict(): void {
    commitAfterTag("fix: a", { "a.txt": "1" });
    git("checkout", "-q", "-b", "side");
    commit("fix: b", { "a.txt": "2" });
    git("checkout", "-q", "main");
    commit("fix: c", { "a.txt": "3" });
  }

  it.each(states)("refuses %s in one line", (_title, message, prepare) => {
    prepare();
    const { status, stdout, stderr } = run("inspect");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.trim()).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([
    ["1.1.9", "1.1.9 is not higher than the last version, 1.2.0.\n"],
    ["2.0.0", "2.0.0 is tagged already.\n"],
  ])("refuses the version %s, which cannot be released", (version, stderr) => {
    commitAfterTag("fix: a");
    git("tag", "v2.0.0", git("commit-tree", "-m", "other", "HEAD^{tree}"));
    expect(run("inspect", version)).toMatchObject({ status: 1, stdout: "", stderr });
  });

  it("only warns of a shallow clone that has its last version tag", () => {
    commit("zero");
    commitAfterTag("fix: a");
    git("clone", "-q", "--depth", "2", `file://${repository}`, join(work, "shallow"));
    moveTo(join(work, "shallow"));
    expect(runJson("inspect").warnings).toEqual([expect.stringContaining("shallow clone")]);
  });

  it.each([
    [
      "inspect",
      ["--force"],
      /^A release is major, minor, patch or a version such as 1\.2\.0, not "--force"\./,
    ],
    ["inspect", ["none"], /, not "none"\./],
    ["inspect", ["major", "3.0.0"], /^A release is [^\n]*, not "major 3.0.0"\. [^\n]*$/],
    [
      "plan",
      ["--suggested", "{inspect.suggested}"],
      /^--suggested takes one of none, patch, minor, major, not "\{inspect/,
    ],
    ["plan", ["--version", "1.2"], /^--version takes a version such as 1\.2\.0, not "1\.2"\.$/],
    ["plan", ["--head", "HEAD"], /^--head takes the full hash of a commit, not "HEAD"\.$/],
    ["plan", ["--head"], /--head has no value\.$/],
    ["apply", ["--version", "1.3.0"], /^--changelog is missing\.$/],
    [
      "apply",
      ["--version", "v1", "--changelog", "x", "--head", "0".repeat(40)],
      /^--version takes a version/,
    ],
    ["apply", ["--version=1.0.0", "--version", "2.0.0"], /--version is given twice\.$/],
  ])("%s refuses the words %j as wrong usage", (script, words, message) => {
    commitAfterTag("fix: a");
    const { status, stdout, stderr } = run(script, ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.trim()).toMatch(message);
  });
});
