import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillShell } from "../../../src/skills/arguments/fill-shell.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder } from "../temp-folder.ts";

/** `MARK` is a file that appears when the value is read as code. */
const VALUES = [
  "$(touch MARK)",
  "`touch MARK`",
  "a[$(touch MARK)]",
  "1+a[`touch MARK`]",
  "x;touch MARK",
  "x\ntouch MARK\n",
  "E\ntouch MARK\nE",
  "'; touch MARK; '",
  '"; touch MARK; "',
  "' $(touch MARK) '",
  '" $(touch MARK) "',
  "}$(touch MARK)",
  ")$(touch MARK)",
  ";;esac;$(touch MARK)",
  "${x:-$(touch MARK)}",
  "\\$(touch MARK)",
  "x\\'; touch MARK #",
];

const BLOCKS = [
  ...[
    "echo $1",
    'echo "$1"',
    'echo "a $1 b"',
    "echo x$1y",
    'echo "it\'s $1"',
    "x=$1; echo $x",
    "echo {a,$1}",
  ],
  ...[
    "echo $ARGUMENTS",
    'echo "$ARGUMENTS"',
    "# it's $1\necho $1",
    "echo $'a\\'$1'",
    'echo $"$1"',
    "cat <<<$1",
  ],
  ...["cat <<E\n$1\nE", "cat <<-E\n$1\n\tE", "cat <<'E'\n$1\nE", 'echo "$1" <<E\n$1\nE', "cat <<E\n'$1'\nE"],
  ...["echo `echo $1`", 'echo "`echo "$1"`"', 'echo "$(basename "$1")"', 'echo "$(echo "$(echo $1)")"'],
  ...[
    'echo "$(case a in a) echo "$1";; esac)"',
    "case $1 in a) echo;; esac",
    'cat <(echo "$1")',
    "(echo $1)",
  ],
  ...["echo $[1+$1]", 'echo "$[1+$1]"', "echo $((1+$1))", "((x=$1))", "for ((i=0;i<$1;i++)); do echo; done"],
  ...[
    'X="$1"; echo $((X))',
    'X="$1"; echo $[X]',
    "let x=$1",
    'let "x=$1"',
    "declare -i x=$1",
    'declare "$1"=2',
  ],
  ...[
    "typeset -i x=$1",
    'f() { local -i x="$1"; }; f "$1"',
    'export "$1=x"',
    'readonly -a "$1=x"',
    'unset "$1"',
  ],
  ...[
    "[[ $1 -eq 1 ]]",
    '[[ "$1" -gt 2 ]]',
    'X="$1"; [[ 1 -lt $X ]]',
    "[[ -v $1 ]]",
    'test -v "$1"',
    '[ -v "$1" ]',
  ],
  ...[
    '[ "$1" -eq 1 ]',
    'test 1 -lt "$1"',
    "[[ x =~ $1 ]]",
    "[[ -f $1 ]]",
    "a[$1]=1",
    "a=([$1]=1)",
    "echo $1 a[$1]",
  ],
  ...['i="$1"; a=(x y); echo ${a[i]}', 'i="$1"; a=(x y); echo ${a[$i]}', 'i="$1"; a=(x); echo "${a[$i+1]}"'],
  ...[
    'N="$1"; echo "${!N}"',
    'N="$1"; echo "${N@P}"',
    'N="$1"; x=abc; echo ${x:N}',
    'N="$1"; x=abc; echo ${x:0:N}',
  ],
  ...["echo ${x:-$1}", 'echo "${x:-$1}"', 'echo "${x:-"}"$1}"', 'echo ${x:-{} "a } $1"', "echo ${x:-'}'$1}"],
  ...[
    'echo "${x:-${y}}" "$1"',
    'echo "${x#\\"}" "$1"',
    'echo "${x:-$(echo ")")}" "$1"',
    'echo ${x:-"a}b"} "$1"',
  ],
  ...[
    '(true)#"\necho $1"',
    'echo \\;#" \n $1 "',
    'echo \\ #"\n$1"',
    "echo a \\\n#'\necho \"$1\" '",
    'echo >#"\n$1"',
  ],
  ...[
    'eval "echo $1"',
    'bash -c "echo $1"',
    "sh -c \"echo '$1'\"",
    'trap "echo $1" EXIT',
    'printf -v "$1" x',
  ],
  ...['read "$1" <<<x', 'mapfile "$1" <<<x', "printf '%d' \"$1\"", "ulimit -n $1", "exit $1", "shift $1"],
];

