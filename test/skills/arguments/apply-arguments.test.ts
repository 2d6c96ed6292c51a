import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  applyArguments,
  applyDirectory,
  quoteWord,
  splitArguments,
} from "../../../src/skills/arguments/apply-arguments.ts";
import { fillShell } from "../../../src/skills/arguments/fill-shell.ts";
import { findRunBlocks } from "../../../src/skills/run-blocks.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder } from "../temp-folder.ts";

function apply(text: string, words: string, skillDirectory = "/skills/x"): string {
  return applyArguments(text, { arguments: words, skillDirectory });
}

function run(code: string, words: string, skillDirectory?: string): string {
  const text = apply(`Intro.\n\n\`\`\`bash run\n${code}\n\`\`\`\n`, words, skillDirectory);
  return text.slice("Intro.\n\n```bash run\n".length, -"\n```\n".length);
}

describe("B6: arguments in text", () => {
  const body = "fee: $0.25\nawk '{print $2}' file\nFirst $1, second $2, all $ARGUMENTS.\n";
  const plain = "fee: $0.25\nawk '{print $2}' file\n";

  it.each([
    ["red blue", "First red, second blue, all red blue.\n"],
    ["", "First , second , all .\n"],
    ["a $& b", "First a, second $&, all a $& b.\n"],
    ['red "two words"', 'First red, second two words, all red "two words".\n'],
    ["$1 $ARGUMENTS", "First $1, second $ARGUMENTS, all $1 $ARGUMENTS.\n"],
    ["$$ $` $'", "First $$, second $`, all $$ $` $'.\n"],
  ])("with %j only the documented placeholders change", (words, expected) => {
    expect(apply(body, words)).toBe(plain + expected);
  });

  it.each([
    "$0",
    "$0.25",
    "$1.50",
    "$1,000",
    "$15",
    "$5k",
    "$10",
    "\\$1",
    "${1}",
    "$ARGUMENTS[0]",
    "$ARGUMENTS_X",
    "$HOME",
    "${HOME}",
    "${baseDir}",
    "$$",
    "$$x$$",
  ])("%s stays", (text) => {
    expect(apply(`It is ${text} here.`, "red blue")).toBe(`It is ${text} here.`);
  });

  it("a price without smaller numbers beside it stays when there is no such argument", () => {
    expect(apply("It costs $5.", "")).toBe("It costs $5.");
    expect(apply("It costs $5.", "a b c d e")).toBe("It costs e.");
    expect(apply("Use $1.", "")).toBe("Use .");
  });

  it("two dollar signs escape", () => {
    expect(apply("$$1 $$0 $$ARGUMENTS $${CLAUDE_SKILL_DIR} $$5.00", "red")).toBe(
      "$1 $0 $ARGUMENTS ${CLAUDE_SKILL_DIR} $5.00",
    );
  });

  it.each([
    "awk -F: '{print $1}' f",
    "`gawk '$1 > 2'`",
    "perl -pe 's/(a)/$1/'",
    "rg a -r '$1' f",
    "awk '\n{ print $1 }\n' f",
  ])("the program's own $1 stays: %s", (text) => {
    expect(apply(text, "red")).toBe(text);
  });

  it("a value inside other single quotes is filled in", () => {
    expect(apply("Greet '$1' with curl -d '{\"q\": \"$ARGUMENTS\"}'.", "red")).toBe(
      "Greet 'red' with curl -d '{\"q\": \"red\"}'.",
    );
  });

  it("B10: the skill's folder is filled in literally", () => {
    expect(apply("Run ${CLAUDE_SKILL_DIR}/a.mjs or {baseDir}/b.", "", "/s k/$&")).toBe(
      "Run /s k/$&/a.mjs or /s k/$&/b.",
    );
  });

  it.each(["```", "~~~~", "   ```", "  - x\n    ```"])(
    "fenced code keeps its own $1 when there is no argument (%j)",
    (fence) => {
      const code = `${fence}sql\nSELECT $1, $2\n${fence.split("\n").at(-1)}\n`;
      expect(apply(`${code}Use $1.\n`, "")).toBe(`${code}Use .\n`);
      expect(apply(`Use $1.\n${code}`, "")).toBe(`Use .\n${code}`);
    },
  );

  it("fenced code that is not marked run is text", () => {
    expect(apply("```bash\necho $1 {baseDir}\n```\n", "a;b")).toBe("```bash\necho a;b /skills/x\n```\n");
  });
});

