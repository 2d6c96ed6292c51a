import matter from "gray-matter";
import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../src/skills/frontmatter.ts";
import { startCpuClock } from "../support/cpu-clock.ts";

function parse(header: string) {
  return parseFrontmatter(`---\n${header}\n---\nBody.\n`);
}

function codes(header: string): string[] {
  return parse(header).faults.map((fault) => fault.code);
}

describe("fences", () => {
  const plain = "---\nname: x\ndescription: d\n---\nBody.\n";

  it.each([
    ["a byte-order mark", `\uFEFF${plain}`],
    ["CRLF", plain.replaceAll("\n", "\r\n")],
    ["a byte-order mark and CRLF", `\uFEFF${plain.replaceAll("\n", "\r\n")}`],
    ["lone CR", plain.replaceAll("\n", "\r")],
    ["trailing blanks", "---  \nname: x\ndescription: d\n---\t \nBody.\n"],
  ])("A3: a file with %s reads like the LF file", (_, text) => {
    expect(parseFrontmatter(text)).toEqual(parseFrontmatter(plain));
  });

  it("A3: blank lines before the first fence are skipped and counted", () => {
    const { header, bodyLine, keyLines } = parseFrontmatter(`\uFEFF\n \n${plain}`);
    expect(header.get("name")).toBe("x");
    expect(keyLines.get("name")).toBe(4);
    expect(bodyLine).toBe(7);
  });

  it("A6: dashes inside a value, a block scalar or the body close nothing", () => {
    const text =
      '---\ndescription: "left---right"\nversion: 1---\nnote: |\n  a\n  ---\n  b\n---\nOne\n\n---\n\nTwo\n';
    const { header, body, bodyLine } = parseFrontmatter(text);
    expect(header.get("description")).toBe("left---right");
    expect(header.get("version")).toBe("1---");
    expect(header.get("note")).toBe("a\n---\nb\n");
    expect(body).toBe("One\n\n---\n\nTwo\n");
    expect(bodyLine).toBe(9);
  });

  it("A6: a line of dashes and more is no fence", () => {
    const { header, faults } = parseFrontmatter("---\nname: x\n---y: z\n---\nBody.");
    expect(header.get("---y")).toBe("z");
    expect(faults).toEqual([]);
  });

  it("A6: the file may end at the second fence", () => {
    expect(parseFrontmatter("---\nname: x\n---")).toMatchObject({ body: "", readable: true });
    expect(parseFrontmatter("---\nname: x\n--- ")).toMatchObject({ body: "", readable: true });
  });

  it("A6: a header of 6,000 characters is read to its end", () => {
    const long = `${"表".repeat(5_990)}`;
    expect(parse(`description: ${long}\nname: last`).header.get("name")).toBe("last");
    expect(parse(`description: ${long}`).header.get("description")).toBe(long);
  });

  it("refuses a file without a header, without a closing fence, and an empty file", () => {
    expect(parseFrontmatter("# Title\n").faults[0]?.code).toBe("header-missing");
    expect(parseFrontmatter("").faults[0]?.code).toBe("header-missing");
    expect(parseFrontmatter("-----\nname: x\n-----\n").faults[0]?.code).toBe("header-missing");
    expect(parseFrontmatter("---\nname: x\n").faults[0]?.code).toBe("header-unclosed");
  });

  it("an empty header is readable and holds nothing", () => {
    expect(parseFrontmatter("---\n---\nBody")).toMatchObject({ readable: true, body: "Body", bodyLine: 3 });
    expect(parse("# only a comment").header.size).toBe(0);
  });
});

