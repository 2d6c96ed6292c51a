import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";

function wordsOf(text: string): string[][] {
  const view = readCommand(text);
  expect(view, text).toMatchObject({ kind: "readable" });
  return view.commands.map((command) => command.words);
}

describe("readCommand", () => {
  it.each([
    ["git status", [["git", "status"]]],
    ["a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
    ["! grep -q x f |& wc", [["grep", "-q", "x", "f"], ["wc"]]],
    ["echo 'a b' \"c d\" e\\ f g''h", [["echo", "a b", "c d", "e f", "gh"]]],
    ["echo '$(x)' \"\\$(x)\" '`x`' '*' \\* '~'", [["echo", "$(x)", "$(x)", "`x`", "*", "*", "~"]]],
    ["git log HEAD~1 HEAD^ stash@{0} a=b", [["git", "log", "HEAD~1", "HEAD^", "stash@{0}", "a=b"]]],
    ["git sta\\\ntus", [["git", "status"]]],
    [
      "echo {a {a} {} a,b a{b '{a,b}' {a\\,b} \\{a,b} x@{0}",
      [["echo", "{a", "{a}", "{}", "a,b", "a{b", "{a,b}", "{a,b}", "{a,b}", "x@{0}"]],
    ],
    ["echo a{b','c} '{'a,b} 12345>f", [["echo", "a{b,c}", "{a,b}"]]],
    ["git \\\n  status \\\n  -s \\\n2>&1", [["git", "status", "-s"]]],
    ["ls # ; touch P", [["ls"]]],
    ["export A='b c'", [["export", "A=b c"]]],
  ])("C3: reads %j word by word", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it.each([
    ["git status 2>&1", [], []],
    ["git status >/dev/null 2>/dev/null </dev/null", [], []],
    ["git status 2>&1- 3<&0 >&-", [], []],
    ["git diff > notes.txt", ["notes.txt"], []],
    ["git log >> 'a b' 2>| err", ["a b", "err"], []],
    ["git status >&2name", ["2name"], []],
    ["git status &> all", ["all"], []],
    ["git status &>> all", ["all"], []],
    ["cat <f", [], ["f"]],
    ["cat <>f", ["f"], ["f"]],
    [">f cat", ["f"], []],
    ["cat > /dev/null.txt", ["/dev/null.txt"], []],
    ["cat > /dev/tcp/h/80", ["/dev/tcp/h/80"], []],
  ])("C5: lists the files of the redirections in %j", (text, writes, reads) => {
    const view = readCommand(text);
    expect(view.kind).toBe("readable");
    expect(view.commands).toMatchObject([{ writes, reads }]);
  });

  it.each([
    ["git log $(x)", "computes"],
    ["git log `x`", "computes"],
    ['git log "$(x)"', "computes"],
    ["git log ${Y:-$(x)}", "computes"],
    ["git log $HOME", "computes"],
    ["git log $((1))", "computes"],
    ["git log $'a'", "computes"],
    ['git log $"a"', "computes"],
    ["git diff <(x)", "computes"],
    ["ls *.txt", "computes"],
    ["ls a?", "computes"],
    ["ls [ab]", "computes"],
    ["ls {a,b}", "computes"],
    ["ls ~/x", "computes"],
    ["ls x=~/y", "computes"],
    ["ls @(a|b)", "computes"],
    ["export A=$(x)", "computes"],
    ["export A=(1)", "computes"],
    ["X=1 git status", "variable"],
    ["X=1", "variable"],
    ["a=(1 2)", "variable"],
    ["> f", "without a command"],
    ["git status &", "background"],
    ["git status & touch P", "background"],
    ["(git status)", "compound"],
    ["{ git status; }", "compound"],
    ["if git status; then x; fi", "compound"],
    ["for i in a; do x; done", "compound"],
    ["while x; do y; done", "compound"],
    ["case a in a) x;; esac", "compound"],
    ["[[ a == b ]]", "compound"],
    ["((1))", "compound"],
    ["f() { x; }", "compound"],
    ["function f { x; }", "compound"],
    ["coproc x", "compound"],
    ["(x) > f", "compound"],
    ["time git status", "time"],
    ["cat <<E\nx\nE", "here-document"],
    ["cat <<<x", "here-document"],
    ["cat > $F", "redirection"],
    ["cat > *.txt", "redirection"],
    ["cat {fd}> f", "redirection"],
    ["cat <& name", "redirection"],
    ["echo a{b}c,d}", "computes"],
    ["sort -{o}x,oP} f", "computes"],
    ["echo {'a',b}", "computes"],
    ["echo {1.\\\n.3}", "computes"],
    ["echo a{b\\\n,c}", "computes"],
    ["echo a=\\\n~", "computes"],
    ["echo {\\\nx}>f", "joined"],
    ["echo 1\\\n2>f", "joined"],
    ["echo a # b\\\ntouch P", "joined"],
    ["echo $\\\n{X}", "dollar sign"],
    ["echo $\\\n'a'", "dollar sign"],
    ['echo "$\\\n(x)"', "dollar sign"],
    ["uniq f 99999999999>P", "too large"],
    ["sort f >&--oP", "closed redirection"],
    ["sort f <&\\\n-a", "closed redirection"],
    ["sort f >\\\n&-'a'", "closed redirection"],
    ["echo a 2\\\n>f", "over lines"],
    ["echo a {x}\\\n\\\n<f", "over lines"],
    ["echo a\\", "ends with a backslash"],
    ["echo 'a\nb'\\\\\\", "ends with a backslash"],
    ["git 'status", "syntax"],
    ["if", "syntax"],
    ["git status )", "syntax"],
    ["'' x", "empty"],
    ["", "no command"],
    ["# only a comment", "no command"],
    ["git\u200b status", "characters"],
    ["git\u00a0status", "characters"],
    ["git status\r", "characters"],
    ["git \u202estatus", "characters"],
    ["git status\u2028touch P", "characters"],
    ["git status\u3000x", "characters"],
    ["git\u0000status", "characters"],
    ["git \ud800", "characters"],
    ["git \u3164 x", "characters"],
  ])("C2: does not read %j", (text, reason) => {
    const view = readCommand(text);
    expect(view.kind).toBe("unreadable");
    expect(view).toHaveProperty("reason", expect.stringContaining(reason));
  });

  it("finds the commands of a text it cannot read, for deny rules", () => {
    const view = readCommand(
      'X=1 git push; f() { rm x; }; echo "$(curl a | sh)" `id` & if a; then b; fi > out',
    );
    const names = view.commands.map((command) => command.words[0]);
    expect(names).toEqual(expect.arrayContaining(["git", "rm", "echo", "curl", "sh", "id", "a", "b"]));
    expect(view.commands.flatMap((command) => command.assignments)).toEqual(["X=1"]);
    expect(view.commands.flatMap((command) => command.writes)).toEqual(["out"]);
  });

  it("survives deep nesting and long lines", () => {
    expect(readCommand(`echo ${"a ".repeat(9000)}`).kind).toBe("readable");
    for (const text of [
      "$(".repeat(5000),
      `${"{ ".repeat(500)}x${"; }".repeat(500)}`,
      `echo ${"a ".repeat(50_000)}`,
    ]) {
      expect(readCommand(text)).toMatchObject({ kind: "unreadable", complete: false });
    }
  });

  it("tells whether it found every command of an unreadable text", () => {
    for (const text of ["a $(b)", "X=1 a", "for i in 1; do a; done", "cat <<E\n$(a)\nE"])
      expect(readCommand(text), text).toMatchObject({ complete: true });
    for (const text of ["a (b)", "a; 'b", "if a", "a\u00a0#; b", "a\u200b"])
      expect(readCommand(text), text).toMatchObject({ complete: false });
  });
});
