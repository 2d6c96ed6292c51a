import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decideBash, decidePath, grant, rules } from "../support.ts";

const everything = [grant("Bash", "Write", "Edit")];
const deny = rules("Read(private/**)", "Write(locked/**)");

describe("H5d: path rules for what a command names", () => {
  it.each([
    [
      "cat private/x",
      "cat private",
      "cat ./private",
      "cat sub/../private",
      "grep -r . private",
      "ls private",
    ],
    ["cd private && cat x", "pushd private; cat x", "cat pri{vate,x}/y", "cp private/x y", "cp -r private y"],
    [
      "dd if=private/x",
      "grep --file=private/x y",
      "grep -fprivate/x y",
      "curl -d @private/x u",
      "git show HEAD:private/x",
    ],
    [
      "cat < private/x",
      "git add private/x",
      "node x.mjs private/x",
      "echo private/x | xargs cat",
      "sh -c 'cat private/x'",
    ],
    [
      "tee locked/x",
      "cp a locked/x",
      "cp a locked",
      "cp -t locked a",
      "cp -rt locked a",
      "mv a locked",
      "mv locked/x a",
    ],
    [
      "rm locked/x",
      "rm -rf locked",
      "rm -rf .",
      "mv locked x",
      "touch locked/x",
      "dd of=locked/x",
      "sed -i s/a/b/ locked/x",
    ],
    [
      "echo x > locked/x",
      "echo x >> locked/x",
      "cd locked && touch x",
      "truncate -s0 locked/x",
      "sort -o locked/x a",
    ],
    [
      "timeout 5 tee locked/x",
      "find locked -delete",
      "git checkout x -- locked/x",
      "rsync -a a/ locked",
      "ln -s a locked/b",
    ],
  ])("deny %j, …", (...commands) => {
    for (const command of commands) {
      for (const mode of ["ask", "allow"] as const) {
        expect(decideBash(command, everything, { deny, mode }).verdict, command).toBe("deny");
      }
    }
  });

  it.each([
    [
      "cat public",
      "echo private",
      "git commit -m private",
      "npm run private",
      "git checkout private",
      "grep private src",
    ],
    [
      "cat locked/x",
      "cp locked/x a",
      "cat < locked/x",
      "grep x locked/y",
      "git log -- locked/x",
      "node x.mjs locked/x",
    ],
    ["touch unlocked/x", "cat privates", "cat a/private.md", "cp a b", "rm -rf dist", "sed s/private/x/ f"],
  ])("leave %j, … alone", (...commands) => {
    for (const command of commands) {
      const decision = decideBash(command, everything, { deny, mode: "allow" });
      expect(decision.verdict, `${command}: ${decision.reason}`).toBe("allow");
    }
  });

  it("ask, when they are ask rules", () => {
    const ask = deny;
    for (const command of ["cat private/x", "tee locked/x", "rm -rf locked", "grep x private"])
      expect(decideBash(command, everything, { ask }).verdict, command).toBe("ask");
    expect(decideBash("cat locked/x", everything, { ask }).verdict).toBe("allow");
  });

  it("H5e: hold for a link and for what it leads to", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
    try {
      const workspace = join(root, "ws");
      mkdirSync(join(workspace, "vault"), { recursive: true });
      mkdirSync(join(root, "house", "proj"), { recursive: true });
      writeFileSync(join(workspace, "vault", "x"), "");
      symlinkSync("vault", join(workspace, "secrets"));
      symlinkSync("house", join(root, "home"));
      const changes = {
        workspace,
        home: join(root, "home"),
        deny: rules("Read(secrets/**)", "Read(~/proj/**)"),
      };
      for (const command of [
        "cat secrets/x",
        "cat vault/x",
        "cd secrets && cat x",
        "cd sec* && cat x",
        "cat s*/x",
        "cat < secrets/x",
        "cat ~/proj/x",
      ])
        expect(decideBash(command, everything, changes, workspace).verdict, command).toBe("deny");
      for (const path of [join(workspace, "vault", "x"), join(root, "house", "proj", "x")])
        expect(decidePath("Read", "read", path, everything, changes).verdict, path).toBe("deny");
      expect(decideBash("cat other/x", everything, changes, workspace).verdict).toBe("allow");
      const allowed = [grant("Read(~/proj/**)")];
      expect(
        decidePath("Read", "read", join(root, "house", "proj", "x"), allowed, { ...changes, deny: [] })
          .verdict,
      ).toBe("ask");
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("H4d: a search of a folder with a denied or secret file in it asks", () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
    try {
      mkdirSync(join(workspace, "src", "private"), { recursive: true });
      mkdirSync(join(workspace, "docs"));
      mkdirSync(join(workspace, "node_modules", "x"), { recursive: true });
      for (const name of [".env", "docs/a", "src/private/x", "node_modules/x/test.key"])
        writeFileSync(join(workspace, name), "");
      const grants = [
        grant(...["grep", "rg", "git grep", "tar", "diff", "cp", "cat"].map((name) => `Bash(${name}:*)`)),
      ];
      const decide = (command: string, changes: Parameters<typeof decideBash>[2] = {}) =>
        decideBash(command, grants, { workspace, ...changes }, workspace).verdict;
      for (const command of [
        ...[
          "grep -r . .",
          "grep -rn x",
          "grep --recursive x .",
          "grep -d recurse x .",
          "rg --hidden x",
          "rg -uu x .",
        ],
        ...[
          "git grep --no-index x",
          "git grep --untracked x",
          "tar czf a.tgz .",
          "diff -r . docs",
          "cp -r . /tmp/x",
        ],
      ])
        expect(decide(command), command).toBe("ask");
      for (const command of [
        "grep -r x docs",
        "grep x docs/a",
        "rg x",
        "git grep x",
        "tar czf a.tgz docs",
        "cp docs/a b",
        "grep -r x docs/a",
      ])
        expect(decide(command), command).toBe("allow");
      expect(decideBash("grep -r x .", [grant("Bash(grep -r x .)")], { workspace }, workspace).verdict).toBe(
        "allow",
      );
      expect(decide("grep -r x .", { mode: "allow" })).toBe("allow");
      const private_ = rules("Read(src/private/**)");
      expect(decide("grep -r x src", { deny: private_, mode: "allow" })).toBe("ask");
      expect(decide("grep -r x docs", { deny: private_, mode: "allow" })).toBe("allow");
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });
});
