import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decideBash, grant, rules } from "../support.ts";
import { createFolder, createRepository, decideIn, run, toDigest, writeIn } from "./scratch.ts";

const workspace = createRepository(createFolder());
writeIn(workspace, "sub/x.txt", "one\n");
writeIn(workspace, "a/b/c/d/e/server.key", "k");
writeIn(workspace, "private/deep/er/and/deeper/x", "p");
const outside = createFolder({ "x.txt": "far\n" });
symlinkSync(outside, join(workspace, "out"));
symlinkSync(join(outside, "x.txt"), join(workspace, "far.txt"));

describe("commands that only read need no rule", () => {
  it.each([
    "ls",
    "ls -la sub",
    "cat a.txt | head -5",
    "cat < a.txt",
    "cd sub && cat x.txt",
    "cd sub; git status",
    "grep -rn one sub 2>/dev/null | wc -l",
    "grep -c one -",
    "find . -name '*.ts' -not -path './sub/*' | sort | uniq -c | sort -nr | head -n 20",
    "find sub \\( -name a -o -name b \\) -print0",
    "sed -n '1,20p' a.txt",
    "test -f a.txt && echo yes || echo no",
    "[ -d sub ] && ls sub",
    "printf '%s %5.2f %%\\n' a 1",
    "jq -r '.a | keys[]' sub/x.txt",
    "jq --arg a import '.import == $a' a.txt",
    "git log --oneline -5 && git diff HEAD~1 -- sub",
    "git show HEAD:a.txt",
    "git --no-pager log -3",
    "git remote get-url origin",
    "git branch --list 'f*'",
    "git config --local --list",
    "node --version; npm -v; python3 --version; git --version",
    "grep one /dev/null a.txt",
    "true; false; pwd; whoami; date +%F",
  ])("%s", (command) => {
    const decision = decideIn(workspace, command);
    expect(decision.reason).toMatch(/ only reads?$/);
    expect(decision).toMatchObject({ verdict: "allow" });
    expect(decision.rule).toBeUndefined();
    const before = toDigest(workspace);
    run(workspace, command);
    expect(toDigest(workspace)).toBe(before);
  });

  it("says which", () => {
    expect(decideIn(workspace, "ls").reason).toBe('"ls" only reads');
    expect(decideIn(workspace, "ls | wc -l && git log").reason).toBe('"ls", "wc" and "git log" only read');
  });

  it("beside commands that rules allow", () => {
    const decision = decideBash("npm test | tail -5", [grant("Bash(npm test:*)")], { workspace }, workspace);
    expect(decision).toMatchObject({ verdict: "allow", rule: "Bash(npm test:*)" });
    expect(
      decideBash("npm run x | tail -5", [grant("Bash(npm test:*)")], { workspace }, workspace).verdict,
    ).toBe("ask");
  });
});

