import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixPaths } from "../../../src/skills/lint/fix-paths.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { createFolder, writeFile } from "../temp-folder.ts";
import { HEADER, skillFile } from "./lint.ts";

const LONG = "tidy-".repeat(14).slice(0, -1);

/** What `--fix` mends, each with a file that has it. */
const MENDED: [code: string, text: string, place?: string][] = [
  ["file-name-case", skillFile(), "tidy/skill.md"],
  ["header-comment", skillFile("name: tidy\ndescription: Tidies #1 files. Use when a # lies around.")],
  ["header-control", skillFile(`${HEADER}\nlicense: M\x07IT`)],
  ["header-duplicate-key", skillFile(`${HEADER}\nlicense: MIT\nlicense: MIT`)],
  ["header-indent", skillFile(`${HEADER}\nIt sorts them.`)],
  ["header-repaired", skillFile("name: tidy\ndescription: Tidies: use when files lie around.")],
  ["header-start", `\n${skillFile()}`],
  ["header-tab", skillFile(`${HEADER}\nmetadata:\n\tauthor: me`)],
  [
    "header-text",
    skillFile("name: tidy\ndescription:\n  - Tidies a folder.\n  - Use when files lie around."),
  ],
  ["key-unknown", skillFile(`${HEADER}\ndisallowed_tools: Bash`)],
  ["metadata-type", skillFile(`${HEADER}\nmetadata:\n  version: 1.10`)],
  ["text-control", skillFile('name: tidy\ndescription: "Tidies\\x07 a folder. Use when files lie around."')],
  ["value-type", skillFile(`${HEADER}\nlicense: 2`)],
  ["name-folder", skillFile(HEADER.replace("tidy", "tidier"))],
  ["name-form", skillFile(HEADER.replace("tidy", "Tidy"))],
  ["name-long", skillFile(HEADER.replace("tidy", LONG))],
  ["name-missing", skillFile(HEADER.replace("name: tidy\n", ""))],
  ["tools-type", skillFile(`${HEADER}\nallowed-tools: [Read]`)],
  ["text-hidden", skillFile(HEADER, "Pay the b\u200bill.")],
];

describe("the column --fix of docs/lint.md", () => {
  it.each(MENDED)("%s is mended", async (code, text, place = "tidy/SKILL.md") => {
    const root = createFolder();
    writeFile(join(root, place), text);
    const before = (await lintPaths(["."], root)).diagnostics.filter((each) => each.code === code);
    expect(before).not.toEqual([]);
    const { diagnostics } = await fixPaths(["."], root);
    const told = new Set(before.map(({ message }) => message));
    expect(diagnostics.filter((each) => each.code === code && told.has(each.message))).toEqual([]);
  });

  it("says so of these, and of no other", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../docs/lint.md"), "utf8");
    const rows = [...text.matchAll(/^\| `([\w-]+)` \|[^|]+\|[^|]+\|([^|]*)\|$/gm)];
    const said = rows.filter(([, , column]) => column?.trim() !== "").map(([, code]) => code);
    expect(said.sort()).toEqual(MENDED.map(([code]) => code).sort());
  });
});
