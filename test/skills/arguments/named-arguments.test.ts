import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyArguments } from "../../../src/skills/arguments/apply-arguments.ts";
import { fillShell } from "../../../src/skills/arguments/fill-shell.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder } from "../temp-folder.ts";

const NAMES = ["file", "mode", "file-name"];

function apply(text: string, words: string, names: string[] = NAMES): string {
  return applyArguments(text, { arguments: words, names, skillDirectory: "/skills/x" });
}

function run(code: string, words: string, names?: string[]): string {
  return apply(`\`\`\`bash run\n${code}\n\`\`\`\n`, words, names).slice(
    "```bash run\n".length,
    -"\n```\n".length,
  );
}

describe("B6: named arguments in text", () => {
  it.each([
    ["Read $file in $mode.", "a.md fast", "Read a.md in fast."],
    ["Read $file, $1, $ARGUMENTS.", "a.md fast", "Read a.md, a.md, a.md fast."],
    ["Read '$file'; cost $0.25, $5.", "a.md", "Read 'a.md'; cost $0.25, $5."],
    ["Read $file.", 'red "two words"', "Read red."],
    ["Read $mode.", 'red "two words"', "Read two words."],
    ["Read $file.", "$&", "Read $&."],
    ["Read $file.", "$mode x", "Read $mode."],
    ["Read $file and $mode.", "", "Read  and ."],
    ["Use $mode alone.", "", "Use  alone."],
    ["$file-name, $file-x, $file.", "a b c", "c, a-x, a."],
    ["$$file is $file, $$mode is $mode.", "a b", "$file is a, $mode is b."],
  ])("%j with %j", (text, words, expected) => {
    expect(apply(text, words)).toBe(expected);
  });

  it.each(["$file_x", "$files", "$file2", "$File", "${file}", "\\$file", "$other", "$$files", "file", "$"])(
    "%s stays",
    (text) => {
      expect(apply(`It is ${text} here.`, "red blue")).toBe(`It is ${text} here.`);
    },
  );

  it("without names `$file` stays", () => {
    expect(apply("Read $file.", "a.md", [])).toBe("Read $file.");
    expect(applyArguments("$file", { arguments: "a", skillDirectory: "/s" })).toBe("$file");
  });

  it("a word without a name is counted", () => {
    expect(apply("$mode", "a b", ["", "mode"])).toBe("b");
  });

  it("the variables of a program in quotes and of fenced code without a value stay", () => {
    expect(apply("awk '{print $file}' x; perl -e '$mode'", "a b")).toBe(
      "awk '{print $file}' x; perl -e '$mode'",
    );
    expect(apply("```php\necho $file;\n```\n", "")).toBe("```php\necho $file;\n```\n");
    expect(apply("```php\necho $file;\n```\n", "a")).toBe("```php\necho a;\n```\n");
  });
});

describe("B6: named arguments in run blocks", () => {
  it.each([
    ['x "$file"', "it's", "x 'it'\\''s'"],
    ["x $file $mode", "a;b $(c)", "x 'a;b' '$(c)'"],
    ['x "a $file b"', "c", "x 'a c b'"],
    ['x "$file/$mode"', "a$b", 'x "a\\$b/$mode"'],
    ["x $file_x $files", "a", "x $file_x $files"],
    ["awk '{print $file}' $file", "f", "awk '{print $file}' f"],
    ["x $$file $file", "a", "x ${file} a"],
    ["x $$file-name", "a", "x ${file}-name"],
    ["x $file-name", "a b c", "x c"],
    ["x ${file} \\$file", "a", "x ${file} \\$file"],
    ['x "${Y:-$file}"', "a", 'x "${Y:-$file}"'],
    ["cat <<E\n$file\nE", "a", "cat <<E\n$file\nE"],
  ])("%j with %j", (code, words, expected) => {
    expect(run(code, words)).toBe(expected);
  });

  it.each(["x $file", 'x "$file"', 'x "a $mode"'])("%s without a value stays", (code) => {
    expect(run(code, "")).toBe(code);
  });

  it("names what has no value and what can have none", () => {
    const names = ["file", "mode"];
    expect(fillShell("x $mode `y $file`", { names })).toMatchObject({
      missing: ["$mode"],
      refused: ["$file"],
    });
    expect(fillShell("[[ $file -eq 1 ]]", { names, words: ["a[$(b)]"] })).toMatchObject({
      code: "[[ $file -eq 1 ]]",
      refused: ["$file"],
    });
  });

  it("a real shell gets every value as one word and runs none of it", () => {
    const folder = createFolder();
    const marker = join(folder, "marker");
    const values = [
      `$(touch ${marker})`,
      `"; touch ${marker}; "`,
      `'; touch ${marker}; '`,
      "$mode",
      "a\nb",
      "*",
    ];
    for (const value of values) {
      for (const code of ['printf "%s|" "$file"', "printf '%s|' $file", 'X="$file"; printf "%s|" "$X"']) {
        const words = `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
        const output = execFileSync("bash", ["-c", run(code, words)], { cwd: folder, encoding: "utf8" });
        expect(output).toBe(`${value}|`);
      }
    }
    expect(existsSync(marker)).toBe(false);
  });

  it("a text full of names takes no time", () => {
    const readCpu = startCpuClock();
    const names = Array.from({ length: 50 }, (_, index) => `name${index}`);
    apply("$name4$name49$name".repeat(20_000), "a b", names);
    run('x "$name4$name49" $$name1 '.repeat(5_000), "a b", names);
    expect(readCpu()).toBeLessThan(2_000);
  });
});
