import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../src/skills/frontmatter.ts";
import { parseHeader } from "../../src/skills/schema.ts";

function read(header: string, folderName = "x") {
  const path = `/skills/${folderName}/SKILL.md`;
  const directory = `/skills/${folderName}`;
  const place = { path, directory, folderName, source: "/skills", tier: "project", trusted: true } as const;
  return parseHeader(parseFrontmatter(`---\n${header}\n---\nBody.\n`), place);
}

function codes(header: string, folderName?: string): string[] {
  return read(header, folderName).diagnostics.map((diagnostic) => diagnostic.code);
}

describe("a whole header", () => {
  it("becomes a skill with every field", () => {
    const { skill, diagnostics } = read(
      [
        "name: x",
        "description: Does x.",
        "license: MIT",
        "compatibility: Node 20",
        "model: small",
        "argument-hint: <file> [mode]",
        "allowed-tools: Read Bash(git status:*)",
        "disallowed-tools: WebFetch",
        "disable-model-invocation: true",
        "user-invocable: false",
        "metadata:\n  version: 1.10",
        "some-other-key: ignored",
      ].join("\n"),
    );
    expect(diagnostics).toEqual([]);
    expect(skill).toEqual({
      name: "x",
      description: "Does x.",
      path: "/skills/x/SKILL.md",
      directory: "/skills/x",
      source: "/skills",
      tier: "project",
      trusted: true,
      license: "MIT",
      compatibility: "Node 20",
      model: "small",
      argumentHint: "<file> [mode]",
      allowedTools: ["Read", "Bash(git status:*)"],
      disallowedTools: ["WebFetch"],
      modelInvocable: false,
      userInvocable: false,
      argumentNames: [],
      mode: false,
      paths: [],
      version: "1.10",
      metadata: { version: "1.10" },
    });
  });

  it("A1: one warning names the file and the line of a repair", () => {
    const { skill, diagnostics } = read("name: x\ndescription: Use when: it rains\nallowed-tools: Read");
    expect(skill).toMatchObject({ description: "Use when: it rains", allowedTools: ["Read"] });
    expect(diagnostics).toMatchObject([{ severity: "warning", path: "/skills/x/SKILL.md", line: 3 }]);
  });

  it("A2: an unreadable header gives no skill and an error", () => {
    const { skill, diagnostics } = read("name: x\ndescription: d\nallowed-tools Read");
    expect(skill).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error", line: 4 }]);
  });

  it("A2: a skill whose grants cannot be read has none", () => {
    const { skill, diagnostics } = read("name: x\ndescription: d\nallowed-tools: [Bash(git *), Read");
    expect(skill?.allowedTools).toEqual([]);
    expect(diagnostics).toMatchObject([{ severity: "warning", line: 4 }]);
  });
});

describe("names", () => {
  it("an absent name is the folder's, with a warning", () => {
    expect(read("description: d").skill?.name).toBe("x");
    expect(codes("description: d")).toEqual(["name-missing"]);
    expect(codes("name:\ndescription: d")).toEqual(["name-missing"]);
  });

  it("a name unlike the folder's is kept, with a warning", () => {
    expect(read("name: y\ndescription: d").skill?.name).toBe("y");
    expect(codes("name: y\ndescription: d")).toEqual(["name-folder"]);
  });

  it("names are compared in NFC", () => {
    const composed = "caf\u00e9";
    const { skill, diagnostics } = read(`name: cafe\u0301\ndescription: d`, composed);
    expect(skill?.name).toBe(composed);
    expect(diagnostics).toEqual([]);
    expect(codes("description: d", "cafe\u0301")).toEqual(["name-missing"]);
    expect(read("description: d", "cafe\u0301").skill?.name).toBe(composed);
  });

  it.each(["pdf", "a1-b2", "表格", "größe", "007"])("%s is a name without a warning", (name) => {
    expect(codes(`name: ${name}\ndescription: d`, name)).toEqual([]);
  });

  it.each(["PDF", "a_b", "a b", "-a", "a-", "a--b", "a.b", "a:b"])("%s is read with a warning", (name) => {
    expect(codes(`name: "${name}"\ndescription: d`, name)).toEqual(["name-form"]);
  });

  it.each([
    "a\u200bb",
    "a\u202eb",
    "a\u00adb",
    "a\\tb",
    "a\\nb",
    "a\\e[31mb",
    "a\u2028b",
    "a\u3164b",
    "a\\u0000",
  ])("%j is refused, since it does not look like what it is", (name) => {
    const { skill, diagnostics } = read(`name: "${name}"\ndescription: d`);
    expect(skill).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "name-invisible", severity: "error", line: 2 }]);
    expect(diagnostics[0]?.message).toMatch(/^[ -~]*$/);
  });

  it("a folder's name is held to the same rule", () => {
    expect(codes("description: d", "a\u202eb")).toEqual(["name-invisible"]);
  });

  it("a name with a slash is refused", () => {
    expect(codes("name: ../x\ndescription: d")).toEqual(["name-path"]);
    expect(codes("name: a\\b\ndescription: d")).toEqual(["name-path"]);
  });

  it("a name of 64 characters is fine, one more is a warning", () => {
    expect(codes(`name: ${"a".repeat(64)}\ndescription: d`, "a".repeat(64))).toEqual([]);
    expect(codes(`name: ${"a".repeat(65)}\ndescription: d`, "a".repeat(65))).toEqual(["name-long"]);
  });
});

