import { describe, expect, it } from "vitest";
import { readPlainHeader } from "../../../src/skills/header/plain.ts";
import { type HeaderReading, readHeaderYaml } from "../../../src/skills/header/yaml.ts";

/** A reading as text: also the order of the keys must be the same. */
function write({ values, lines, faults, errors }: HeaderReading): string {
  const toPlain = (value: unknown): unknown => (value instanceof Map ? ["map", ...value.entries()] : value);
  return JSON.stringify({
    values: [...values].map(([key, value]) => [key, toPlain(value)]),
    lines: [...lines],
    faults,
    errors,
  });
}

function readBoth(source: string) {
  const plain = readPlainHeader(source, 7);
  return { plain: plain && write(plain), full: write(readHeaderYaml(source, 7)) };
}

describe("a header of plain lines is read as the whole parser reads it", () => {
  it.each([
    "name: pdf-tools\ndescription: Fills in forms, and more.",
    'name: "pdf-tools"\ndescription: "Use when: a total # looks [wrong]"\n',
    "description: 'A \"quoted\" word: here'",
    "description: left---right, it's 50% off & more! a|b > c @home *",
    "description: 表格：填写 👩‍👩‍👧‍👦 é\u00a0x",
    "description: Sorts C# and F#, a:b and http://example.org",
    "description: Reads {name} and [file]\nargument-hint: <folder> [more]",
    'license: ""',
    "version: 1.10\nauthor: 007\nmodel: 1e3",
    "arguments: file mode\npaths: src/*.ts, docs/**\nmode: true\ndisallowed_tools: Bash(rm *)",
    'paths: "*.{ts,tsx}, docs/**"\narguments: file\nmode: off',
    "version: 0x1F\nlicense: 2024-01-02\ntitle: 12:30:00",
    "name: true\ndescription: yes\nlicense: no",
    'name: "null"\ndescription: nullify',
    "disable-model-invocation: true\nuser-invocable: false\nrestrict: true",
    "allowed-tools: Read Bash(node ${CLAUDE_SKILL_DIR}/scripts/plan.mjs:*), Glob",
    'name: x\n\nmetadata:\n  version: "1.0.0"\n  author: 007\n  wizard: true\n\nlicense: MIT',
    "metadata:\n    b: two\n    a: one",
    "metadata: text",
    "my_key: some value\nx: .5",
    "__proto__: x\nconstructor: y\ntoString: z",
    "name:   three blanks before",
    "a: x...\nb: ...x\nc: .",
    "description: lone \ud800 surrogate",
  ])("%j", (source) => {
    const { plain, full } = readBoth(source);
    expect(plain).toBe(full);
  });
});

describe("every other header is left to the whole parser", () => {
  it.each([
    // Where YAML reads something else than the text, or nothing at all.
    ["a second colon", "description: Use when: the total looks wrong"],
    ["a colon at the end", "description: Use when:"],
    ["a comment", "description: tickets in C # and F # lists"],
    ["a comment line", "# only a comment\nname: x"],
    ["a folded text", "description: >-\n  one\n  two"],
    ["a text of several lines", "description: |\n  one\n  two"],
    ["a wrapped text", "description: one\n  two"],
    ["a wrapped text in quotes", 'description: "one\n  two"'],
    ["a backtick at the beginning", "description: `code` first"],
    ["an at sign at the beginning", "description: @home"],
    ["a percent sign at the beginning", "description: %x"],
    ["an alias", "description: *x"],
    ["an anchor", "description: &x y"],
    ["a tag", "description: !x y"],
    ["a list", "argument-hint: [pr-number] [priority]"],
    ["a map", "description: {a: b}"],
    ["a dash at the beginning", "description: - x"],
    ["a question mark at the beginning", "description: ? x"],
    ["a block list", "allowed-tools:\n  - Read"],
    ["quotes with more behind them", 'description: "Foo" and "Bar"'],
    ["quotes that do not end", 'description: "Foo'],
    ["an escape", 'description: "a\\tb"'],
    ["a doubled quote", "description: 'it''s'"],
    ["a comment after quotes", 'description: "a" # b'],
    ["nothing after the colon", "license:"],
    ["only a blank after the colon", "license: "],
    ["null", "license: null"],
    ["Null", "license: Null"],
    ["a tilde", "license: ~"],
    ["null as a key", "null: x"],
    ["a merge key", "<<: x"],
    ["a trailing blank", "name: x "],
    ["a trailing tab", "name: x\t"],
    ["a trailing no-break space", "name: x\u00a0"],
    ["a tab", "name:\tx"],
    ["a tab as indentation", "metadata:\n\ta: b"],
    ["no blank after the colon", "name:x"],
    ["a blank before the colon", "name : x"],
    ["a quoted key", '"name": x'],
    ["a key with a blank", "my key: x"],
    ["the same key twice", "name: x\nname: y"],
    ["the same key twice in metadata", "metadata:\n  a: x\n  a: y"],
    ["metadata without entries", "name: x\nmetadata:"],
    ["metadata without entries before another key", "metadata:\nname: x"],
    ["uneven metadata", "metadata:\n  a: x\n   b: y"],
    ["metadata in metadata", "metadata:\n  a:\n    b: c"],
    ["a map under another key", "output:\n  type: object"],
    ["an indented first line", "  name: x"],
    ["a typed key with a number", "max-attempts: 3"],
    ["a typed key in quotes", 'restrict: "true"'],
    ["a typed key with a word", "restrict: yes"],
    ["a carriage return", "name: x\r\nlicense: y"],
    ["a byte-order mark", "\ufeffname: x"],
    ["a line separator", "name: x\u2028y"],
    ["a next-line sign", "name: x\u0085y"],
    ["a line without a key", "name: x\nand more"],
    ["the end of a document", "name: x\n..."],
    ["more brackets than the depth that is read", `name: ${"x[".repeat(33)}`],
    ["nothing", ""],
    ["blank lines", "\n\n"],
  ])("%s", (_, source) => {
    expect(readPlainHeader(source, 1)).toBeUndefined();
  });
});