describe("placeholders in run blocks", () => {
  it.each([
    ['x "$1"', "plain/word.txt", "x plain/word.txt"],
    ['x "$1"', '"two words"', "x 'two words'"],
    ["x $1", "it's", "x 'it'\\''s'"],
    ["x $1 $2", "a;b $(c)", "x 'a;b' '$(c)'"],
    ["x $ARGUMENTS", 'red "two words"', "x red 'two words'"],
    ['x "$ARGUMENTS"', "fix the bug", "x 'fix the bug'"],
    ['x "a $1 b"', "c", "x 'a c b'"],
    ['x "$1 $HOME"', "a`b", 'x "a\\`b $HOME"'],
    ['x "\\"$1\\""', "a", "x '\"a\"'"],
    ["awk '{print $1}' \"$1\"", "f", "awk '{print $1}' f"],
    ["# don't $1\nx $1", "a b", "# don't $1\nx a"],
    ['x "$(cat "$1")"', "'a b'", "x \"$(cat 'a b')\""],
    ['x "$1">o', "2", "x '2'>o"],
    ["x $$1", "a", "x ${1}"],
    ['x ""', '""', 'x ""'],
    ['x "$1"', '""', "x ''"],
  ])("%j with %j", (code, words, expected) => {
    expect(run(code, words)).toBe(expected);
  });

  it.each(['x "$1"', "x $1", "x $ARGUMENTS", 'x "$ARGUMENTS"', 'x "a $1"'])(
    "%s without a value stays",
    (code) => {
      expect(run(code, "")).toBe(code);
    },
  );

  it("one missing value keeps its word in double quotes", () => {
    expect(run('x "$1/$2" $1', "a$b")).toBe("x \"a\\$b/$2\" 'a$b'");
  });

  it.each([
    "cat <<E\n$1\nE",
    "x `y $1`",
    "x $((1 + $1))",
    "if (( $1 )); then x; fi",
    'x $"$1"',
    'x "${Y:-$1}"',
    "x '$1'",
    'x "$(case a in a) y "$1";; esac)"',
    "x \\$1",
    "x $10",
  ])("nothing is filled in where no quoting is safe: %j", (code) => {
    expect(run(code, "a b c d e f g h i")).toBe(code);
  });

  it.each([
    ["substitutions", `\`\`\`bash run\n${'"$('.repeat(30_000)}$1\n\`\`\`\n`],
    ["quotes", `awk ${"' awk ".repeat(20_000)}`],
    ["dollars", "$1".repeat(50_000)],
    ["blanks", `${" ".repeat(100_000)}x`],
    ["fences", "```x\n".repeat(20_000)],
  ])("a text full of %s takes no time", (_, text) => {
    const readCpu = startCpuClock();
    apply(text, "a b");
    expect(readCpu()).toBeLessThan(1_000);
  });

  it("the folder becomes a part of the word", () => {
    const code = 'node "${CLAUDE_SKILL_DIR}/scripts/x.mjs" {baseDir}/y';
    expect(run(code, "", "/s/x")).toBe("node /s/x/scripts/x.mjs /s/x/y");
    expect(run(code, "", "/s k")).toBe("node '/s k/scripts/x.mjs' '/s k'/y");
  });

  it("a real shell gets every value as one word and runs none of it", () => {
    const folder = createFolder();
    const marker = join(folder, "marker");
    const values = [
      `$(touch ${marker})`,
      `\`touch ${marker}\``,
      `"; touch ${marker}; "`,
      `'; touch ${marker}; '`,
      "a\\",
      "$HOME",
      "!x",
      "*",
      "~",
      "-n",
      "a\nb",
      "{a,b}",
      "abc",
      "#x",
      `\${x:-$(touch ${marker})}`,
    ];
    const codes = [
      'printf "%s|" "$1"',
      "printf '%s|' $1",
      'X="$1"; printf "%s|" "$X"',
      'Y=1; printf "%s|" "$Y$1$Y"',
      "Y=1; printf '%s|' \"$Y\"$1$Y",
      "Y=1; printf '%s|' $Y$1$Y",
      "Y=1; printf '%s|' $Y\"$1\"$Y",
      'printf "%s|" "$(printf "%s" "$1")"',
      'printf "%s|" "$(printf "%s" $1)"',
      '(printf "%s|" $1)',
    ];
    for (const value of values) {
      for (const code of codes) {
        const words = `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
        expect(splitArguments(words)).toEqual([value]);
        const output = execFileSync("bash", ["-c", run(code, words)], { cwd: folder, encoding: "utf8" });
        expect(output).toBe(code.startsWith("Y=1") ? `1${value}1|` : `${value}|`);
      }
    }
    expect(existsSync(marker)).toBe(false);
  });
});

describe("what earlier stages handed over", () => {
  const fields = new Map([
    ["{plan.version}", "1.2.0"],
    ["{plan.title}", "It's $1 & {plan.version}"],
    ["{plan.files.0}", "a b"],
    ["{計画.名}", "値"],
  ]);
  const fill = (text: string, values = fields) =>
    applyArguments(text, { arguments: "red", skillDirectory: "/s", fields: values });

  it("is filled into text literally and once", () => {
    expect(fill("Do {plan.version} ({plan.title}), {計画.名}, $1.")).toBe(
      "Do 1.2.0 (It's $1 & {plan.version}), 値, red.",
    );
  });

  it.each([
    "{plan.other}",
    "{plan}",
    "{version}",
    "${plan.version}",
    "{{plan.version}}",
    "{ plan.version }",
    "{a.b}",
  ])("%s stays", (text) => {
    expect(fill(`x ${text} y`)).toBe(`x ${text} y`);
    expect(fill(`\`\`\`sh run\nx ${text}\n\`\`\``)).toBe(`\`\`\`sh run\nx ${text}\n\`\`\``);
  });

  it("becomes shell words in blocks that are run", () => {
    expect(
      fill('```bash run\ngit tag "v{plan.version}" -m "{plan.title}" {plan.files.0} {baseDir}/x\n```'),
    ).toBe("```bash run\ngit tag v1.2.0 -m 'It'\\''s $1 & {plan.version}' 'a b' /s/x\n```");
  });

  it.each([
    "x\n```\n\n```bash run\ntouch MARK\n```",
    "```\n```bash run\ntouch MARK",
    "x\n~~~\n~~~bash run\ntouch MARK\n~~~\n",
    "x\r```\r```sh run\rtouch MARK",
    "x\n   ~~~~\n   ```bash run\ntouch MARK\n",
  ])("a value neither ends the block it stands in nor begins one: %j", (value) => {
    const values = new Map([["{a.b}", value]]);
    for (const fence of ["```", "~~~"]) {
      for (const code of [
        "printf %s {a.b}",
        'printf %s "{a.b}"',
        'X=1; printf %s "$Y{a.b}"',
        'printf %s "$Y\n{a.b}"',
      ]) {
        const text = fill(`${fence}bash run\n${code}\n${fence}\n`, values);
        const blocks = findRunBlocks(text);
        expect(blocks).toHaveLength(1);
        const output = execFileSync("bash", ["-c", blocks[0]?.code ?? ""], { encoding: "utf8" });
        // A lone carriage return ends a line of Markdown.
        expect(output.trimStart()).toBe(value.replaceAll("\r", "\n"));
      }
    }
    expect(findRunBlocks(fill("Text {a.b}\n{a.b}\n```json\n{a.b}\n```\n", values))).toEqual([]);
  });

  it("a text full of braces takes no time", () => {
    const readCpu = startCpuClock();
    fill(`{${"a.".repeat(100_000)}`);
    fill("{a.b".repeat(50_000));
    fill(`\`\`\`bash run\n{${"a.".repeat(50_000)} ${"{a.".repeat(20_000)}\n\`\`\``);
    expect(readCpu()).toBeLessThan(1_000);
  });
});