describe("descriptions", () => {
  it("when_to_use alone is the description, with both they are joined", () => {
    expect(read("name: x\nwhen_to_use: For tables").skill?.description).toBe("For tables");
    expect(read("name: x\ndescription: Reads\nwhen_to_use: For tables").skill?.description).toBe(
      "Reads - For tables",
    );
    expect(read("name: x\ndescription:\nwhen-to-use: For tables").skill?.description).toBe("For tables");
  });

  it.each(["name: x", "name: x\ndescription:", 'name: x\ndescription: "  "', "name: x\ndescription: null"])(
    "nothing to choose it by refuses the skill: %j",
    (header) => {
      const { skill, diagnostics } = read(header);
      expect(skill).toBeUndefined();
      expect(diagnostics).toMatchObject([{ code: "description-missing", severity: "error" }]);
    },
  );

  it("a long description is kept whole, with a warning", () => {
    const long = "d".repeat(1_025);
    expect(read(`name: x\ndescription: ${long}`).skill?.description).toBe(long);
    expect(codes(`name: x\ndescription: ${long}`)).toEqual(["description-long"]);
    expect(codes(`name: x\ndescription: d\ncompatibility: ${"c".repeat(501)}`)).toEqual([
      "compatibility-long",
    ]);
  });

  it("characters that steer a terminal or hide text are left out, with a warning", () => {
    const { skill, diagnostics } = read('name: x\ndescription: "a\\e[31mb\\u202ec\\U000E0041d"');
    expect(skill?.description).toBe("a[31mbcd");
    expect(diagnostics).toMatchObject([{ code: "text-control", line: 3 }]);
    expect(read("name: x\ndescription: 👩‍💻 works").skill?.description).toBe("👩‍💻 works");
  });
});

describe("switches and metadata", () => {
  it.each([
    ["true", false],
    ["yes", false],
    ["false", true],
    ["no", true],
    ["", true],
  ])("disable-model-invocation: %s", (value, modelInvocable) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\ndisable-model-invocation: ${value}`);
    expect(skill?.modelInvocable).toBe(modelInvocable);
    expect(diagnostics).toEqual([]);
  });

  it("an unclear disable-model-invocation keeps the model away", () => {
    expect(read("name: x\ndescription: d\ndisable-model-invocation: maybe").skill?.modelInvocable).toBe(
      false,
    );
    expect(codes("name: x\ndescription: d\ndisable-model-invocation: maybe")).toEqual(["flag-form"]);
  });

  it("metadata that is no map is left out with a warning", () => {
    expect(read("name: x\ndescription: d\nmetadata: [a]").skill?.metadata).toEqual({});
    expect(codes("name: x\ndescription: d\nmetadata: [a]")).toEqual(["metadata-form"]);
    const { skill } = read("name: x\ndescription: d\nmetadata:\n  __proto__: 007");
    expect(Object.entries(skill?.metadata ?? {})).toEqual([["__proto__", "007"]]);
  });
});

it("the argument hint is read from metadata, where the specification allows it, and from beside the name first", () => {
  const hintOf = (lines: string) => read(`name: x\ndescription: d\n${lines}`).skill?.argumentHint;
  expect(hintOf("metadata:\n  argument-hint: <file>")).toBe("<file>");
  expect(hintOf("argument-hint: <folder>\nmetadata:\n  argument-hint: <file>")).toBe("<folder>");
  expect(hintOf("metadata:\n  other: x")).toBeUndefined();
});
