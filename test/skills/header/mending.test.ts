import { expect, it } from "vitest";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";
import { applyFixes } from "../../../src/skills/header/fix.ts";
import { parseHeader, type Skill } from "../../../src/skills/schema.ts";

const KEYS = [
  ...["name", "description", "when_to_use", "allowed-tools", "disallowed-tools", "metadata", "license"],
  ...["argument-hint", "arguments", "paths", "mode", "version", "model", "color", "disallowed_tools"],
  ...["disable-model-invocation", "compatibility"],
];
const VALUES = [
  ...["tidy", "Use when: x", "a # b", "`x` y", "@x", "[a] [b]", "[a, b]", "{a: b}", "|-", ">-", "|", '"x'],
  ...['"a" b', "Read, Bash(git *)", "[Bash, Read", "Bash(x", "true", "123", "", "*x", "&x y", "!t z"],
  ...["a\n  b: c", "a\nb c", "\n  - Read\n  - Bash(a: b)", "\n- Read", "|-\n  one\n  # two\n\n  three"],
  ...[">-\n\tx\n\ty", "\n  a: b\n  a: c", "\n  n: x: y\n  t: 1", "\n\ta: b", '"a\n  b"', "x\n  name: y"],
  ...["x\n  disallowed-tools: Bash", '"q\\e[31m"', "x\n# c", "x\n\n  # c\n  d"],
];

let seed = 12_345;
function pick(list: string[]): string {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return list[(seed >> 8) % list.length] ?? "";
}

function createText(): string {
  const margin = pick(["", "", "", "", "  ", "\t"]);
  const entry = () => `${pick(KEYS)}:${pick([" ", " ", " ", "\t", "  "])}${pick(VALUES)}`;
  const header = Array.from({ length: 1 + Number(pick(["0", "1", "2", "3", "4"])) }, entry).join("\n");
  return `---\n${header.replace(/^/gm, margin)}\n---\nBody.\n`;
}

function read(text: string) {
  const place = { path: "/skills/tidy/SKILL.md", directory: "/skills/tidy", folderName: "tidy" };
  const rest = { source: "/skills", tier: "project", trusted: true } as const;
  return parseHeader(parseFrontmatter(text), { ...place, ...rest });
}

/** All that is read of a skill but its name, which is set to the folder's. */
function withoutName(skill: Skill | undefined): Skill | undefined {
  return skill && { ...skill, name: "" };
}

it("fixes change nothing that is read of generated headers, and come to an end", () => {
  let mended = 0;
  for (let index = 0; index < 1_500; index += 1) {
    let text = createText();
    const original = text;
    const { skill } = read(text);
    if (skill === undefined) continue;
    for (let round = 0; ; round += 1) {
      const fixes = read(text).diagnostics.flatMap(({ fix }) => (fix ? [fix] : []));
      if (fixes.length === 0) break;
      expect(round, original).toBeLessThan(4);
      text = applyFixes(text, fixes);
      expect(withoutName(read(text).skill), `${original}\n${text}`).toEqual(withoutName(skill));
      mended += 1;
    }
  }
  expect(mended).toBeGreaterThan(500);
});