describe("what may do more, or reads more, asks", () => {
  it.each([
    ["by its place", "/bin/ls"],
    ["by its place", "./ls"],
    ["by its place", "sub/cat a.txt"],
    ["behind a wrapper", "timeout 5 ls"],
    ["behind a wrapper", "nice cat a.txt"],
    ["behind a wrapper", "xargs cat"],
    ["behind a wrapper", "env ls"],
    ["behind a wrapper", "command ls"],
    ["behind a wrapper", "builtin pwd"],
    ["with a variable", "LS_COLORS=x ls"],
    ["with a variable", "GIT_DIR=x git log"],
    ["with a computed word", "cat $X"],
    ["with a computed word", "ls *"],
    ["in the background", "ls &"],
    ["writing", "ls > list.txt"],
    ["writing", "uniq a.txt b.txt"],
    ["writing", "xxd a.txt b.txt"],
    ["writing", "git branch new"],
    ["writing", "git branch -v new"],
    ["writing", "git branch -- new"],
    ["writing", "git tag new"],
    ["writing", "git tag -n new"],
    ["writing", "git stash"],
    ["writing", "git stash -- list"],
    ["writing", "git stash -p list"],
    ["writing", "git reflog expire"],
    ["writing", "git reflog -- expire"],
    ["writing", "git remote -v update"],
    ["writing", "git remote show origin"],
    ["writing", "git worktree add x"],
    ["writing", "git config user.name x"],
    ["writing", "git config --get user.name x"],
    ["writing", "sed -n 'w x' a.txt"],
    ["writing", "sed -n '1e touch x' a.txt"],
    ["writing", "date 01010101"],
    ["writing", "date +%F 01010101"],
    ["running", "printf '%n' 'a[$(touch P)]'"],
    ["running", "printf -v x y"],
    ["running", "test -v 'a[$(touch P)]'"],
    ["running", "[ -R x ]"],
    ["running", "test 'a[$(touch P)]' -eq 1"],
    ["running", "git -c core.pager=x log"],
    ["running", "git --exec-path=. status"],
    ["running", "git -p log"],
    ["running", "git --help log"],
    ["running", "git unknown"],
    ["with a flag in the place of a value", "head -n --help a.txt"],
    ["with a flag in the place of a value", "grep -m -r one a.txt"],
    ["with a flag in the place of a value", "rg --max-count --pre=x one"],
    ["with a flag in the place of a value", "git log --author --exec=x"],
    ["without a value that must be attached", "git diff --unified 5"],
    ["without a value that must be attached", "git branch --sort ../x"],
    ["elsewhere", "cd -"],
    ["elsewhere", "git grep -e one ../x"],
    ["elsewhere", "git -C sub log"],
    ["elsewhere", "git --git-dir=sub log"],
    ["elsewhere", "cat /etc/hostname"],
    ["elsewhere", "cat ../x"],
    ["elsewhere", "cat sub/../../x"],
    ["elsewhere", "ls /"],
    ["elsewhere", "ls .."],
    ["elsewhere", "cat far.txt"],
    ["elsewhere", "ls out"],
    ["elsewhere", "cat out/x.txt"],
    ["elsewhere", "cat out/../../x"],
    ["elsewhere", "grep -f /etc/hostname x a.txt"],
    ["elsewhere", "grep x a.txt /etc/hostname"],
    ["elsewhere", "grep -e x /etc/hostname"],
    ["elsewhere", "rg --files /etc"],
    ["elsewhere", "find / -name x"],
    ["elsewhere", "find sub -newer /etc/hostname"],
    ["elsewhere", "du -s /"],
    ["elsewhere", "diff a.txt /etc/hostname"],
    ["elsewhere", "diff sub out"],
    ["elsewhere", "diff sub a.txt"],
    ["elsewhere", "jq . /etc/hostname"],
    ["elsewhere", `jq -n 'import "x" as $x {search: "/"}; $x'`],
    ["elsewhere", `jq -n '"x" | modulemeta'`],
    ["elsewhere", "strings @a.txt"],
    ["elsewhere", "git diff /etc/hostname a.txt"],
    ["elsewhere", "git log -- ../x"],
    ["elsewhere", "git config --list"],
    ["elsewhere", "git config --get credential.helper"],
    ["elsewhere", "cd / && ls"],
    ["elsewhere", "cd out && ls"],
    ["elsewhere", "cd && ls"],
    ["elsewhere", "cd - && ls"],
    ["a secret", "cat a/b/c/d/e/server.key"],
    ["a secret", "cat .env"],
    ["a secret", "git show HEAD:.env"],
    ["a secret", "grep -r one ."],
    ["a secret", "grep -rn one"],
    ["a secret", "rg one"],
    ["waiting", "tail -f a.txt"],
    ["over the network", "git fetch"],
    ["over the network", "git ls-remote"],
    ["not on the list", "awk 1 a.txt"],
    ["not on the list", "tee x"],
    ["not on the list", "yarn --version"],
    ["not on the list", "cargo --version"],
    ["not on the list", "node --version x"],
  ])("%s: %s", (_label, command) => {
    expect(decideIn(workspace, command).verdict).toBe("ask");
  });

  it.each([
    ["sort -o x a.txt", '"sort -o" may do more'],
    ["wc --files0-from=x", '"--files0-from=x" is not known to only read'],
    ["cat ../x", '"../x" leads outside the workspace and active skills'],
    ["git log --output=x", "--output=x"],
    ["grep -r one .", "server.key"],
  ])("%s says why", (command, reason) => {
    expect(decideIn(workspace, command).reason).toContain(reason);
    expect(decideIn(workspace, command).reason).not.toContain("\n");
  });

  it("also from a folder outside", () => {
    expect(decideIn(workspace, "ls", {}, outside).verdict).toBe("ask");
    expect(decideIn(workspace, "ls", { readableFolders: [outside] }, outside).verdict).toBe("allow");
    expect(decideIn(workspace, `cat ${outside}/x.txt`, { readableFolders: [outside] }).verdict).toBe("allow");
  });
});

