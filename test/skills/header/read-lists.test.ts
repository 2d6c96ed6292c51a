import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";
import { parseHeader } from "../../../src/skills/schema.ts";

function read(lines: string) {
  const place = { path: "/skills/x/SKILL.md", directory: "/skills/x", folderName: "x" };
  const text = `---\nname: x\ndescription: d\n${lines}\n---\nBody.\n`;
  const rest = { source: "/skills", tier: "project", trusted: true } as const;
  const { skill, diagnostics } = parseHeader(parseFrontmatter(text), { ...place, ...rest });
  return { skill, codes: diagnostics.map(({ code, line }) => `${code} ${line}`), diagnostics };
}

describe("arguments", () => {
  it.each([
    "arguments: file mode",
    "arguments: file, mode",
    "arguments: file,mode,",
    'arguments: "file mode"',
    "arguments: [file, mode]",
    "arguments:\n  - file\n  - mode",
    "arguments:\n- file # the file\n- 'mode'",
    "arguments: >-\n  file\n  mode",
  ])("%j are two names", (lines) => {
    expect(read(lines)).toMatchObject({ skill: { argumentNames: ["file", "mode"] }, codes: [] });
  });

  it.each([
    ["1st file", ["", "file"]],
    ["file 2nd", ["file"]],
    ["<file> mode", ["", "mode"]],
    ["ARGUMENTS file", ["", "file"]],
    ["file file mode", ["file", "", "mode"]],
    ["a.b $c", []],
  ])("a name that cannot be used leaves the others at their places: %s", (value, names) => {
    expect(read(`arguments: ${value}`)).toMatchObject({
      skill: { argumentNames: names },
      codes: ["arguments-form 4"],
    });
  });

  it.each(["arguments:", "arguments: []", "arguments: null", "license: MIT"])("%j are none", (lines) => {
    expect(read(lines)).toMatchObject({ skill: { argumentNames: [] }, codes: [] });
  });

  it.each(["arguments: {file: x}", "arguments:\n  - name: file"])("%j are not read", (lines) => {
    expect(read(lines)).toMatchObject({ skill: { argumentNames: [] }, codes: ["arguments-form 4"] });
  });
});

describe("paths", () => {
  it.each([
    ["src/**", ["src/**"], []],
    ["src/**, docs/*.md", ["src/**", "docs/*.md"], []],
    ['"*.{ts,tsx}, docs/**"', ["*.{ts,tsx}", "docs/**"], []],
    ["src/*.{ts,tsx},docs/**", ["src/*.{ts,tsx}", "docs/**"], []],
    ["[src/**, docs/**]", ["src/**", "docs/**"], []],
    ['["*.ts", "a b/*"]', ["*.ts", "a b/*"], []],
    ["\n  - src/**\n  - 'docs/{a,b}/*'", ["src/**", "docs/{a,b}/*"], []],
    ["", [], []],
    ["*.ts", ["*.ts"], ["header-repaired 4"]],
    ["**/*.ts", ["**/*.ts"], ["header-repaired 4"]],
    ["**/*.ts, *.js", ["**/*.ts", "*.js"], ["header-repaired 4"]],
    ["[*.ts, src/*.{js,jsx}]", ["*.ts", "src/*.{js,jsx}"], ["header-repaired 4"]],
    ["{src,test}/**", ["{src,test}/**"], ["header-repaired 4"]],
    ["[a-z]*.ts", ["[a-z]*.ts"], ["header-repaired 4"]],
    ["\n  - *.ts\n  - **/x", ["*.ts", "**/x"], ["header-repaired 4"]],
    ['"*.ts", "*.js"', ["*.ts", "*.js"], ["header-repaired 4"]],
    ["{a: b}", [], ["paths-form 4"]],
  ])("paths: %s", (value, paths, codes) => {
    expect(read(`paths: ${value}`)).toMatchObject({ skill: { paths }, codes });
  });

  it.each([
    ["{a: b}", ["paths-form 4"]],
    ["[[a]]", ["paths-form 4"]],
    ["[a\n  b: c", ["header-dropped 4", "paths-form 4"]],
  ])("paths that cannot be read never let the model choose the skill, a person does: %s", (value, codes) => {
    const expected = { paths: [], modelInvocable: false, userInvocable: true };
    expect(read(`paths: ${value}`)).toMatchObject({ skill: expected, codes });
    expect(read("paths: src/**").skill).toMatchObject({ modelInvocable: true });
  });
});

describe("mode", () => {
  it.each([
    ["true", true, []],
    ["yes", true, []],
    ['"true"', true, []],
    ["false", false, []],
    ["", false, []],
    ["agent", false, ["flag-form 4"]],
  ])("mode: %s", (value, mode, codes) => {
    expect(read(`mode: ${value}`)).toMatchObject({ skill: { mode }, codes });
  });
});

describe("version", () => {
  it.each([
    ["version: 1.10", "1.10"],
    ["version: 1.0.0", "1.0.0"],
    ["version: 007", "007"],
    ["version: 2024-01-02", "2024-01-02"],
    ["metadata:\n  version: 1.10", "1.10"],
    ['version: "2"\nmetadata:\n  version: 1', "2"],
    ["version:\nmetadata:\n  version: 1", "1"],
    ["metadata:\n  constructor: x", undefined],
    ["license: MIT", undefined],
  ])("%j", (lines, version) => {
    expect(read(lines).skill?.version).toBe(version);
  });
});

describe("words of a sentence that are keys, too", () => {
  it.each(["mode", "paths", "arguments"])("%s stays a part of a wrapped description", (word) => {
    const { skill, codes } = read(`when_to_use: Converts files\n  ${word}: many`);
    expect(skill?.description).toBe(`d - Converts files ${word}: many`);
    expect(codes).toEqual(["header-repaired 4"]);
  });
});

it("what was read instead is shortened to 200 characters", () => {
  const { diagnostics } = read(`license: Use: ${"é😀".repeat(300)}`);
  expect([...(diagnostics[0]?.read ?? "")]).toHaveLength(200);
  expect(diagnostics[0]?.read).toMatch(/^Use: é😀.*…$/u);
});