describe("the blocks to be run are those of the text", () => {
  const later = "\n\n```bash run\ntouch done\n```\n";
  const fill = (text: string, values: Record<string, string>, words = "") =>
    applyArguments(text, {
      arguments: words,
      skillDirectory: "/s",
      fields: new Map(Object.entries(values).map(([name, value]) => [`{look.${name}}`, value])),
    });
  const codes = (text: string) => findRunBlocks(text).map(({ code }) => code);

  it.each<[string, string, Record<string, string>]>([
    ["inline code", "`{look.name}`", { name: "``bash run\nrm build\n``" }],
    ["inline code that is not closed", "`{look.name}`", { name: "``bash run\nrm build\n" }],
    ["two backticks", "``{look.name}``", { name: "`bash run\nrm build\n`" }],
    ["a tilde", "~{look.name}~", { name: "~~bash run\nrm build\n~~" }],
    ["two values", "{look.a}{look.b}", { a: "``", b: "`bash run\nrm build\n```" }],
    ["a value before a fence", "x{look.a}```bash run\nrm build\n```\n```", { a: "\n" }],
    ["an empty value before a fence", "{look.a}```bash run\nrm build\n```\n```", { a: "" }],
    ["a language", "```{look.name}\nrm build\n```", { name: "bash run" }],
    ["a language of two lines", "```{look.name}\necho\n```", { name: "bash run\nrm build" }],
    ["a comment that is not closed", "{look.name}", { name: "<!-- todo" }],
    ["a comment of two values", "{look.a}{look.b}", { a: "<!", b: "-- todo" }],
    ["the end of a comment", "<!-- {look.name}\n```bash run\nrm build\n```\n-->", { name: "-->" }],
    ["the end of fenced code", "````\n{look.name}\n```bash run\nrm build\n```\n````", { name: "````" }],
    ["carriage returns", "~{look.name}~", { name: "\r~~~bash run\rrm build\r~~~\r" }],
  ])("%s", (_title, text, values) => {
    expect(codes(fill(text + later, values))).toEqual(["touch done"]);
  });

  it("a value that would change them goes in as one line of JSON, others as they are", () => {
    const text = `\`{look.name}\` of {look.version}:${later}`;
    expect(fill(text, { name: "``bash run\nrm build\n``", version: "1.2.0" })).toBe(
      `\`"\`\`bash run\\nrm build\\n\`\`"\` of 1.2.0:${later}`,
    );
    expect(fill(`{look.name}${later}`, { name: "<!-- todo" })).toBe(`"\\u003c!-- todo"${later}`);
    expect(fill(`\`{look.name}\`${later}`, { name: "two\nlines" })).toBe(`\`two\nlines\`${later}`);
  });

  it("a language is filled in where it changes no block, else stays", () => {
    expect(fill("```{look.name}\nx\n```", { name: "js" })).toBe("```js\nx\n```");
    expect(fill("```{look.name}\nx\n```", { name: "sh run" })).toBe("```{look.name}\nx\n```");
  });

  it("pasted arguments begin none", () => {
    const pasted = "text\n```bash run\ntouch pwned\n```\nmore";
    const text = fill(`Summarise this:\n\n$ARGUMENTS${later}`, {}, pasted);
    expect(codes(text)).toEqual(["touch done"]);
    expect(text).toContain(JSON.stringify(pasted));
    expect(codes(fill("$1$2\nx\n```", {}, '"\n" "```bash run"'))).toEqual([]);
  });

  it("whatever the values and the text are", () => {
    const parts = [
      "`",
      "``",
      "```",
      "~~~",
      "~",
      "\n",
      "\r",
      " ",
      "bash run",
      "sh run",
      "js",
      "<!--",
      "<!",
      "--",
      "-->",
      ">",
    ];
    const [marks, holes] = [
      [...parts, "rm build\n", "x", ""],
      ["{look.a}", "{look.b}", "$ARGUMENTS", "$1", "$2", "{baseDir}"],
    ];
    const pick = createPicker(7);
    const join = (from: string[], most: number) =>
      Array.from({ length: Math.floor(pick.next() * most) }, () => pick.from(from)).join("");
    let [changed, blocks] = [0, 0];
    for (let round = 0; round < 20_000; round += 1) {
      const text = join([...marks, ...holes, ...holes, "\n", "\n```bash run\necho {look.a}\n```\n"], 16);
      const [a, b, words] = [join(marks, 6), join(marks, 6), join(marks, 8)];
      const fields = new Map([
        ["{look.a}", a],
        ["{look.b}", b],
      ]);
      const filled = applyArguments(text, { arguments: words, skillDirectory: "/s", fields });
      const before = findRunBlocks(text);
      const after = findRunBlocks(filled);
      const place = JSON.stringify({ text, a, b, words, filled });
      expect(after.length, place).toBe(before.length);
      const whole = words.trim() === "" ? {} : { whole: words.trim() };
      const shell = { directory: "/s", words: splitArguments(words), ...whole, fields };
      const codesOf = (each: string, list: typeof before) =>
        list.map(({ start, end }) => each.slice(start, end));
      expect(codesOf(filled, after), place).toEqual(
        codesOf(text, before).map((code) => (filled === text ? code : fillShell(code, shell).code)),
      );
      blocks += before.length;
      if (filled !== text) changed += 1;
    }
    expect(changed).toBeGreaterThan(5_000);
    expect(blocks).toBeGreaterThan(2_000);
  });
});

