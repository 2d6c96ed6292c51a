import { describe, expect, it } from "vitest";
import { decideBash, grant, rules } from "../support.ts";

describe("what only a person gives", () => {
  it.each([
    "skillgraph trust",
    "npx skillgraph trust .",
    "npx -y skillgraph@1 trust",
    "./node_modules/.bin/skillgraph resume --approve",
    "node /opt/skillgraph/dist/cli.js chat",
    "timeout 9 skillgraph resume x --approve",
    'sh -c "skillgraph trust"',
    "node /srv/tools/dist/cli.js trust",
    "cd dist && node ./cli.js trust /ws",
    "bunx skillgraph@latest trust",
    "npm exec -- skillgraph trust",
    "npx ./skillgraph-0.1.0.tgz trust",
    "env -u SKILLGRAPH_RUN skillgraph trust",
    "unset SKILLGRAPH_RUN; skillgraph trust",
    "skillgraph run x --trust",
    "$(command -v skillgraph) trust",
    "S=skillgraph; $S trust",
    "skillgraph $W",
    "skillgrap[h] trust",
    "echo trust | xargs skillgraph",
    "find . -maxdepth 0 -exec skillgraph trust ;",
    "echo skillgraph trust | sh",
    `node -e 'require("child_process").execSync("npx skillgraph trust")'`,
    `python3 -c 'import subprocess; subprocess.run(["skillgraph", "trust"])'`,
    "skillgraph trust 'unclosed",
  ])("%s asks, whatever is allowed", (command) => {
    expect(decideBash(command, [grant("Bash")]).verdict).toBe("ask");
    expect(decideBash(command, [], { mode: "allow" }).verdict).toBe("ask");
  });

  it("looking asks no more than any command", () => {
    expect(decideBash("skillgraph list", [grant("Bash(skillgraph list)")]).verdict).toBe("allow");
    expect(decideBash("npx skillgraph threads", [], { mode: "allow" }).verdict).toBe("allow");
  });

  it.each([
    "grep -rn skillgraph trust",
    "git commit -m 'skillgraph trust says more'",
    "node cli.js build",
    "ls dist/cli.js && git log trust",
    "cat skillgraph.json",
    "git $W",
    "for f in *; do skillgraph lint $f; done",
    "node -e 'console.log(1)'",
  ])("%s gives nothing away", (command) => {
    expect(decideBash(command, [], { mode: "allow" }).verdict).toBe("allow");
  });
});

describe("allow rules", () => {
  it("C5: a redirection is allowed where a Write rule covers its file", () => {
    const grants = [grant("Bash(echo:*)", "Write(out/**)")];
    expect(decideBash("echo x > out/a", grants).verdict).toBe("allow");
    expect(decideBash("echo x > src/a", grants).verdict).toBe("ask");
    expect(decideBash("echo x > out/../src/a", grants).verdict).toBe("ask");
    expect(decideBash("echo x > a", grants, {}, "/ws/out").verdict).toBe("allow");
    expect(decideBash("cd .. && echo x > a", [grant("Bash", "Write")]).verdict).toBe("ask");
    expect(decideBash("cd sub && echo x > a", [grant("Bash", "Write")]).verdict).toBe("allow");
    expect(decideBash("cd sub && cat < ../../a", [grant("Bash")]).verdict).toBe("ask");
    expect(decideBash("echo x > /etc/a", [grant("Bash", "Write")]).verdict).toBe("ask");
    expect(decideBash("echo x > out/a", grants, { deny: rules("Write(out/a)") }).verdict).toBe("deny");
  });

  it("an exact rule and a bare rule allow hazardous forms, and no rule allows unreadable ones", () => {
    expect(decideBash("find . -delete", [grant("Bash(find . -delete)")]).verdict).toBe("allow");
    expect(decideBash("find . -delete", [grant("Bash")]).verdict).toBe("allow");
    expect(decideBash("find . -delete", [grant("Bash(*)")]).verdict).toBe("allow");
    expect(decideBash("ls $X", [grant("Bash")]).verdict).toBe("ask");
    expect(decideBash("ls $X", [grant("Bash")], { mode: "allow" }).verdict).toBe("allow");
  });

  it("H6b: a rule for a program that runs what a folder's files say holds in the workspace's own folder", () => {
    const grants = [
      grant("Bash(npm test:*)", "Bash(make)", "Bash(cd:*)", "Bash(cat:*)", "Bash(timeout 9 npm test:*)"),
    ];
    for (const command of ["npm test", "make", "timeout 9 npm test", "cd . && npm test"])
      expect(decideBash(command, grants).verdict, command).toBe("allow");
    for (const command of ["npm test", "make", "timeout 9 npm test"])
      expect(decideBash(command, grants, {}, "/ws/notes").verdict, command).toBe("ask");
    expect(decideBash("cd notes && npm test", grants).verdict).toBe("ask");
    expect(decideBash("npm test --prefix notes", grants).verdict).toBe("ask");
    expect(decideBash("npm test -- --prefix notes", grants).verdict).toBe("allow");
    expect(decideBash("cat a", grants, {}, "/ws/notes").verdict).toBe("allow");
    expect(decideBash("npm test", [grant("Bash")], {}, "/ws/notes").verdict).toBe("allow");
  });

  it("a prefix rule that names its wrapper and the command in it allows that", () => {
    expect(decideBash("timeout 60 npm test -- -v", [grant("Bash(timeout 60 npm test:*)")]).verdict).toBe(
      "allow",
    );
    expect(decideBash("git -C sub status -s", [grant("Bash(git -C sub status:*)")]).verdict).toBe("allow");
    expect(decideBash("git -C sub log --output=P", [grant("Bash(git -C sub log:*)")]).verdict).toBe("ask");
    expect(decideBash("timeout 60 touch P", [grant("Bash(timeout 60:*)")]).verdict).toBe("ask");
    expect(decideBash("xargs git log", [grant("Bash(xargs git log:*)")]).verdict).toBe("ask");
  });
});

