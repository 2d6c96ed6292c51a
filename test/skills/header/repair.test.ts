import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";

function parse(header: string) {
  return parseFrontmatter(`---\n${header}\n---\nBody.\n`);
}

describe("descriptions that are no YAML", () => {
  it("A1: a colon and a blank in plain text cost one warning and no key", () => {
    const { header, faults, readable } = parse(
      "name: invoices\ndescription: Checks invoices. Use when: a total looks wrong\nallowed-tools: Read, Grep",
    );
    expect(readable).toBe(true);
    expect(header.get("description")).toBe("Checks invoices. Use when: a total looks wrong");
    expect(header.get("allowed-tools")).toBe("Read, Grep");
    expect(faults).toMatchObject([{ code: "header-repaired", severity: "warning", line: 3 }]);
  });

  it.each([
    ["Use when: the total looks wrong: twice", undefined],
    ["ends with a colon:", undefined],
    ["`code` first", undefined],
    ["@mention first", undefined],
    ["%percent first", undefined],
    ["*star first", undefined],
    ["&and first", undefined],
    ["!bang first", undefined],
    ["- dash first", undefined],
    ["? question first", undefined],
    [", comma first", undefined],
    ["] bracket first", undefined],
    ["[a] then text", undefined],
    ["{a} then text", undefined],
    ["> quote first", undefined],
    ["| bar first", undefined],
    ["tickets in C # and F # lists", undefined],
    ['"Foo" and "Bar" files', undefined],
    ['"Foo" or "Bar"', undefined],
    ["'tis open", undefined],
    ['"never closed', undefined],
    ['"He said "hi" to me"', 'He said "hi" to me'],
    ["'it's'", "it's"],
    ["用于: 处理表格", undefined],
  ])("reads `description: %s` as it is written, with a warning", (value, expected) => {
    const { header, faults } = parse(`name: x\ndescription: ${value}\nlicense: MIT`);
    expect(header.get("description")).toBe(expected ?? value);
    expect(header.get("license")).toBe("MIT");
    expect(faults).toMatchObject([{ severity: "warning", line: 3 }]);
  });

  it("keeps every line of a wrapped description that needs repair", () => {
    const { header } = parse(
      "description: Checks invoices.\n  Use when: a total\n  looks # wrong\nname: x: y",
    );
    expect(header.get("description")).toBe("Checks invoices. Use when: a total looks # wrong");
    expect(header.get("name")).toBe("x: y");
  });

  it("reads a description that YAML takes for a map or a list as text", () => {
    expect(parse("description:\n  Use when: it rains").header.get("description")).toBe("Use when: it rains");
    expect(parse("description: [draft] ").header.get("description")).toBe("[draft]");
  });

  it("reads an unindented continuation line as part of the text", () => {
    const { header, faults } = parse("name: x\ndescription: Checks invoices\nand totals: all\nlicense: MIT");
    expect(header.get("license")).toBe("MIT");
    expect(faults).toEqual([]);
    const wrapped = parse("description: Checks invoices\nand totals\nname: x");
    expect(wrapped.header.get("description")).toBe("Checks invoices and totals");
    expect(wrapped.faults).toMatchObject([{ code: "header-indent", line: 3 }]);
  });

  it("block scalars keep working beside an entry that needs repair", () => {
    const { header } = parse("description: >-\n  one\n  two\nargument-hint: [a] [b]");
    expect(header.get("description")).toBe("one two");
    expect(header.get("argument-hint")).toBe("[a] [b]");
  });
});