describe("what a person says comes first", () => {
  it("deny and ask rules, and the limit of restrict", () => {
    expect(decideIn(workspace, "cat a.txt", { deny: rules("Bash(cat:*)") }).verdict).toBe("deny");
    expect(decideIn(workspace, "cat a.txt", { ask: rules("Bash(cat:*)") }).verdict).toBe("ask");
    expect(decideIn(workspace, "cat a.txt", { deny: rules("Read(a.txt)") }).verdict).toBe("deny");
    expect(decideIn(workspace, "ls", { deny: rules("Bash") }).verdict).toBe("deny");
    expect(decideIn(workspace, "cat a.txt", { mode: "deny" }).verdict).toBe("allow");
    const limited = decideBash("ls", [grant("Read")], { workspace, restrict: true }, workspace);
    expect(limited.verdict).toBe("deny");
  });

  it.each([
    "grep -rn x private",
    "rg x private",
    "find private",
    "ls -R private",
    "du private",
    "git grep x",
  ])("%s does not come to what a rule keeps from being read, however deep", (command) => {
    const folder = createRepository(createFolder({ "private/deep/er/and/deeper/x": "p" }));
    expect(decideIn(folder, command).verdict).toBe("allow");
    for (const rule of ["Read(private/deep/er/and/deeper/**)", "Grep(**/deeper/x)", "Read"])
      expect(decideIn(folder, command, { deny: rules(rule) }).verdict, rule).not.toBe("allow");
  });

  it.each(["cat private/x", "git blame private/x", "git log -- private/x"])(
    "%s asks where a rule keeps the file from being searched or listed",
    (command) => {
      expect(decideIn(workspace, command).verdict).toBe("allow");
      for (const tool of ["Grep", "Glob"])
        expect(decideIn(workspace, command, { deny: rules(`${tool}(private/**)`) }).verdict, tool).toBe(
          "ask",
        );
    },
  );

  it("a rule against all reading holds for commands that read", () => {
    expect(decideIn(workspace, "cat a.txt", { deny: rules("Read") }).verdict).toBe("ask");
    expect(decideIn(workspace, "echo a", { deny: rules("Read") }).verdict).toBe("allow");
  });
});

describe("a line in which another command changes what is read", () => {
  const decide = (command: string, ...allowed: string[]): string =>
    decideBash(command, [grant(...allowed)], { workspace }, workspace).verdict;

  it("asks where a rule allows what makes links, moves or unpacks", () => {
    expect(decide("ln -s / x; ls x/etc", "Bash(ln:*)")).toBe("ask");
    expect(decide("tar xf a.tar && cat x/hostname", "Bash(tar:*)")).toBe("ask");
    expect(decide("mv sub y && git status", "Bash(mv:*)")).toBe("ask");
    expect(decide("frob; ls new", "Bash(frob)")).toBe("ask");
    expect(decide("ln -s a b; echo done", "Bash(ln:*)")).toBe("allow");
    expect(decide("frob | tail -5", "Bash(frob)")).toBe("allow");
    expect(decide("mkdir -p y && ls y", "Bash(mkdir:*)")).toBe("allow");
    expect(decide("npm test && cat a.txt", "Bash(npm test:*)")).toBe("allow");
  });

  it("asks where a rule allows what changes the meaning of names", () => {
    for (const change of ["export PATH=.", "alias ls=x", "hash -p x ls", "enable -f x ls"])
      expect(decide(`${change}; ls`, `Bash(${change})`), change).toBe("ask");
  });
});

describe("a search looks everywhere", () => {
  it("and asks where there is more than it can look through", () => {
    const folder = createFolder();
    for (let index = 0; index < 21; index += 1) mkdirSync(join(folder, `d${index}`));
    for (let index = 0; index < 20_001; index += 1) writeIn(folder, `d${index % 20}/f${index}`, "");
    expect(decideIn(folder, "grep -rn x .").reason).toContain("too much to look through");
    expect(decideIn(folder, "grep -rn x d20").verdict).toBe("allow");
  });

  it("and sees a secret that has just come, also in a folder that it knows", async () => {
    const folder = createFolder({ "a/b/x": "" });
    expect(decideIn(folder, "grep -rn x .").verdict).toBe("allow");
    await new Promise((resolve) => setTimeout(resolve, 2600));
    expect(decideIn(folder, "grep -rn x .").verdict).toBe("allow");
    expect(decideIn(folder, "grep -rn x .").verdict).toBe("allow");
    writeIn(folder, "a/b/.env", "");
    expect(decideIn(folder, "grep -rn x .").verdict).toBe("ask");
    expect(decideIn(folder, "rg x").verdict).toBe("allow");
    expect(decideIn(folder, "rg -u x").verdict).toBe("ask");
  });
});