/** Commands that hand a word to a shell or an interpreter, in the ways that people write them. */
const NESTED = [
  ...['bash -euo pipefail -c "echo {x}"', 'bash -o pipefail -c "echo {x}"', 'bash --norc -c "echo {x}"'],
  ...['bash -ce "echo {x}"', 'sh -e -c "echo {x}"', 'bash -x -c "echo {x}"', 'bash +x -c "echo {x}"'],
  ...['"sh" -c "echo {x}"', 's\\h -c "echo {x}"', '$SHELL -c "echo {x}"', '"$BASH" -c "echo {x}"'],
  ...['sh \\\n -c "echo {x}"', "sh -c 'echo '{x}", "bash -c $'echo '{x}", 'env -i bash -c "echo {x}"'],
  ...['echo "$(bash -euo pipefail -c "echo {x}")"', 'if sh -e -c "echo {x}"; then :; fi'],
  ...[
    "# it's\nbash -o pipefail -c \"echo {x}\"\n# don't",
    'S=sh; $S -c "echo {x}"',
    'S=sh; "$S" -c "echo {x}"',
  ],
  ...[
    'echo "echo {x}" | sh',
    'echo "echo {x}" |\nsh',
    "printf 'echo %s' {x} | bash -s",
    'echo "echo {x}" |& bash',
  ],
  ...[
    'sh <<< "echo {x}"',
    'source <(echo "echo {x}")',
    '. /dev/stdin <<< "echo {x}"',
    'bash <(echo "echo {x}")',
  ],
  ...['echo "echo {x}" | tee >(sh)', '{ echo "echo {x}"; } | sh', "C={x}; bash <<E\necho $C\nE"],
  ...[
    "C={x}\ncat <<E | sh\necho $C\nE",
    'C={x}; echo "echo $C" | sh',
    "C={x}; $C",
    "C={x}; if $C; then :; fi",
  ],
  ...['flock lock -c "echo {x}"', 'script -qc "echo {x}" /dev/null', 'git -c alias.z="!echo {x}" z'],
  ...['watch -n1 -t "echo {x}"', 'compgen -W "{x}"', "PS4={x}; set -x; :", "export PS4={x}; set -x; :"],
  ...["export T={x}; make -f - <<< 'x:;echo $(T)'", 'make -f - <<< "x:;echo {x}"'],
  ...["python3 -c \"print('{x}')\"", "python3 -X dev -c \"print('{x}')\"", "echo \"print('{x}')\" | python3"],
  ...[
    "python3 - <<< \"print('{x}')\"",
    "node -e \"'{x}'\"",
    "node -pe \"'{x}'\"",
    "perl -we \"print '{x}'\"",
  ],
  ...[
    'awk "BEGIN { print \\"{x}\\" }"',
    'sed -n "1{x}" commands',
    'sed "s/x/{x}/" commands',
    'C={x}; sed "$C" x',
  ],
];

/** The same for values that are code of another language. */
const FOREIGN = [
  "touch MARK",
  "!touch MARK",
  "1e touch MARK",
  "/e;1e touch MARK",
  "'); require('fs').writeFileSync('MARK', ''); ('",
  "'+require('fs').writeFileSync('MARK', '')+'",
  "'); open('MARK','w'); ('",
  "'.system('touch MARK').'",
  '"; system("touch MARK"); "',
];