describe("generated headers", () => {
  const keys = [
    ...[
      "name",
      "description",
      "license",
      "metadata",
      "when_to_use",
      "argument-hint",
      "title",
      "gate",
      "model",
    ],
    ...["disable-model-invocation", "user-invocable", "restrict", "max-attempts", "allowed-tools", "needs"],
    ...["arguments", "paths", "mode", "disallowed_tools"],
    ...["disallowed-tools", "version", "x", "null", "Null", "true", "__proto__", "123", "a b", "<<", "k.k"],
  ];
  const pieces = [
    ...[
      "a",
      "word",
      "Z",
      "7",
      "é",
      "表",
      "👩‍👩‍👧",
      "\u00a0",
      "\u3000",
      "\u2028",
      "\u0085",
      "\ufeff",
      "\ud800",
    ],
    ...[" ", "  ", "\t", ":", ": ", " #", "#", "-", "- ", "?", "? ", "@", "%", "*", "&", "!", "|", ">", "`"],
    ...[
      "'",
      '"',
      "''",
      '""',
      "[",
      "]",
      "{",
      "}",
      ",",
      "\\",
      "\\n",
      "~",
      "$",
      "(",
      ")",
      "...",
      "---",
      "/",
      "<",
    ],
    ...["null", "true", "false", "yes", "no", "007", "1.10", "1e3", "0x1F", ".5", "2024-01-02", "12:30:00"],
  ];
  let seed = 20_240_613;
  const random = (limit: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % limit;
  };
  const pick = (list: string[]): string => list[random(list.length)] ?? "";
  const createValue = (): string => {
    const text = Array.from({ length: random(6) }, () => pick(pieces)).join("");
    return pick([text, `Text${text}`, `(${text}`, `"${text}"`, `'${text}'`, "true"]);
  };
  const createLine = (): string => {
    const entry = `${pick(keys)}${pick([": ", ": ", ": ", ":  ", ":", " : "])}${createValue()}`;
    return pick([entry, entry, entry, entry, "", "metadata:", `  ${entry}`, `\t${entry}`]);
  };
  const createHeader = (): string => {
    const lines = Array.from({ length: 1 + random(4) }, createLine);
    const nested = Array.from({ length: random(3) }, () => `  ${pick(keys)}: ${createValue()}`);
    return [...lines, ...(nested.length > 0 ? ["metadata:", ...nested] : [])].join("\n");
  };

  it("no plain reading of 100,000 differs from the whole parser's", () => {
    let count = 0;
    for (let index = 0; index < 100_000; index += 1) {
      const source = createHeader();
      if (readPlainHeader(source, 7) === undefined) continue;
      count += 1;
      const { plain, full } = readBoth(source);
      if (plain !== full) expect({ source, reading: plain }).toEqual({ source, reading: full });
    }
    expect(count).toBeGreaterThan(4_000);
  });
});
