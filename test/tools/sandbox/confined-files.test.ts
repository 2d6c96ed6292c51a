import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reduceEnvironment } from "../../../src/tools/process/environment.ts";
import { createConfined, whyNot } from "./confine.ts";

const suite = describe.skipIf(whyNot !== "");

suite(`what a confined command writes${whyNot && ` (${whyNot})`}`, () => {
  it.each(["/tmp", "/var/tmp", "/dev/shm"])("the workspace is written at its own path below %s", (parent) => {
    const { workspace, run } = createConfined({}, parent);
    const result = run("echo hello > made && mkdir d && pwd");
    expect(result).toMatchObject({ code: 0, stdout: `${workspace}\n`, stderr: "" });
    expect(readFileSync(join(workspace, "made"), "utf8")).toBe("hello\n");
  });

  it("the workspace is written when it lies in the home folder, and the rest of that is not there", () => {
    const { root, run } = createConfined({ "work/a": "", notes: "private" });
    const result = run(`echo x > made; ls ${root}; cat ~/notes; echo y > ~/new`, {
      place: { environment: { PATH: process.env.PATH ?? "", HOME: root } },
    });
    expect(result.stdout).toBe("work\n");
    expect(result.stderr).toMatch(/notes: No such file/);
    expect(result.stderr).toMatch(/new: Read-only file system/);
    expect(readdirSync(root).sort()).toEqual(["home", "notes", "work"]);
  });

  it("nothing beside the workspace is written, and each try fails loudly", () => {
    const { root, run } = createConfined({ "beside/file": "old" });
    for (const path of [
      "../new",
      "../beside/file",
      "~/new",
      "/new",
      "/usr/new",
      "/etc/new",
      "/dev/new",
      "/opt/x",
      "/root/x",
    ]) {
      const { code, stderr } = run(`echo x > ${path}`);
      expect([path, code]).toEqual([path, 1]);
      expect(stderr, path).toMatch(/Read-only file system|No such file|Permission denied/);
    }
    expect(readFileSync(join(root, "beside/file"), "utf8")).toBe("old");
  });

  it("temporary files last, in the state folder, and git does not see them", () => {
    const { home, state, run } = createConfined();
    const environment = { ...reduceEnvironment({ ...process.env, HOME: home, TMPDIR: "/var/elsewhere" }) };
    expect(environment.TMPDIR).toBe("/var/elsewhere");
    const script = "echo kept > /tmp/file; echo ${TMPDIR:-unset}; mktemp > /dev/null";
    expect(run(script, { place: { environment } })).toMatchObject({ code: 0, stdout: "unset\n" });
    expect(run("cat /tmp/file /var/tmp/file").stdout).toBe("kept\nkept\n");
    expect(readFileSync(join(state, "sandbox/tmp/file"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(state, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("caches that programs need are written, and last", () => {
    const { home, run } = createConfined();
    expect(run("echo a > ~/.cache/x && echo b > ~/.npm/x").code).toBe(0);
    expect(run("cat ~/.cache/x ~/.npm/x").stdout).toBe("a\nb\n");
    expect(readdirSync(home)).toEqual([]);
  });

  it("a folder that the settings name is written", () => {
    const { root, run } = createConfined({ "more/a": "" });
    const more = join(root, "more");
    expect(run(`echo x > ${more}/b`).code).toBe(1);
    expect(run(`echo x > ${more}/b`, { options: { writable: [more] } }).code).toBe(0);
    expect(existsSync(join(more, "b"))).toBe(true);
  });

  it("the state folder of the workspace is read and not written", () => {
    const { run } = createConfined({ "work/.skillgraph/threads.db": "db" });
    const { stdout, stderr } = run(
      "cat .skillgraph/threads.db; echo x > .skillgraph/threads.db; mv .skillgraph s",
    );
    expect(stdout).toBe("db");
    expect(stderr).toMatch(/threads\.db: Read-only file system/);
    expect(stderr).toMatch(/mv: .*busy/);
  });

  it("a link in the place of a state folder stops the command instead of leading it elsewhere", () => {
    const { root, state, run } = createConfined({ "beside/key": "secret" });
    mkdirSync(state);
    symlinkSync(join(root, "beside"), join(state, "sandbox"));
    expect(() => run("cat /tmp/key")).toThrow(/sandbox is no folder, and the sandbox needs it/);
  });
});

suite(`what a confined command reads${whyNot && ` (${whyNot})`}`, () => {
  it("the home folder holds git's settings and nothing of the person's", () => {
    const { run } = createConfined({
      "home/.gitconfig": "[user]\n\tname = Ann\n[include]\n\tpath = ~/.git-work\n\tpath = ../beside/x\n",
      "home/.git-work": "[user]\n\temail = ann@example.com\n",
      "home/.config/git/ignore": "*.log\n",
      "home/.config/git/credentials": "token",
      "home/.ssh/id_rsa": "key",
      "home/.aws/credentials": "key",
      "home/.netrc": "key",
      "home/notes": "private",
      "beside/x": "[user]\n\tname = Eve\n",
    });
    expect(run("git config user.name; git config user.email; cat ~/.config/git/ignore").stdout).toBe(
      "Ann\nann@example.com\n*.log\n",
    );
    for (const path of [".ssh/id_rsa", ".aws/credentials", ".netrc", "notes", ".config/git/credentials"]) {
      expect(run(`cat ~/${path}`), path).toMatchObject({ code: 1, stdout: "" });
    }
  });

  it("files of the system that hold secrets are not there", () => {
    const { run } = createConfined();
    for (const path of [
      "/etc/shadow",
      "/etc/sudoers",
      "/etc/ssl/private",
      "/proc/kcore",
      "/proc/keys",
      "/run",
      "/sys",
    ]) {
      expect(run(`ls ${path}/ > /dev/null 2>&1 || cat ${path}`), path).toMatchObject({ stdout: "" });
      expect(run(`cat ${path}`).code, path).toBe(1);
    }
  });

  it("programs of the PATH are found, with what their links lead to, and tokens beside them are not read", () => {
    const { root, run } = createConfined({
      "tools/bin/plain": '#!/bin/sh\ncat "$(dirname "$0")/../lib/text"\n',
      "tools/lib/text": "from lib\n",
      "tools/credentials.toml": "token",
      "packages/linked/bin/linked": '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../text"\n',
      "packages/linked/text": "from link\n",
    });
    symlinkSync("../../packages/linked/bin/linked", join(root, "tools/bin/linked"));
    const environment = { PATH: `${root}/tools/bin:${process.env.PATH}`, HOME: join(root, "home") };
    for (const file of ["tools/bin/plain", "packages/linked/bin/linked"]) chmodSync(join(root, file), 0o755);
    const result = run("plain; linked", { place: { environment } });
    expect(result.stderr).toBe("");
    expect(result.stdout).toBe("from lib\nfrom link\n");
    expect(run(`cat ${root}/tools/credentials.toml`, { place: { environment } })).toMatchObject({
      stdout: "",
      code: 1,
    });
  });

  it("ordinary programs run", () => {
    const { run } = createConfined();
    const programs = ["git", "node", "npm", "bash", "sh", "ls", "grep", "sed", "awk", "tar", "find"];
    expect(run(`which ${programs.join(" ")} | wc -l`).stdout.trim()).toBe(String(programs.length));
    expect(
      run("git --version && node -e 'console.log(1)' && npm --version && id -u && nproc && date").code,
    ).toBe(0);
  });

  it("a commit has the person's name", () => {
    const { run } = createConfined({ "home/.gitconfig": "[user]\n\tname = Ann\n\temail = a@example.com\n" });
    const script =
      "git init -q && echo x > f && git add f && git commit -qm first && git log --format='%an %s'";
    expect(run(script)).toMatchObject({ code: 0, stdout: "Ann first\n", stderr: "" });
    expect(run("git status --short; echo y > f; git commit -qam second; git log --format=%s")).toMatchObject({
      stdout: "second\nfirst\n",
    });
  });
});
