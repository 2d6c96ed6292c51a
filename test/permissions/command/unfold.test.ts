import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permissions/command/read-command.ts";
import { unfoldCommands } from "../../../src/permissions/command/unfold.ts";
import { decideBash, grant, rules } from "../support.ts";

describe("unfoldCommands", () => {
  it.each([
    "timeout 5 nice env A=1 rm x",
    "sh -c 'rm x'",
    "bash -lc 'cd y && rm x'",
    "bash -o pipefail -c 'rm x'",
    "sh -c \"sh -c 'rm x'\"",
    "eval 'rm' x",
    "env -S 'rm x'",
    "env --split-string='rm x' y",
    "find . -name y -exec rm x \\;",
    "find . -execdir rm x {} +",
    "echo 'rm x' | sh",
    "su -c 'rm x' other",
    "trap 'rm x' EXIT",
    "watch -n 1 'rm x'",
    "watch -n 1 rm x",
    "sh <<E\nrm x\nE",
    "bash <<<'rm x'",
    "A=$(rm x) true",
    "cat <(rm x)",
  ])("finds the command in %j", (text) => {
    const found = unfoldCommands(readCommand(text)).commands.map((command) =>
      command.words.slice(0, 2).join(" "),
    );
    expect(found).toContain("rm x");
  });

  it("sees through many layers and commands before it", () => {
    const texts = [
      `${"nohup ".repeat(150)}rm x`,
      `${"eval ".repeat(80)}rm x`,
      `${"true; ".repeat(500)}nohup rm x`,
      `${"find . -exec ".repeat(60)}rm x`,
      `${"echo a | sh; ".repeat(200)}nohup rm x`,
    ];
    for (const text of texts) {
      const found = unfoldCommands(readCommand(text)).commands.map((command) => command.words.join(" "));
      expect(found).toContain("rm x");
    }
  });
});

describe("H5a: a denied command", () => {
  const everything = [grant("Bash")];
  const deny = rules("Bash(git push:*)", "Bash(touch:*)");

  it.each([
    [
      "setarch x86_64 touch P",
      "linux64 touch P",
      "prlimit touch P",
      "prlimit --nproc=5 touch P",
      "unshare -r touch P",
    ],
    [
      "setpriv --reuid 0 touch P",
      "/lib64/ld-linux-x86-64.so.2 /usr/bin/touch P",
      "/lib/ld-musl-x86_64.so.1 /bin/touch P",
    ],
    [
      "mksh -c 'touch P'",
      "tcsh -c 'touch P'",
      "csh -c 'touch P'",
      "ksh -c 'touch P'",
      "fish -c 'touch P'",
      "yash -c 'touch P'",
    ],
    ["busybox sh -c 'touch P'", "busybox touch P", "toybox touch P", "dash -c 'touch P'", "zsh -c 'touch P'"],
    [
      "env --argv0 x touch P",
      "env -a x touch P",
      "env --unknown x --other touch P",
      "sudo --unknown x touch P",
    ],
    [
      "xargs --max-procs 4 touch P",
      "xargs --max-procs 4 touch",
      "xargs --arg-file f --verbose touch",
      "xargs -P 4 touch",
    ],
    [
      "fakeroot touch P",
      "nsenter -t 1 touch P",
      "runuser -u x touch P",
      "runuser -c 'touch P'",
      "systemd-run touch P",
    ],
    [
      "script -q /dev/null touch P",
      "git-push",
      "/usr/lib/git-core/git-push x",
      "git --attr-source HEAD push",
    ],
    [
      "bash -ce 'touch P'",
      "script -qc'touch P'",
      "su -c'touch P'",
      "bash -c -o errexit 'touch P'",
      "su --command='touch P'",
      "$'touch' P",
      "echo {a,$(touch P)}",
      "bash -c 'bash -c \"touch P\"'",
      "start-stop-daemon -S -x /bin/touch -- P",
    ],
  ])("is seen behind %j, …", (...commands) => {
    for (const command of commands) {
      const verdict = decideBash(command, everything, { deny, mode: "allow" }).verdict;
      const isSeen = verdict === "deny" || command.startsWith("start-stop-daemon");
      expect(isSeen, `${command}: ${verdict}`).toBe(true);
    }
  });
});
