import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSkillFiles } from "../../../src/skills/discovery/discover.ts";
import { lintSkill } from "../../../src/skills/lint/lint-skill.ts";
import { toRoot, withoutPrivileges } from "../temp-folder.ts";
import { HEADER, lint, lintFile, readFaults, skillFile, writeSkillFolder } from "./lint.ts";

const when = "description: Tidies. Use when asked.";

describe("what the specification allows", () => {
  it.each([
    ["the two keys that must be there", skillFile()],
    [
      "every key",
      skillFile(
        `${HEADER}\nlicense: MIT\ncompatibility: Needs git\nallowed-tools: Read Bash(git:*)\nmetadata:\n  version: "1.0"\n  author: me`,
      ),
    ],
    ["line ends of Windows", skillFile().replaceAll("\n", "\r\n")],
    ["quotes", skillFile('name: "tidy"\ndescription: "Tidies: all. Use when asked."')],
    ["a folded description", skillFile("name: tidy\ndescription: >-\n  Tidies.\n  Use when asked.")],
    ["the longest description", skillFile(`name: tidy\ndescription: Use ${"w".repeat(1020)}`)],
    ["the longest compatibility", skillFile(`${HEADER}\ncompatibility: ${"w".repeat(500)}`)],
    ["a line of dashes in the body", skillFile(HEADER, "One.\n\n---\n\nTwo.")],
  ])("%s: no fault", async (_title, content) => {
    expect(await lint(content)).toEqual([]);
  });

  it.each([["résumé"], ["навык"], ["技能"], ["a1-b2-3"], ["x".repeat(64)], ["café".normalize("NFD")]])(
    "the name %s",
    async (name) => {
      expect(await lint(skillFile(`name: ${name}\n${when}`), { folder: name })).toEqual([]);
    },
  );

  it("a name and a folder in two Unicode forms are one", async () => {
    const name = "café";
    const content = skillFile(`name: ${name.normalize("NFC")}\n${when}`);
    expect(await lint(content, { folder: name.normalize("NFD") })).toEqual([]);
  });
});

describe("what the specification forbids is an error", () => {
  it.each([
    ["no header", "Do it.\n", ["error header-missing 1"]],
    ["a header that does not end", `---\n${HEADER}\n`, ["error header-unclosed 1"]],
    ["a language after the fence", skillFile().replace("---", "---yaml"), ["error header-language 1"]],
    ["an empty header", "---\n---\nx\n", ["error name-missing 1", "error description-missing 1"]],
    ["no name", skillFile(when), ["error name-missing 1"]],
    ["no description", skillFile("name: tidy"), ["error description-missing 1"]],
    ["an empty description", skillFile('name: tidy\ndescription: " "'), ["error description-missing 3"]],
    ["a folder of another name", skillFile(`name: neat\n${when}`), ["error name-folder 2"]],
    [
      "a description that is too long",
      skillFile(`name: tidy\ndescription: Use ${"w".repeat(1021)}`),
      ["error description-long 3"],
    ],
    [
      "a description that is too long by its last line break",
      skillFile(`name: tidy\ndescription: >\n  Use ${"w".repeat(1020)}`),
      ["error description-long 3"],
    ],
    [
      "a compatibility that is too long",
      skillFile(`${HEADER}\ncompatibility: ${"w".repeat(501)}`),
      ["error compatibility-long 4"],
    ],
    ["a compatibility that is a number", skillFile(`${HEADER}\ncompatibility: 1.0`), ["error value-type 4"]],
    ["a compatibility that is a list", skillFile(`${HEADER}\ncompatibility: [x]`), ["error header-text 4"]],
    [
      "a compatibility that is a date",
      skillFile(`${HEADER}\ncompatibility: 2024-01-01`),
      ["error value-type 4"],
    ],
    ["an empty compatibility", skillFile(`${HEADER}\ncompatibility:`), ["error value-type 4"]],
    [
      "a colon in plain text",
      skillFile("name: tidy\ndescription: Tidies folders. Use when: asked"),
      ["error header-repaired 3"],
    ],
    ["a tab", skillFile(`${HEADER}\nmetadata:\n\ta: x`), ["error header-tab 5"]],
    ["a key twice", skillFile(`${HEADER}\nname: tidy`), ["error header-duplicate-key 4"]],
    [
      "a key of metadata twice",
      skillFile(`${HEADER}\nmetadata:\n  a: x\n  a: y`),
      ["error header-duplicate-key 6"],
    ],
    [
      "a description that is a list",
      skillFile("name: tidy\ndescription: [tidies folders, use when asked]"),
      ["error header-text 3"],
    ],
    ["a tag that nobody knows", skillFile(`${HEADER}\nmetadata:\n  a: !mine x`), ["error header-yaml 5"]],
    ["a key of another client", skillFile(`${HEADER}\nargument-hint: "[file]"`), ["error key-unknown 4"]],
    ["a byte-order mark", `\uFEFF${skillFile()}`, ["error header-start 1"]],
    ["a line before the header", `\n${skillFile()}`, ["error header-start 1"]],
    [
      "dashes that cut the name off",
      skillFile("description: Tidies --- use when asked.\nname: tidy"),
      ["error header-dashes 2"],
    ],
  ])("%s", async (_title, content, faults) => {
    expect(await lint(content)).toEqual(faults);
  });

  it.each([
    ["Tidy", "name-form"],
    ["-tidy", "name-form"],
    ["tidy-", "name-form"],
    ["ti--dy", "name-form"],
    ["ti_dy", "name-form"],
    ["ti dy", "name-form"],
    ["x".repeat(65), "name-long"],
    ["007", "value-type"],
    ["1e3", "value-type"],
  ])("the name %s", async (name, code) => {
    expect(await lint(skillFile(`name: ${name}\n${when}`), { folder: name })).toEqual([`error ${code} 2`]);
  });

  it("a file that is not UTF-8 is an error of its own", async () => {
    const content = Buffer.from(skillFile("name: tidy\ndescription: Caf\u00e9. Use when asked."), "latin1");
    const [fault, ...others] = await readFaults(content);
    expect(fault).toBe("SKILL.md:1 The file cannot be read: Line 3 is not UTF-8; save the file as UTF-8.");
    expect(others).toEqual([]);
  });

  it("A9: so is a file that may not be read", async () => {
    const path = writeSkillFolder(skillFile());
    chmodSync(path, 0o000);
    const diagnostics = await withoutPrivileges(() => lintFile(path));
    expect(diagnostics).toMatchObject([{ code: "file-unreadable", severity: "error", path, line: 1 }]);
  });
});