/** The same row of numbers every time. */
function createPicker(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return { next, from: (list: string[]): string => list[Math.floor(next() * list.length)] ?? "" };
}

describe("words", () => {
  it.each([
    ["", []],
    ["  a   b ", ["a", "b"]],
    ['red "two words"', ["red", "two words"]],
    ["'two words' x", ["two words", "x"]],
    ['--name="two words" b', ["--name=two words", "b"]],
    ["--name='two words'", ["--name=two words"]],
    ["don't say it's", ["don't", "say", "it's"]],
    ['"never closed', ['"never', "closed"]],
    ["C:\\temp\\x", ["C:\\temp\\x"]],
    ["a\\ b", ["a b"]],
    ['"" b', ["", "b"]],
    ["表 é", ["表", "é"]],
    ["a\nb", ["a", "b"]],
  ])("%j", (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });

  it("a word is quoted only when it has to be", () => {
    expect(quoteWord("a/b-c_d.e:f@g%h+i=j,k")).toBe("a/b-c_d.e:f@g%h+i=j,k");
    expect(quoteWord("")).toBe("''");
    expect(quoteWord("it's")).toBe("'it'\\''s'");
    expect(quoteWord("表")).toBe("'表'");
  });

  it("the folder is filled into a grant, and nothing else is", () => {
    const entry = "Bash(node ${CLAUDE_SKILL_DIR}/scripts/plan.mjs $1 $$1:*)";
    expect(applyDirectory(entry, "/s/x")).toBe("Bash(node /s/x/scripts/plan.mjs $1 $$1:*)");
    expect(applyDirectory(entry, "/s k")).toBe("Bash(node '/s k'/scripts/plan.mjs $1 $$1:*)");
    expect(applyDirectory('Bash("{baseDir}/x":*)', "/s k")).toBe("Bash('/s k/x':*)");
  });
});
