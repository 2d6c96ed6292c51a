import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commit, commitAfterTag, git, repository, run, runJson } from "./release-repository.ts";

describe("planning", () => {
  it.each([
    ["v1.2.3", "fix: a", "1.2.4"],
    ["v1.2.3", "feat: a", "1.3.0"],
    ["v1.2.3", "feat!: a", "2.0.0"],
    ["v0.2.3", "fix: a", "0.2.4"],
    ["v0.2.3", "feat: a", "0.3.0"],
    ["v0.2.3", "feat!: a", "0.3.0"],
    ["v1.0.0-beta.9", "fix: a", "1.0.0-beta.10"],
    ["v1.0.0-beta.9", "feat!: a", "1.0.0-beta.10"],
    ["v1.0.0-beta", "fix: a", "1.0.0-beta.1"],
    ["v1.2.1-rc.2", "feat: a", "1.3.0-rc.1"],
    ["v1.2.1-2", "feat!: a", "2.0.0-1"],
    ["v1.2.3+build.5", "fix: a", "1.2.4"],
  ])("after %s and %j proposes %s", (tag, message, version) => {
    commit("one");
    git("tag", tag);
    commit(message);
    const summary = expect.stringContaining(`tags v${version}.`);
    expect(runJson("plan")).toMatchObject({ version, summary });
  });

  it.each([
    [undefined, "0.1.0"],
    ["0.0.0-development", "0.1.0"],
    ["0.4.2", "0.4.2"],
    ["1.0.0", "1.0.0"],
    ["not a version", "0.1.0"],
  ])("gives a first release with the package version %j the version %s", (own, version) => {
    commit("feat: a", own === undefined ? {} : { "package.json": JSON.stringify({ version: own }) });
    const { suggested } = runJson("inspect");
    expect(runJson("plan", "--suggested", suggested).version).toBe(version);
  });

  it("takes a version that package.json has already when it is high enough", () => {
    commitAfterTag("feat: a");
    commit("chore: b", { "package.json": '{"version": "1.4.0"}' });
    const { version, summary } = runJson("plan");
    expect(version).toBe("1.4.0");
    expect(summary).toContain("package.json says 1.4.0, the last tag is v1.2.0.");
    commit("chore: c", { "package.json": '{"version": "1.2.1"}' });
    expect(runJson("plan").version).toBe("1.3.0");
  });

  it("follows the suggestion that a person changed, also below 1.0.0 and for a first release", () => {
    commit("feat: a", { "package.json": '{"version": "0.3.0"}' });
    expect(runJson("plan", "--suggested", "major").version).toBe("1.0.0");
    git("tag", "v0.3.0");
    commit("docs: b");
    expect(runJson("plan", "--suggested", "patch").version).toBe("0.3.1");
    expect(runJson("plan", "--suggested", "major").version).toBe("1.0.0");
  });

  it("takes a version that is asked for in place of the suggestion, and an empty one for none", () => {
    commitAfterTag("fix: a");
    expect(runJson("plan", "--suggested", "none", "--version", "3.0.0").version).toBe("3.0.0");
    expect(runJson("plan", "--suggested", "minor", "--version", "").version).toBe("1.3.0");
  });

  it("refuses the suggestion none and says how to release anyway", () => {
    commitAfterTag("docs: a");
    const { status, stderr } = run("plan", "--suggested", "none");
    expect(status).toBe(1);
    expect(stderr).toContain("go back and change it to patch, minor or major");
  });

  it("follows the style of the tags so far", () => {
    commit("one");
    git("tag", "1.0.0");
    commit("fix: two");
    expect(runJson("plan")).toMatchObject({
      version: "1.0.1",
      summary: expect.stringContaining("tags 1.0.1."),
    });
  });

  it("leaves out a version that another branch has", () => {
    commitAfterTag("feat: a");
    git("checkout", "-q", "-b", "side");
    commit("side");
    git("tag", "v1.3.0");
    git("checkout", "-q", "main");
    expect(runJson("plan").version).toBe("1.4.0");
    expect(run("plan", "--version", "1.3.0").stderr).toBe("1.3.0 is tagged already.\n");
  });

  it("refuses a version that is not higher than the last one", () => {
    commitAfterTag("feat: a");
    expect(run("plan", "--version", "1.1.9").stderr).toBe(
      "1.1.9 is not higher than the last version, 1.2.0.\n",
    );
    expect(run("plan", "--version", "1.2.0-rc.1").stderr).toContain("is not higher");
  });

  it("refuses when the branch moved since it was inspected", () => {
    const head = commitAfterTag("feat: a");
    commit("feat: b");
    expect(run("plan", "--head", head)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("has moved"),
    });
  });

  it("groups the commits for people and leaves out what they do not notice", () => {
    commitAfterTag("feat(api)!: drop v1\n\nBREAKING CHANGE: use v2\n\nCloses: #1");
    for (const message of ["fix: 雨", "docs: words", "Add a door", "perf(io): faster"]) commit(message);
    const changelog = runJson("plan").changelog.replace(/\([0-9a-f]{7}\)/g, "(hash)");
    expect(changelog).toBe(
      [
        "### Breaking changes\n\n- **api:** drop v1: use v2 (hash)",
        "### Fixes\n\n- 雨 (hash)",
        "### Performance\n\n- **io:** faster (hash)",
        "### Other changes\n\n- Add a door (hash)",
      ].join("\n\n"),
    );
  });

  it("lists the quiet commits when there are no others", () => {
    commitAfterTag("docs: words");
    expect(runJson("plan", "--suggested", "patch").changelog).toMatch(/^### Other changes\n\n- words \(/);
  });

  it.each([
    ["this version", "# Log\n\n## 1.3.0\n\nBy hand.\n\n## 1.2.0\n\nOld.\n", "1.3.0"],
    [
      "Unreleased",
      "# Log\n\n## [Unreleased]\n\nBy hand.\n\n## [1.2.0]\n\nOld.\n\n[1.2.0]: http://x\n",
      "Unreleased",
    ],
  ])("proposes what people wrote under %s", (_title, text, where) => {
    commitAfterTag("feat: a", { "CHANGELOG.md": text });
    const { changelog, summary } = runJson("plan");
    expect(changelog).toBe("By hand.");
    expect(summary).toContain(`The text is what CHANGELOG.md has under ${where}.`);
  });

  it("lists for a release everything since the last release, over its pre-releases", () => {
    commitAfterTag("feat: a");
    git("tag", "v1.3.0-beta.1");
    commit("fix: b");
    const next = runJson("plan");
    expect(next.version).toBe("1.3.0-beta.2");
    expect(next.changelog).not.toContain("- a (");
    expect(next.summary).toContain("the release itself would be 1.3.0");
    expect(runJson("plan", "--version", "1.3.0").changelog).toMatch(/- a \([\s\S]*- b \(/);
  });

  it("says what applying will write, and that nothing is pushed", () => {
    commitAfterTag("feat: a", { "package.json": '{"version":"1.2.0"}', "package-lock.json": "{}" });
    // The lock file has no version to write.
    expect(runJson("plan").summary).toBe(
      [
        "Release 1.3.0: 1 commit (1 feat) since v1.2.0.",
        "Writes CHANGELOG.md, package.json, commits on main, tags v1.3.0. Nothing is pushed.",
      ].join("\n"),
    );
  });

  it("changes nothing", () => {
    commitAfterTag("feat: a", { "package.json": '{"version":"1.2.0"}' });
    const before = git("for-each-ref") + readdirSync(repository).join();
    runJson("inspect");
    runJson("plan");
    expect(git("for-each-ref") + readdirSync(repository).join()).toBe(before);
    expect(git("status", "--porcelain")).toBe("");
  });
});
