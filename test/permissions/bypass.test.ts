import { describe, expect, it } from "vitest";
import { decideBash, grant } from "./support.ts";

const narrow = [
  grant("Bash(git status:*)", "Bash(git log:*)", "Bash(git diff:*)", "Bash(pwd:*)", "Bash(cat:*)"),
  grant(
    "Bash(find:*)",
    "Bash(sed:*)",
    "Bash(rg:*)",
    "Bash(sort:*)",
    "Bash(awk:*)",
    "Bash(tar:*)",
    "Bash(printf:*)",
  ),
  grant(
    "Bash(env:*)",
    "Bash(python3:*)",
    "Bash(echo *)",
    "Bash(grep:*)",
    "Bash(git commit:*)",
    "Bash(node scripts/*)",
  ),
];

const CHAINED = [
  "git status && touch P",
  "git status; touch P",
  "git status | tee P",
  "git status |& tee P",
  "git status & touch P",
  "git status || touch P",
  "(git status; touch P)",
  "{ git status; touch P; }",
  "git status &&\ntouch P",
  "! touch P",
  "if git status; then touch P; fi",
  "git status && git log; touch P # git status",
  "while git status; do touch P; done",
  "git() { touch P; }; git status",
  "alias git=touch; git status",
  "coproc touch P",
  "git status\\;touch P; touch P",
];
const HIDDEN = [
  "git log $(touch P)",
  "git log `touch P`",
  'git log "$(touch P)"',
  'git log "`touch P`"',
  "git diff <(touch P)",
  "git diff >(touch P)",
  "X=$(touch P) git status",
  'git status "${Y:-$(touch P)}"',
  "git status ${Y:=$(touch P)}",
  "git log $((a[$(touch P)]))",
  "git log {a,$(touch P)}",
  "git status > $(touch P)",
  "$(echo touch) P",
  "${X} git status",
  "git log $'\\x24(touch P)' $(touch P)",
  "cat <<E\n$(touch P)\nE",
  "cat <<<$(touch P)",
  "[[ -v a[$(touch P)] ]]",
  "((a[$(touch P)]))",
];
const SEPARATED = [
  "pwd\ntouch P",
  "pwd\n\ntouch P\n",
  "pwd\r\ntouch P",
  "pwd\u2028touch P",
  "pwd # comment\ntouch P",
  "cat <<'E'\nE\ntouch P",
  "git log 'a\nb'\ntouch P",
  "git\u00a0status",
  "git\u200b status",
];
const REDIRECTED = [
  "git diff > notes.txt",
  "git diff >| notes.txt",
  "git log >> ~/.profile",
  "git log >> /home/u/.profile",
  "git status >&2name",
  "git status &> P",
  "git status 2> P",
  "git status {fd}> P",
  "cat <> P",
  "cat < /etc/shadow",
  "echo x > /dev/tcp/h/80",
  "> P git status",
];
const HAZARDOUS = [
  "find . -exec touch P ';'",
  "find . -fprint P",
  "find . -delete",
  "sed 's/a/touch P/e' f",
  "sed 'w P' f",
  "sed -i s/a/b/ f",
  "rg --pre ./p x",
  "sort -o P f",
  "sort --compress-program=./p f",
  "awk 'BEGIN{system(\"touch P\")}'",
  "awk '{print > \"P\"}' f",
  "tar xf a --to-command=./p",
  "tar xf a --checkpoint=1 --checkpoint-action=exec=./p",
  "printf -v PATH x",
  "env touch P",
  "env -S 'touch P'",
  'python3 -c \'open("P","w")\'',
  'echo \'open("P","w")\' | python3',
  "git log --output=P",
  "git diff --outp=P",
  "git diff --ext-diff",
  "node scripts/../p.js",
  "sed -- 'w P' -e p",
  'echo \'open("P","w")\' | python3 /dev/stdin',
  'echo \'open("P","w")\' | python3 -i x.py',
  'python3 -m timeit \'open("P","w")\'',
];
const WRAPPED = [
  "git -C /repo status",
  "git -c core.fsmonitor=./p status",
  "git --exec-path=./p status",
  "timeout 5 git status",
  "nohup git status",
  "time git status",
  "xargs git status",
  "command git status",
  "exec git status",
  "eval git status",
  "sh -c 'git status'",
  "cd /repo && git status",
  "LANG=C git status",
  "LD_PRELOAD=./p.so git status",
  "PATH=.:$PATH git status",
  "GIT_EXTERNAL_DIFF=./p git diff",
  "./git status",
  "/tmp/git status",
  "GIT status",
  "gitstatus",
  "git statusx",
  "git",
];

describe("attempts to get around a narrow grant", () => {
  it.each(CHAINED)("C1: a prefix grant does not approve %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });

  it.each(HIDDEN)("C2: hidden code is not approved in %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });

  it.each(SEPARATED)("C3: what only looks like one command is not approved in %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });

  it.each(REDIRECTED)("C5: a file needs its own permission in %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });

  it.each(HAZARDOUS)("a prefix grant does not approve the hidden side of %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });

  it.each(WRAPPED)("C7: an allow rule does not see through %j", (command) => {
    expect(decideBash(command, narrow).verdict).not.toBe("allow");
  });
});

describe("a rule for cd", () => {
  it.each(["cd /dev", "cd /dev/fd", "cd ../../dev", "cd /proc/self/fd", "cd /; cd dev"])(
    "does not let %j turn a stream into a script",
    (command) => {
      const grants = [...narrow, grant("Bash(cd:*)", "Bash(sh *)")];
      for (const script of ["python3 stdin", "python3 0", "sh 0", "python3 -u fd/0"])
        expect(decideBash(`${command} && echo x | ${script}`, grants).verdict).toBe("ask");
    },
  );
});

describe("harmless forms", () => {
  it.each([
    "git status",
    "git status && git log",
    "git status; git log --oneline -5 | cat",
    "git status\ngit log\n",
    "git status || pwd",
    "! git diff --quiet",
    "git sta\\\ntus",
    "'git' \"status\"",
    "git status # a comment; touch P",
    "git log '$(x)'",
    "git log '`x`' \"a\\$b\"",
    'grep -E "cat|dog" f',
    "grep 'a;b&c' f",
    "awk '{a;b}' f",
    'git commit -m "a; b"',
    "git commit -m 'a\nb'",
    "git commit -m 'a > b'",
    "git status 2>&1",
    "git status >/dev/null",
    "git status > /dev/null 2>&1 </dev/null",
    "git status 2>&-",
    "git log HEAD~2..HEAD^ -- 'a b'",
    "cat < README.md",
    'echo "it\'s" 100%',
    "find . -name '*.ts' -type f",
    "sed -n '1,20p' f",
    "sort -u f | cat",
    "env",
    "python3 x.py --count 3",
    "node scripts/build.js",
    "cat <f",
    "git status >&2",
    "git status && git log && git diff | cat; pwd",
  ])("C1, C2, C3, C5: every part has a rule, so there is no question about %j", (command) => {
    const decision = decideBash(command, narrow);
    expect(decision.verdict, decision.reason).toBe("allow");
  });
});
