import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillShell } from "../../src/skills/fill-shell.ts";
import { createFolder } from "./temp-folder.ts";

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

describe("fillShell", () => {
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
