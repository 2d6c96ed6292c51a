import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decideBash, grant } from "../support.ts";

const everything = [grant("Bash", "Write", "Write(/**)", "Read(/**)")];

describe("places that a word hides", () => {
  it.each([
    ["cat .e*", "cat .en?", "cat .[e]nv", "cat .??*", "cat .*", "cat sub/.e*", "cat ./.e*", "cat < .e*"],
    ["cat .{env,x}", "cat {.env,x}", "cat .e{n,x}v", "cat .{a,{b,env}}", "cat --x={.env,y}"],
    ["cat .en${x}v", "cat .en$@v", "cat .en$(true)v", 'cat ".e${x}"', "X=env; cat .$X", "cat .$X$Y"],
    ["cp x .g*/config", "echo x > .g*/config", "D=git; cp x .$D/x", "cp x .gi[t]/config", "rm -rf .g*"],
    ["for f in .e*; do cat $f; done", "x=(.e*); cat ${x[0]}", "cd .g* && cp x config", "cat .e\\\nn*"],
  ])("H4c: asks even in mode allow where a computed word fits, as in %j, …", (...commands) => {
    for (const command of commands) {
      expect(decideBash(command, everything, { mode: "allow" }).verdict, command).toBe("ask");
    }
  });

  it("H4c: looks at what is in the folder for names without a dot", () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
    try {
      mkdirSync(join(workspace, "skills", "pdf"), { recursive: true });
      mkdirSync(join(workspace, "many"));
      for (const name of ["server.key", "a.md", "b.md"]) writeFileSync(join(workspace, name), "");
      for (let index = 0; index < 250; index += 1) writeFileSync(join(workspace, "many", `${index}`), "");
      const decide = (command: string) => {
        const skillFolders = [join(workspace, "skills", "pdf")];
        return decideBash(command, everything, { workspace, mode: "allow", skillFolders }, workspace).verdict;
      };
      for (const command of [
        "cat s*",
        "cat ser*r.k?y",
        "cat [r-t]*y",
        "cat *",
        "rm -rf s*",
        "rm -rf *",
        "cat many/*",
      ])
        expect(decide(command), command).toBe("ask");
      for (const command of ["cat *.md", "cat [!s]*", "rm -f *.md", "ls m*"])
        expect(decide(command), command).toBe("allow");
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });

  it.each([
    [
      "sed --expression=p .env",
      "sed -n --expr=p .env",
      "sed -n --e p .env",
      "grep --regexp=. .env",
      "grep --regex . .env",
    ],
    [
      "grep --fil=/dev/null -v .env",
      "file -bf.env",
      "file -f.env",
      "wc --files0-from=.env",
      "grep -rf.env x",
    ],
    [
      "cat /proc/7/environ",
      "grep -az K /proc/7/task/7/environ",
      "grep -ra K /proc/7/",
      "cat /proc/self/environ",
    ],
    ["cat /dev/fd/../../7/environ", "cat < /dev/fd/../../7/environ", "cat /proc/thread-self/environ"],
    [
      "git log -p -- ':(top).env'",
      "git log -p -- ':(glob).e?v'",
      "git show HEAD:.env",
      "git diff HEAD -- :/.env",
    ],
  ])("H4b: asks even in mode allow before %j, …", (...commands) => {
    for (const command of commands) {
      expect(decideBash(command, everything, { mode: "allow" }).verdict, command).toBe("ask");
    }
  });
});