describe("what a header may not do", () => {
  it.each(["---js", "---javascript", "--- js", "---JS", "---json", "---coffee", "---yaml"])(
    "A8: a header after %s is refused and never run",
    (fence) => {
      const text = `${fence}\n{ name: (globalThis.ran = true, "x"), description: "d" }\n---\nBody`;
      expect(parseFrontmatter(text)).toMatchObject({
        readable: false,
        faults: [{ code: "header-language" }],
      });
      expect("ran" in globalThis).toBe(false);
    },
  );

  it("A8: gray-matter itself would have run that header", () => {
    matter('---js\n{ name: (globalThis.ran = true, "x") }\n---\n', { language: "yaml" });
    expect("ran" in globalThis).toBe(true);
    Reflect.deleteProperty(globalThis, "ran");
  });

  it("A8: a bad header gives the same faults every time, and results are not shared", () => {
    const text = "---\nname: [x\n...\n---\nBody";
    const first = parseFrontmatter(text);
    expect(first.readable).toBe(false);
    expect(parseFrontmatter(text)).toEqual(first);
    parse("name: x").header.set("name", "changed");
    expect(parse("name: x").header.get("name")).toBe("x");
  });

  it.each([
    ["brackets", `a: ${"[".repeat(8_000)}`],
    ["list marks", `a:\n${"- ".repeat(8_000)}`],
    ["an anchor that holds itself", "a: &a [*a]"],
    [
      "an alias bomb",
      `a: &a [x, x]\n${[..."bcdefghijk"].map((key, index) => `${key}: &${key} [*${"abcdefghij"[index]}, *${"abcdefghij"[index]}]`).join("\n")}`,
    ],
  ])("a header nested too deep by %s is refused at once", (_, header) => {
    const readCpu = startCpuClock();
    expect(parse(header)).toMatchObject({ readable: false, faults: [{ code: "header-too-deep" }] });
    expect(readCpu()).toBeLessThan(500);
  });

  it("a header of more than 16 KiB is refused", () => {
    expect(codes(`description: ${"x".repeat(17_000)}`)).toEqual(["header-too-long"]);
  });

  it("control characters are refused with their line", () => {
    expect(parse("name: x\ndescription: a\0b").faults).toMatchObject([{ code: "header-control", line: 3 }]);
  });

  it("a second document inside the header never hides a limit", () => {
    expect(parse("name: x\n...\ndisallowed-tools: Bash").readable).toBe(false);
  });

  it("thousands of faults are reported as a few", () => {
    const { faults } = parse("k: : v\n".repeat(1_000));
    expect(faults.length).toBe(21);
    expect(faults.at(-1)?.code).toBe("header-more");
  });

  it("keys of Object.prototype are ordinary keys", () => {
    const { header } = parse("__proto__: a\nconstructor: b\noutput: {__proto__: {polluted: 1}}");
    expect([...header.keys()]).toEqual(["__proto__", "constructor", "output"]);
    expect("polluted" in {}).toBe(false);
  });
});

describe("values", () => {
  it.each([
    [">-", "description: >-\n  Checks invoices.\n  Use it.", "Checks invoices. Use it."],
    ["|", "description: |\n  Checks invoices.\n  Use it.", "Checks invoices.\nUse it.\n"],
    ["a wrapped plain value", "description: Checks invoices.\n  Use it.", "Checks invoices. Use it."],
    [
      "a value that begins on the next line",
      "description:\n  Checks invoices.\n  Use it.",
      "Checks invoices. Use it.",
    ],
    ["a wrapped quoted value", 'description: "Checks invoices.\n  Use it."', "Checks invoices. Use it."],
  ])("A4: a description in the form %s is the joined text", (_, header, expected) => {
    const result = parse(header);
    expect(result.header.get("description")).toBe(expected);
    expect(result.faults).toEqual([]);
  });

  it.each(["123", "007", "1.10", "true", "2024-01-01", "0x1F", "1e3", ".5", "yes"])(
    "text keeps the spelling of the file: %s",
    (value) => {
      const { header } = parse(`name: ${value}\ndescription: ${value}\nmetadata:\n  version: ${value}`);
      expect(header.get("name")).toBe(value);
      expect(header.get("description")).toBe(value);
      expect(header.get("metadata")).toEqual(new Map([["version", value]]));
    },
  );

  it("a JSON Schema and a switch keep the types of YAML", () => {
    const { header } = parse(
      "output:\n  required: [a]\n  minimum: 1\n  open: false\ndisable-model-invocation: true",
    );
    expect(header.get("output")).toEqual({ required: ["a"], minimum: 1, open: false });
    expect(header.get("disable-model-invocation")).toBe(true);
    expect(parse("needs: [01-look, 02]").header.get("needs")).toEqual(["01-look", "02"]);
  });

  it("metadata is text, also where a value is a map or a list", () => {
    const { header } = parse('metadata: {version: 1.10, deep: {"a": [1, 2]}}');
    expect(header.get("metadata")).toEqual(
      new Map([
        ["version", "1.10"],
        ["deep", '{"a": [1, 2]}'],
      ]),
    );
  });

  it("an empty value and null are empty text", () => {
    expect(parse("description:").header.get("description")).toBe("");
    expect(parse("description: ~").header.get("description")).toBe("");
  });
});
