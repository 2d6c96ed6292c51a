import { existsSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../../src/skills/catalog.ts";
import { parseFrontmatter } from "../../../src/skills/frontmatter.ts";
import { readHead } from "../../../src/skills/header/read-head.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { parseHeader } from "../../../src/skills/schema.ts";
import { startCpuClock } from "../../support/cpu-clock.ts";
import { createFolder, toRoot, writeFile, writeSkill } from "../temp-folder.ts";

const MIB = 1024 * 1024;

function read(header: string) {
  const place = { path: "/skills/x/SKILL.md", directory: "/skills/x", folderName: "x" };
  const rest = { source: "/skills", tier: "project", trusted: true } as const;
  return parseHeader(parseFrontmatter(`---\n${header}\n---\nBody.\n`), { ...place, ...rest });
}

describe("files that are too large", () => {
  it("a SKILL.md of 300 MB is refused by its size, and nothing of it is kept", () => {
    const path = writeSkill(join(createFolder(), "x"), "x");
    truncateSync(path, 300 * MIB);
    const before = process.memoryUsage().rss;
    const readCpu = startCpuClock();
    for (let round = 0; round < 20; round += 1) {
      expect(() => readHead(path)).toThrow("It is larger than 2097152 bytes.");
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * MIB);
    expect(readCpu()).toBeLessThan(500);
  });

  it.each([
    ["one description", `description: ${"x".repeat(MIB)}`],
    ["20,000 comments", `description: x\n${`# ${"x".repeat(50)}\n`.repeat(20_000)}`],
    ["200,000 keys", "k: v\n".repeat(200_000)],
    ["brackets", `a: ${"[".repeat(MIB)}`],
  ])("a header of 1 MB is refused at once: %s", (_, header) => {
    const readCpu = startCpuClock();
    expect(parseFrontmatter(`---\n${header}\n---\n`)).toMatchObject({
      readable: false,
      faults: [{ code: "header-too-long" }],
    });
    expect(readCpu()).toBeLessThan(1_000);
  });

  it("only the head of such a file is read", () => {
    const path = writeFile(
      join(createFolder(), "x/SKILL.md"),
      `---\n${`# ${"x".repeat(50)}\n`.repeat(20_000)}---\n`,
    );
    expect(readHead(path).text.length).toBeLessThan(64 * 1024);
  });
});

describe("headers that are made to cost", () => {
  const bomb = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}x]`);

  it.each([
    ["lists in lists", `a: ${"[".repeat(7_000)}${"]".repeat(7_000)}`],
    ["maps in maps", `a: ${"{a: ".repeat(3_500)}`],
    ["lists of one line", `a:\n  ${"- ".repeat(7_000)}x`],
    ["an alias bomb", `a0: &a0 x\n${bomb.join("\n")}\noutput: *a9`],
  ])("%s are refused", (_, header) => {
    const readCpu = startCpuClock();
    const { skill, diagnostics } = read(`description: d\n${header}`);
    expect(skill).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "header-too-deep", severity: "error" }]);
    expect(readCpu()).toBeLessThan(1_000);
  });

  it.each([
    ["indented maps", Array.from({ length: 160 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
    ["faults", "k: : v\n".repeat(2_000)],
    ["equal keys", "k: v\n".repeat(3_000)],
    ["equal limits", "disallowed_tools: Bash\n".repeat(600)],
    ["aliases without a thing", "k: *x\n".repeat(2_000)],
    ["blanks", `description: x${" ".repeat(15_000)}# y`],
    ["quotes", `description: ${'"'.repeat(15_000)}`],
    ["globs", `paths: ${"{,".repeat(16)}${"a,".repeat(7_000)}`],
    ["names", `arguments: ${"a ".repeat(7_000)}`],
  ])("16 KiB of %s take no time", (_, header) => {
    const readCpu = startCpuClock();
    read(`description: d\n${header}`);
    expect(readCpu()).toBeLessThan(2_500);
  });
});

describe("keys of Object.prototype", () => {
  const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty"];

  it.each(KEYS)("%s in metadata is an entry like others", (key) => {
    const { skill } = read(`description: d\nmetadata:\n  ${key}: 007\n  polluted: x`);
    expect(Object.entries(skill?.metadata ?? {})).toEqual([
      [key, "007"],
      ["polluted", "x"],
    ]);
    expect(Object.getPrototypeOf(skill?.metadata)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it.each(KEYS)("%s as a key, or with a map, gives the skill nothing", (key) => {
    const { skill } = read(`description: d\n${key}:\n  polluted: x\n  allowedTools: [Bash]\n  version: 9`);
    expect(skill).toMatchObject({ allowedTools: [], argumentNames: [], paths: [] });
    expect(skill?.version).toBeUndefined();
    expect("polluted" in {}).toBe(false);
  });

  it("metadata without a version, or without an argument hint, has none", () => {
    expect(read("description: d\nmetadata: {}").skill).not.toHaveProperty("version");
    expect(read("description: d\nmetadata: {}").skill).not.toHaveProperty("argumentHint");
  });
});

describe("A8: headers in a language", () => {
  it.each(["---js", "---javascript", "--- js", "---JS"])(
    "%s runs nothing when it is listed or linted",
    async (fence) => {
      const root = createFolder();
      const marker = join(root, "P");
      const code = `require("fs").writeFileSync(${JSON.stringify(marker)}, "")`;
      writeFile(
        join(root, "x/SKILL.md"),
        `${fence}\n{ name: "x", description: String(${code}) }\n---\nBody.\n`,
      );
      const first = loadCatalog([toRoot(root)]);
      expect(first.skills).toEqual([]);
      expect(first.diagnostics).toMatchObject([{ code: "header-language", line: 1 }]);
      expect(loadCatalog([toRoot(root)]).diagnostics).toEqual(first.diagnostics);
      const { diagnostics } = await lintPaths([join(root, "x")], root);
      expect(diagnostics).toContainEqual(expect.objectContaining({ code: "header-language" }));
      expect(existsSync(marker)).toBe(false);
    },
  );

  it.each(["name: [x\n...", "allowed-tools Read", "a: &a [*a]", "description: Use: x\ndescription: y"])(
    "the same header gives the same faults twice: %j",
    (header) => {
      const first = read(header).diagnostics;
      expect(first).not.toEqual([]);
      expect(read(header).diagnostics).toEqual(first);
    },
  );
});

describe("names without their thing", () => {
  it("a limit that stands for a value elsewhere is read as that value, or refuses the skill", () => {
    expect(read("description: d\nx: &x Bash\ndisallowed-tools: *x").skill?.disallowedTools).toEqual(["Bash"]);
    expect(read("description: d\ndisallowed-tools: *x").skill).toBeUndefined();
    expect(read("description: d\ndisallowed-tools:\n  - *x").skill).toBeUndefined();
    expect(read("description: Use: d\nx: &x Bash\ndisallowed-tools: *x").skill).toBeUndefined();
  });

  it("a grant is left out then, and another value is read as it is written", () => {
    const { skill, diagnostics } = read("description: d\nallowed-tools: *x\ncolor: *y\nlicense: *z");
    expect(skill).toMatchObject({ allowedTools: [], license: "*z" });
    expect(diagnostics.map(({ code }) => code)).toContain("header-dropped");
  });

  it("a misspelled limit that cannot be read refuses the skill, too", () => {
    expect(read("description: d\ndisallowed_tools: [Bash").skill).toBeUndefined();
    expect(read("description: d\ndisallowedTools: [Bash").skill).toBeUndefined();
  });
});