describe("what works here but hardly elsewhere is a warning", () => {
  it.each([
    [
      "text that YAML cuts",
      skillFile("name: tidy\ndescription: Tidies folders. Use when # asked"),
      ["warning header-comment 3"],
    ],
    [
      "dashes in the description",
      skillFile("name: tidy\ndescription: Tidies --- use when asked"),
      ["warning header-dashes 3"],
    ],
    ["tools as a list", skillFile(`${HEADER}\nallowed-tools: [Read, Write]`), ["warning tools-type 4"]],
    [
      "a tool that is not balanced",
      skillFile(`${HEADER}\nallowed-tools: Bash(git`),
      ["warning tools-unbalanced 4"],
    ],
    ["a number in metadata", skillFile(`${HEADER}\nmetadata:\n  version: 1.10`), ["warning metadata-type 5"]],
    ["a map in metadata", skillFile(`${HEADER}\nmetadata:\n  a:\n    b: x`), ["warning metadata-type 5"]],
    ["metadata that is text", skillFile(`${HEADER}\nmetadata: x`), ["warning metadata-form 4"]],
    ["a license that is a map", skillFile(`${HEADER}\nlicense: {x: y}`), ["error header-text 4"]],
    ["a license that is a list", skillFile(`${HEADER}\nlicense:\n  - x`), ["error header-text 4"]],
    ["a license that is a number", skillFile(`${HEADER}\nlicense: 2`), ["warning value-type 4"]],
    [
      "a description without an occasion",
      skillFile("name: tidy\ndescription: Reads the tables of PDFs."),
      ["warning description-when 3"],
    ],
    ["no instructions", skillFile(HEADER, ""), ["warning body-empty 5"]],
    ["501 lines", skillFile(HEADER, `# X\n${"x\n".repeat(500)}`), ["warning body-long 505"]],
    ["code that is never closed", skillFile(HEADER, "One.\n\n```js\nx"), ["warning body-open 7"]],
  ])("%s", async (_title, content, faults) => {
    expect(await lint(content)).toEqual(faults);
  });

  it("a number as a name keeps its text, so it is no error", async () => {
    expect(await lint(skillFile(`name: 123\n${when}`), { folder: "123" })).toEqual(["warning value-type 2"]);
  });

  it.each([["整理文件夹。"], ["Räumt einen Ordner auf."], ["Range un dossier."]])(
    "%s: no occasion is missed in it",
    async (description) => {
      expect(await lint(skillFile(`name: tidy\ndescription: ${description}`))).toEqual([]);
    },
  );

  it("500 lines are no fault", async () => {
    expect(await lint(skillFile(HEADER, `# X\n${"x\n".repeat(499)}`))).toEqual([]);
  });
});

describe("what is said", () => {
  it.each([
    [
      "allowed_tools: Read",
      'SKILL.md:4 "allowed_tools" is no key of the specification: it is not read; write "allowed-tools" yourself, which pre-approves what it lists.',
    ],
    [
      "colour: green",
      'SKILL.md:4 "colour" is no key of the specification, and it is ignored here. Its keys: name, description, license, compatibility, metadata, allowed-tools. Others belong into "metadata".',
    ],
    [
      "tags: a",
      'SKILL.md:4 "tags" is no key of the specification, and it is ignored here. Words of a collection; they belong into `metadata`.',
    ],
    [
      "version: 1",
      'SKILL.md:4 "version" is no key of the specification, though it is shown here; other clients may refuse it. Its keys: name, description, license, compatibility, metadata, allowed-tools.',
    ],
    [
      "model: x",
      'SKILL.md:4 "model" is no key of the specification, though it is honoured here; other clients may refuse it. Its keys: name, description, license, compatibility, metadata, allowed-tools.',
    ],
  ])("of the key %s", async (line, message) => {
    expect(await readFaults(skillFile(`${HEADER}\n${line}`))).toEqual([message]);
  });

  it("stands in the order of the lines, and nothing twice", async () => {
    const content = skillFile(
      "description: Reads the tables of it.\nname: neat\nversion: 1",
      "See [a](a.md).\n\nSee [a](a.md).",
    );
    expect(await lint(content)).toEqual([
      "warning description-when 2",
      "error name-folder 3",
      "error key-unknown 4",
      "warning link-missing 6",
    ]);
  });
});

describe("the bundled skills", () => {
  it("have no fault", async () => {
    const root = toRoot(join(import.meta.dirname, "../../../skills"));
    const { files } = findSkillFiles([root]);
    const reports = await Promise.all(files.map((file) => lintSkill(file)));
    const diagnostics = reports.flatMap((report) => report.diagnostics);
    expect(files.length).toBeGreaterThan(3);
    expect(diagnostics).toEqual([]);
  });
});