describe("other faults", () => {
  it("reads an argument hint in brackets as written", () => {
    expect(parse("argument-hint: [pr-number] [priority]").header.get("argument-hint")).toBe(
      "[pr-number] [priority]",
    );
    expect(parse("argument-hint: [pr-number]")).toMatchObject({ faults: [] });
    expect(parse("argument-hint: [pr-number]").header.get("argument-hint")).toBe("[pr-number]");
    expect(parse("argument-hint: <a> [b | c] # d").header.get("argument-hint")).toBe("<a> [b | c] # d");
  });

  it("a tab as indentation is repaired with a warning at its line", () => {
    const { header, faults } = parse("name: x\nmetadata:\n\tversion: 1.10\n\tauthor: a");
    expect(header.get("metadata")).toEqual(
      new Map([
        ["version", "1.10"],
        ["author", "a"],
      ]),
    );
    expect(faults).toMatchObject([{ code: "header-tab", line: 4 }]);
    expect(parse("description: |-\n\tone\n\ttwo").header.get("description")).toBe("one\ntwo");
  });

  it("of two equal keys the first wins, also below metadata", () => {
    const { header, faults } = parse("name: first\nname: second\nmetadata:\n  a: 1\n  a: 2");
    expect(header.get("name")).toBe("first");
    expect(header.get("metadata")).toEqual(new Map([["a", "1"]]));
    expect(faults).toMatchObject([
      { code: "header-duplicate-key", line: 3 },
      { code: "header-duplicate-key", line: 6 },
    ]);
  });

  it("metadata values are repaired one by one", () => {
    const { header } = parse("metadata:\n  note: a: b\n  at: @me\n  version: 1.10");
    expect(header.get("metadata")).toEqual(
      new Map([
        ["note", "a: b"],
        ["at", "@me"],
        ["version", "1.10"],
      ]),
    );
  });

  it("a comment after a field that is no sentence stays a comment", () => {
    const { header, faults } = parse("name: x # the name\nallowed-tools: Read # no more");
    expect(header.get("name")).toBe("x");
    expect(header.get("allowed-tools")).toBe("Read");
    expect(faults).toEqual([]);
  });

  it("a header that is indented as a whole is read", () => {
    expect(parse("  name: x\n  description: a: b").header.get("description")).toBe("a: b");
  });
});

describe("A2: an unreadable part never widens permissions", () => {
  it("a broken grant is left out and the rest is kept", () => {
    const { header, faults } = parse("name: x\nallowed-tools: [Bash(git *), Read\ndescription: d");
    expect(header.has("allowed-tools")).toBe(false);
    expect(header.get("description")).toBe("d");
    expect(faults).toMatchObject([{ code: "header-dropped", line: 3 }]);
  });

  it.each([
    "disallowed-tools: [Bash, Read",
    "disallowed-tools:\n  - [Bash",
    "disallowed-tools: Bash\ndisallowed-tools: Read",
    "disallowed-tools Bash",
    "description: d\n  oops: [\n...\ndisallowed-tools: Bash",
  ])("a limit that cannot be read refuses the whole header: %j", (lines) => {
    const { header, readable, faults } = parse(`name: x\n${lines}\nallowed-tools: Bash`);
    expect(readable).toBe(false);
    expect(header.size).toBe(0);
    expect(faults.some((fault) => fault.severity === "error")).toBe(true);
  });

  it("a limit that is indented by mistake stays a limit", () => {
    const { header } = parse("name: x\n  disallowed-tools: Bash\ndescription: d");
    expect(header.get("disallowed-tools")).toBe("Bash");
    expect(header.get("name")).toBe("x");
  });
});

it.each([
  [
    "description: >-\n    Tidies a folder.\n  Use when files lie around.",
    "Tidies a folder. Use when files lie around.",
  ],
  ["description: |\n   Tidies.\n  Use.", "Tidies.\nUse."],
])("a block whose lines are not indented alike is told as that: %j", (header, read) => {
  const { header: values, faults } = parseFrontmatter(`---\nname: x\n${header}\n---\n`);
  expect(values.get("description")).toBe(read);
  expect(faults).toMatchObject([{ code: "header-repaired", line: 3 }]);
  expect(faults[0]?.message).toBe(
    '"description" is not valid YAML: its lines are not indented alike. Read as it is written; indent all of them alike.',
  );
});
