import { describe, expect, it } from "vitest";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";
import { parseHeader } from "../../../src/skills/schema.ts";

function read(header: string, folderName = "x") {
  const path = `/skills/${folderName}/SKILL.md`;
  const directory = `/skills/${folderName}`;
  const place = { path, directory, folderName, source: "/skills", tier: "project", trusted: true } as const;
  return parseHeader(parseFrontmatter(`---\n${header}\n---\nBody.\n`), place);
}

describe("A7: tool lists", () => {
  const expected = ["Bash(git add *)", "Bash(git commit:*)", "Read"];

  it.each([
    "allowed-tools: Bash(git add *) Bash(git commit:*) Read",
    "allowed-tools: Bash(git add *), Bash(git commit:*), Read",
    "allowed-tools: Bash(git add *),Bash(git commit:*),Read,",
    'allowed-tools: "Bash(git add *) Bash(git commit:*) Read"',
    "allowed-tools: [Bash(git add *), Bash(git commit:*), Read]",
    "allowed-tools: [\"Bash(git add *)\", 'Bash(git commit:*)', Read,]",
    "allowed-tools:\n  - Bash(git add *)\n  - Bash(git commit:*)\n  - Read",
    'allowed-tools:\n- Bash(git add *)\n- "Bash(git commit:*)"\n- Read',
    "allowed-tools: >-\n  Bash(git add *)\n  Bash(git commit:*), Read",
    'allowed-tools: "- Bash(git add *) - Bash(git commit:*) - Read"',
    "allowed-tools: Bash(git add *)\n  Bash(git commit:*) Read",
    "allowed-tools: [\n  Bash(git add *),\n  Bash(git commit:*), Read ]",
  ])("%j is the same list", (line) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\n${line}`);
    expect(skill?.allowedTools).toEqual(expected);
    expect(diagnostics).toEqual([]);
  });

  it.each([
    ["[Bash(jq:*), Read]", ["Bash(jq:*)", "Read"]],
    ["Bash(git status:*), Read", ["Bash(git status:*)", "Read"]],
    ['"Read Write"', ["Read", "Write"]],
    ["[Bash(a, b), Bash(x: y), Read]", ["Bash(a, b)", "Bash(x: y)", "Read"]],
    ["Bash(echo (a b)), Read", ["Bash(echo (a b))", "Read"]],
    ["", []],
    ["[]", []],
    [",", []],
  ])("allowed-tools: %s", (value, tools) => {
    expect(read(`name: x\ndescription: d\nallowed-tools: ${value}`).skill?.allowedTools).toEqual(tools);
  });

  it.each([
    ['"Read", "Write"', ["Read", "Write"]],
    ["Bash(npm run a: b) Read", ["Bash(npm run a: b)", "Read"]],
    ['[Bash(npm run "a: b" #1), Read]', ['Bash(npm run "a: b" #1)', "Read"]],
  ])("allowed-tools: %s is repaired with a warning", (value, tools) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\nallowed-tools: ${value}`);
    expect(skill?.allowedTools).toEqual(tools);
    expect(diagnostics).toMatchObject([{ code: "header-repaired", line: 4 }]);
  });

  it.each([
    ["Read, Bash(git", ["Read"]],
    ["Bash(git Read", []],
    ["Read Bash(git)) Grep", ["Read", "Grep"]],
    ["Read )Bash(", ["Read"]],
    ["Read (git status)", ["Read"]],
    ["[Read, Bash(git]", ["Read"]],
  ])("an unbalanced entry grants nothing: %s", (value, tools) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\nallowed-tools: ${value}`);
    expect(skill?.allowedTools).toEqual(tools);
    expect(diagnostics).toMatchObject([{ code: "tools-unbalanced", severity: "warning", line: 4 }]);
  });

  it("an unbalanced entry of disallowed-tools forbids the whole tool", () => {
    const { skill, diagnostics } = read("name: x\ndescription: d\ndisallowed-tools: Read, Bash(rm");
    expect(skill?.disallowedTools).toEqual(["Read", "Bash"]);
    expect(diagnostics).toMatchObject([{ code: "tools-unbalanced" }]);
  });

  it("a map grants nothing, and refuses the skill where it should forbid", () => {
    expect(read("name: x\ndescription: d\nallowed-tools: {Read: true}").skill?.allowedTools).toEqual([]);
    expect(read("name: x\ndescription: d\ndisallowed-tools: {Read: true}").skill).toBeUndefined();
  });

  it("a misspelled limit is kept, a misspelled grant is not, both with a warning", () => {
    const { skill, diagnostics } = read(
      "name: x\ndescription: d\nallowedTools: Read\ndisallowed_tools: Bash",
    );
    expect(skill).toMatchObject({ allowedTools: [], disallowedTools: ["Bash"] });
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["key-spelling", "key-spelling"]);
  });

  it.each([
    "disallowed_tools",
    "disallowedTools",
    "dissallowed-tools",
    "disalowed-tools",
    "disallow-tools",
    "Disallowed Tools",
  ])("%s forbids, in whatever form the list is", (key) => {
    for (const value of ["Bash(a, b) Read", "[Bash(a, b), Read]", "\n  - Bash(a, b)\n  - Read"]) {
      const { skill, diagnostics } = read(`name: x\ndescription: d\n${key}: ${value}`);
      expect(skill).toMatchObject({ allowedTools: [], disallowedTools: ["Bash(a, b)", "Read"] });
      expect(diagnostics).toMatchObject([
        { code: "key-spelling", severity: "warning", message: `"${key}" is read as "disallowed-tools".` },
      ]);
    }
  });

  it("lists of two spellings forbid together, and the same misspelled key twice refuses the skill", () => {
    const head = "name: x\ndescription: d";
    const both = read(`${head}\ndisallowed_tools: Bash\ndisallowed-tools: [Read]\ndisalowedTools: Write`);
    expect(both.skill?.disallowedTools.sort()).toEqual(["Bash", "Read", "Write"]);
    expect(read(`${head}\ndisallowed_tools: Bash\ndisallowed_tools: Read`).skill).toBeUndefined();
    expect(read(`${head}\ndissallowed-tools: [Bash`).skill).toBeUndefined();
    expect(read(`${head}\ndissallowed-tools: {Bash: true}`).skill).toBeUndefined();
  });

  it("a misspelled limit is kept where it is indented by a slip, too", () => {
    const { skill } = read("name: x\n  disalowed-tools: Bash\ndescription: d");
    expect(skill).toMatchObject({ name: "x", disallowedTools: ["Bash"] });
  });

  it.each(["alowed-tools", "allowed_tools", "AllowedTools", "allowed-tool"])("%s grants nothing", (key) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\n${key}: Bash`);
    expect(skill).toMatchObject({ allowedTools: [], disallowedTools: [] });
    expect(diagnostics).toMatchObject([{ code: "key-spelling" }]);
    expect(diagnostics[0]).not.toHaveProperty("fix");
  });
});

