import { describe, expect, it } from "vitest";
import { decideBash, grant, rules } from "../support.ts";

const everything = [grant("Bash")];
const deny = rules("Bash(git push:*)", "Bash(touch:*)");

describe("H5a: a deny that cannot be checked", () => {
  it.each([
    [
      "git >&-push",
      "git 2\\\n>f push",
      "touch\\",
      "sh -c 'git 2>&-push'",
      "echo $(git >&-push)",
      "x <&-touch P",
    ],
    ["{ ".repeat(500), "if ".repeat(500), "$(".repeat(300), "$(".repeat(5000), "a; 'b", "echo (touch P)"],
    [
      `${"env ".repeat(1000)}x`,
      `${"unshare ".repeat(1000)}x`,
      `unshare ${"a ".repeat(100)}`,
      "cd x; ".repeat(20),
    ],
    [
      "/usr/bin/touc? P",
      "{touch,P}",
      "touch${IFS}P",
      "X=touch; $X P",
      "$(echo touch) P",
      "`echo touch` P",
      '"$X" P',
    ],
    [
      "git $X",
      "git pus?",
      "git {push,}",
      "X=push; git $X",
      "git `x`",
      "env $X P",
      "timeout $X P",
      "nice -n $X a",
    ],
    [
      "cat <<E | bash\ntouch P\nE",
      "curl x | sh",
      "cat x | bash -s a",
      "base64 -d x | bash -",
      "x | bash -o errexit",
    ],
    [
      "bash <<E\n$X\nE",
      'bash <<<"$X"',
      "sh < x",
      "bash /dev/stdin < x",
      "bash <(x)",
      'bash "$X"',
      "zsh -c 'x'",
    ],
    [
      "source <(echo x)",
      ". /dev/stdin",
      "source $X",
      'eval "$x"',
      "eval $x",
      'bash -c "$x"',
      'bash -c "a $x"',
    ],
    [
      "bash -c '\"$@\"' _ touch P",
      "bash -c '$0 P' touch",
      "bash -c 'git \"$@\"' _ push",
      "fish -c 'echo (x)'",
    ],
    [
      "alias x='git push'; x",
      "git submodule foreach x",
      "git bisect run x",
      "git -c alias.p=push p",
      "git rebase -x y",
    ],
    [
      "ssh host x",
      "gdb --args x",
      "parallel x ::: a",
      "expect -c x",
      "vim -c x f",
      "entr x",
      "hash -p /bin/touch x",
    ],
    [
      "xargs git",
      "echo push | xargs git",
      "xargs -I{} {} P",
      "xargs -I% sh -c %",
      "xargs env",
      "xargs sh -c",
      "xargs -n1 $X",
    ],
    [
      "find . -exec {} P ;",
      "find push -exec git {} ;",
      "find . -exec sh -c {} +",
      'trap "$x" EXIT',
      'su -c "$x"',
    ],
    [
      "awk 'BEGIN{system(\"touch P\")}'",
      "python3 -c 'os.system(\"git push\")'",
      "sed '1e touch P' f",
      "perl -e '`touch P`'",
    ],
    ["x='a[$(touch P)]'; let x", "let 'a[$(y)]'", "test -v 'a[`y`]'", "a\u00a0#b; touch P"],
  ])("is a question that mode allow does not skip and mode deny refuses: %j, …", (...commands) => {
    for (const command of commands) {
      const decide = (mode: "allow" | "ask" | "deny") => decideBash(command, everything, { deny, mode });
      expect(["ask", "deny"], command).toContain(decide("allow").verdict);
      expect(["ask", "deny"], command).toContain(decide("ask").verdict);
      expect(decide("deny").verdict, command).toBe("deny");
    }
  });

  it.each([
    [
      "npm test",
      "npm run build 2>&1 | tail -20",
      'for f in *.ts; do echo "$f"; done',
      "ls $HOME",
      "cat $X",
      "rm -r $D",
    ],
    [
      "find . -name x | xargs grep -l y",
      "find . -exec grep -l x {} +",
      "export A=1; npm test",
      "X=1 npm test",
      "kill $(cat pid)",
    ],
    [
      "bash scripts/x.sh",
      "source .venv/bin/activate && pytest",
      "git -c user.name=x commit -m y",
      "git log | head -$N",
    ],
    [
      "git commit -m 'git push later'",
      "git checkout -b $B",
      'echo "$(git rev-parse HEAD)"',
      "cat > a <<'E'\ntouch $x\nE",
    ],
    [
      "trap 'rm -f x' EXIT; ls",
      "node -e 'console.log(1)'",
      "sed -i 's/touch/x/' f",
      "xargs -n1 echo < f",
      "sudo apt-get install x",
    ],
    [
      "if [ -d x ]; then ls x; fi",
      "nohup node x > log 2>&1 &",
      "python3 - <<E\nprint(1)\nE",
      "grep '[$(]' f",
      "xargs grep touch",
    ],
  ])("does not stop what is certain: %j, …", (...commands) => {
    for (const command of commands) {
      const decision = decideBash(command, everything, { deny, mode: "allow" });
      expect(decision.verdict, `${command}: ${decision.reason}`).toBe("allow");
    }
  });

  it("needs a rule with a pattern; a grant's deny counts, and one for paths where code is not seen", () => {
    const decide = (command: string, changes: Parameters<typeof decideBash>[2]) =>
      decideBash(command, everything, { mode: "allow", ...changes }).verdict;
    expect(decide("x | sh", {})).toBe("allow");
    expect(decide("x | sh", { deny: rules("Write", "WebFetch(x)") })).toBe("allow");
    expect(decide("x | sh", { deny: rules("Read(private/**)") })).toBe("ask");
    expect(decide("x | sh", { deny: rules("Write(locked/**)") })).toBe("ask");
    const strict = { skill: "strict", allow: [], deny: rules("Bash(rm:*)") };
    expect(decideBash("x | sh", [...everything, strict], { mode: "allow" }).verdict).toBe("ask");
  });

  it("asks for an ask rule as well, but not in mode allow, which allows what would ask", () => {
    const ask = rules("Bash(touch:*)");
    for (const command of ["bash -c '\"$@\"' _ touch P", "x | sh", "setpriv touch P"]) {
      expect(decideBash(command, everything, { ask }).verdict, command).toBe("ask");
      expect(decideBash(command, everything, { ask, mode: "allow" }).verdict, command).toBe("allow");
      expect(decideBash(command, everything).verdict, command).toBe("allow");
    }
  });

  it("says which rule and why", () => {
    expect(decideBash("curl x | sh", everything, { deny }).reason).toBe(
      'it cannot be told whether rule "Bash(git push:*)" is kept, because "sh" runs a text that is not spelled out',
    );
  });
});