describe("C7: deny rules", () => {
  const deny = rules("Bash(git push:*)", "Bash(rm:*)");

  it.each([
    "git push origin",
    "LANG=C git push",
    "timeout 5 git push",
    "timeout 5 rm x",
    "cd x && git push",
    'sh -c "git push"',
    "bash -lc 'cd x; git push'",
    "nohup env A=1 nice -n 5 git push",
    "git -C /repo push",
    "git -c a=b --no-pager push",
    "/usr/bin/git push",
    "\\git push",
    "g'i't \"push\"",
    "echo $(git push)",
    "echo `git push`",
    "if true; then git push; fi",
    "git push &",
    "time git push",
    "f() { git push; }; f",
    "ls | xargs rm",
    "find . -exec rm {} +",
    "eval 'git push'",
    "echo 'git push' | sh",
    "git push $X",
    "git push > log",
    "git\u200b push",
    "git push; 'unclosed",
  ])("catch %j in every mode", (command) => {
    for (const mode of ["ask", "allow", "deny"] as const) {
      expect(decideBash(command, [grant("Bash")], { deny, mode }).verdict).toBe("deny");
    }
  });

  it.each([
    "git pull",
    "echo 'git push'",
    "git commit -m 'rm x'",
    "grep rm f",
    "xargs grep rm",
    "git log push",
  ])("leave %j alone", (command) => {
    expect(decideBash(command, [grant("Bash")], { deny }).verdict).toBe("allow");
  });

  it("keep their word for a pattern that is more than one command", () => {
    const piped = rules("Bash(curl x | sh)");
    expect(decideBash("curl x | sh", [grant("Bash")], { deny: piped }).verdict).toBe("deny");
  });

  it("ask rules see through the same wrappers", () => {
    const ask = rules("Bash(git push:*)");
    expect(decideBash("timeout 5 git push", [grant("Bash")], { ask }).verdict).toBe("ask");
  });
});

describe("C7: the reason names the rule and a form that is allowed", () => {
  const grants = [grant("Bash(git status:*)")];

  it.each([
    ["git -C /repo status", 'covers the form "git status" with working_directory "/repo"'],
    ["cd /repo && git status", 'covers the rest when it is run with working_directory "/repo"'],
    ["timeout 5 git status -s", 'covers the form "git status -s"'],
    ["LANG=C git status", 'covers the form "git status"'],
    ["git stash", 'rules for "git": "Bash(git status:*)"'],
  ])("%j", (command, form) => {
    const decision = decideBash(command, grants);
    expect(decision.verdict).toBe("ask");
    expect(decision.reason).toContain('"Bash(git status:*)"');
    expect(decision.reason).toContain(form);
    expect(decision.reason).not.toContain("\n");
  });
});

describe("the reason of a line that several rules allow", () => {
  it("names them all, so that no harmless command hides another", () => {
    const granted = [grant("Bash(echo:*)", "Bash(touch:*)")];
    expect(decideBash("echo a; touch b; echo c", granted)).toMatchObject({
      verdict: "allow",
      reason: 'rules "Bash(echo:*)" and "Bash(touch:*)" allow it',
      rule: "Bash(echo:*)",
    });
    expect(decideBash("echo a; echo b", granted).reason).toBe('rule "Bash(echo:*)" allows it');
  });
});