describe("fillShell", () => {
  it("a real shell runs no part of a value that a nested shell or an interpreter gets", () => {
    const folder = createFolder();
    const [marks, commands] = [join(folder, "marks"), join(folder, "commands")];
    for (const each of [marks, commands]) mkdirSync(each);
    const tried: string[] = [];
    for (const block of NESTED) {
      for (const template of [...VALUES, ...FOREIGN]) {
        const value = template.replaceAll("MARK", join(marks, String(tried.length)));
        const written = block.replaceAll("{x}", "{plan.name}");
        const { code, refused } = fillShell(written, { fields: new Map([["{plan.name}", value]]) });
        tried.push(code);
        expect(refused.length > 0 || code !== written, code).toBe(true);
        if (code !== written) writeFileSync(join(commands, String(tried.length - 1)), code);
      }
    }
    const runAll = `for f in ${commands}/*; do timeout 5 bash "$f" >/dev/null 2>&1 </dev/null; done; true`;
    execFileSync("bash", ["-c", runAll], { cwd: folder });
    expect(readdirSync(marks).map((index) => tried[Number(index)])).toEqual([]);
  });

  it.each(NESTED)("a plain word is filled in: %s", (block) => {
    const written = block.replaceAll("{x}", "{plan.name}");
    const plain = fillShell(written, { fields: new Map([["{plan.name}", "v1.2"]]) });
    expect(plain.refused.length === 0 ? plain.code : "v1.2").toContain("v1.2");
    expect(fillShell(written, { fields: new Map([["{plan.name}", "a $(b)"]]) }).code).toBe(written);
  });

  it.each([
    'node script.mjs --x "{x}"',
    'python3 script.py "{x}"',
    'python3 -u script.py "{x}"',
    'node -r ./a.js script.mjs -p "{x}"',
    'node "${CLAUDE_SKILL_DIR}/scripts/x.mjs" --x "{x}"',
    '"${CLAUDE_SKILL_DIR}/x.sh" "{x}"',
    '${CLAUDE_SKILL_DIR}/x.sh "{x}"',
    '{baseDir}/x.sh "{x}"',
    'bash ./x.sh --count "{x}"',
    'echo "{x}" | python3 script.py',
    'git commit -m "{x}"',
    'git commit -m "make {x}" && git push',
    'git -c user.name=x commit -m "{x}"',
    'git tag -a v1 -m "Watch {x} at night"',
    "v=$(git describe | sed 's/^v//'); git commit -m \"{x}\"",
    'GIT_AUTHOR_NAME="{x}" git commit -m x',
    'make test; git commit -m "{x}"',
    "jq --arg v \"{x}\" '.v=$v' x.json",
    'set -euo pipefail\ncd "{x}" && ls > out 2>&1',
    'export X="{x}"',
    '! test -e "{x}"',
  ])("any value is filled in: %s", (block) => {
    const written = block.replaceAll("{x}", "{plan.name}");
    const values = { directory: "/s", fields: new Map([["{plan.name}", "it's; $(touch x)"]]) };
    expect(fillShell(written, values)).toMatchObject({ missing: [], refused: [] });
    expect(fillShell(written, values).code).toContain("touch x");
  });

  it.each([
    ["interpreters", "node -a "],
    ["prefixes", "sudo -a "],
    ["assignments", "A=1 "],
    ["brackets", "( "],
    ["quotes", "'\" "],
    ["git", "git "],
    ["sed", "sed "],
    ["blanks", " "],
  ])("a command full of %s takes no time", (_title, part) => {
    const readCpu = startCpuClock();
    for (const length of [15_000, 200_000]) {
      fillShell(`${part.repeat(length / part.length)}{plan.name}`, {
        fields: new Map([["{plan.name}", "a b"]]),
      });
    }
    expect(readCpu()).toBeLessThan(1_000);
  });

  it("H8: a real shell runs no part of a value, wherever its placeholder stands", () => {
    const folder = createFolder();
    const [marks, commands, place] = ["marks", "commands", "place"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [marks, commands, place]) mkdirSync(each);
    const tried: string[] = [];
    let filled = 0;
    for (const block of BLOCKS) {
      for (const template of VALUES) {
        const value = template.replace("MARK", join(marks, String(tried.length)));
        const { code } = fillShell(block, { words: [value], whole: value });
        tried.push(code);
        if (code === block) continue;
        filled += 1;
        writeFileSync(join(commands, String(tried.length - 1)), code);
      }
    }
    const runAll = `for f in ${commands}/*; do bash "$f" >/dev/null 2>&1 </dev/null; done`;
    execFileSync("bash", ["-c", runAll], { cwd: place });
    expect(readdirSync(marks).map((index) => tried[Number(index)])).toEqual([]);
    expect(filled).toBeGreaterThan(VALUES.length * 20);
  });

  it("the values of that test are dangerous ones", () => {
    const folder = createFolder();
    const value = VALUES[2]?.replace("MARK", join(folder, "mark")) ?? "";
    execFileSync("bash", ["-c", 'X="$1"; echo $((X))', "bash", value], { stdio: "ignore" });
    expect(readdirSync(folder)).toEqual(["mark"]);
  });

  it.each([
    ["x $1 $2 $ARGUMENTS", ["$1", "$2", "$ARGUMENTS"], []],
    ['x "$1" "$(y $1)"', ["$1"], []],
    ["awk '{print $1}' # $2", [], []],
    ["x $2 `y $1`", ["$2"], ["$1"]],
    ["x <<E\n$1 \\$2 $$3 ${CLAUDE_SKILL_DIR}\nE", [], ["$1", "${CLAUDE_SKILL_DIR}"]],
    ["x ${Y:-$1} ${CLAUDE_SKILL_DIR}", [], ["$1"]],
  ])("names what has no value and what can have none: %j", (code, missing, refused) => {
    expect(fillShell(code, {})).toEqual({ code, missing, refused });
  });

  it("a real shell runs no part of what an earlier stage handed over", () => {
    const folder = createFolder();
    const [marks, commands] = [join(folder, "marks"), join(folder, "commands")];
    for (const each of [marks, commands]) mkdirSync(each);
    const tried: string[] = [];
    let filled = 0;
    for (const block of BLOCKS.filter((each) => each.includes("$1"))) {
      for (const template of VALUES.slice(0, 10)) {
        const value = template.replace("MARK", join(marks, String(tried.length)));
        const written = block.replaceAll("$1", "{plan.name}");
        const { code } = fillShell(written, { fields: new Map([["{plan.name}", value]]) });
        tried.push(code);
        if (code === written) continue;
        filled += 1;
        writeFileSync(join(commands, String(tried.length - 1)), code);
      }
    }
    const runAll = `for f in ${commands}/*; do bash "$f" >/dev/null 2>&1 </dev/null; done`;
    execFileSync("bash", ["-c", runAll], { cwd: folder });
    expect(readdirSync(marks).map((index) => tried[Number(index)])).toEqual([]);
    expect(filled).toBeGreaterThan(150);
  });

  it.each([
    ["x {plan.a} {plan.b}", "x 'two words' {plan.b}", []],
    ['x "v{plan.a}" {plan.a}/y', "x 'vtwo words' 'two words'/y", []],
    ["x ${plan.a} {{plan.a}} {1..3} {}", "x ${plan.a} {{plan.a}} {1..3} {}", []],
    ["x '{plan.a} {plan.b}' $'{plan.a}'", "x '{plan.a} {plan.b}' $'{plan.a}'", ["{plan.a}"]],
    ["read {plan.a} <<<x; a[{plan.a}]=1", "read {plan.a} <<<x; a[{plan.a}]=1", ["{plan.a}"]],
    ["x {plan.a}}", "x 'two words'}", []],
    ["# {plan.a}\nx", "# {plan.a}\nx", []],
    ["cat <<E\n{plan.a} {plan.b}\nE", "cat <<E\n{plan.a} {plan.b}\nE", ["{plan.a}"]],
    ["x ${Y:-{plan.a}}", "x ${Y:-{plan.a}}", ["{plan.a}"]],
    ['sh -c "x {plan.a}"', 'sh -c "x {plan.a}"', ["{plan.a}"]],
  ])(
    "a field is filled in where it is a word, and named where it cannot be: %j",
    (code, expected, refused) => {
      const fields = new Map([["{plan.a}", "two words"]]);
      expect(fillShell(code, { fields })).toEqual({ code: expected, missing: [], refused });
    },
  );

  it("puts plain words alone into a command that evaluates them", () => {
    const code = 'X="$1"; [[ $X -eq 1 ]] && y $ARGUMENTS';
    expect(fillShell(code, { words: ["12"], whole: "a/b --c=1" }).code).toBe(
      "X=12; [[ $X -eq 1 ]] && y a/b --c=1",
    );
    const refused = fillShell(code, { words: ["a b"], whole: "a (b)" });
    expect(refused).toEqual({ code, missing: [], refused: ["$1", "$ARGUMENTS"] });
  });

  it("fills common commands with any value", () => {
    const value = "two words";
    for (const code of [
      'if [[ -d "$1" ]]; then ls "$1"; fi',
      'grep -v x "$1"',
      'cp "$1" "${OUT:-out}/"',
      'echo "a[0-9]" "$1"',
    ]) {
      expect(fillShell(code, { words: [value] })).toMatchObject({ missing: [], refused: [] });
    }
  });
});