describe("a misspelled disable-model-invocation", () => {
  const model = (lines: string) => read(`name: x\ndescription: d\n${lines}`).skill?.modelInvocable;

  it.each([
    "disableModelInvocation",
    "disable_model_invocation",
    "disable-model-invokation",
    "disable-modelinvocation",
    "Disable Model Invocation",
  ])("%s is kept", (key) => {
    const { skill, diagnostics } = read(`name: x\ndescription: d\n${key}: true`);
    expect(skill?.modelInvocable).toBe(false);
    expect(diagnostics).toMatchObject([{ code: "key-spelling", read: "true" }]);
    expect(model(`${key}: yes`)).toBe(false);
    expect(model(`${key}: perhaps`)).toBe(false);
    expect(model(`${key}: false`)).toBe(true);
    expect(model(`${key}:`)).toBe(true);
  });

  it("of two spellings the narrower one counts, whatever their order", () => {
    const [right, wrong] = ["disable-model-invocation", "disableModelInvocation"];
    expect(model(`${right}: false\n${wrong}: true`)).toBe(false);
    expect(model(`${wrong}: true\n${right}: false`)).toBe(false);
    expect(model(`${right}: true\n${wrong}: false`)).toBe(false);
    expect(model(`${right}: false\n${wrong}: false`)).toBe(true);
  });
});
