import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyFixes } from "../../../src/skills/header/fix.ts";
import { fixPaths } from "../../../src/skills/lint/fix-paths.ts";
import { lintPaths } from "../../../src/skills/lint/lint-paths.ts";
import { isSame, replaceFile } from "../../../src/skills/lint/replace-file.ts";
import { createFolder, withoutPrivileges, writeFile } from "../temp-folder.ts";
import { FAULTS, FIXTURES } from "./faults.ts";
import { HEADER, skillFile } from "./lint.ts";

const HIDDEN = skillFile(HEADER, "Pay the b\u200bill.");

/** Writes a skill that has one fault to mend, and gives the root and the file. */
function writeFaulty(content = HIDDEN): { root: string; path: string } {
  const root = createFolder();
  return { root, path: writeFile(join(root, "tidy/SKILL.md"), content) };
}

describe("what --fix mends", () => {
  const before = lintPaths(["."], FIXTURES);

  it.each(FAULTS)(
    "%s (%s): nothing that could be mended is left, and nothing new is wrong",
    async (fixture) => {
      const { diagnostics } = await before;
      const root = createFolder();
      cpSync(join(FIXTURES, fixture), join(root, fixture), { recursive: true });
      const own = diagnostics.filter(({ path }) => path.startsWith(`${join(FIXTURES, fixture)}/`));
      const mendable = own.filter(({ fix }) => fix !== undefined);
      const report = await fixPaths(["."], root);
      expect(report.fixed.map(({ code }) => code)).toEqual(mendable.map(({ code }) => code));
      expect(report.skipped).toEqual([]);
      const left = report.diagnostics.map(({ code }) => code);
      const alone = own.filter(({ fix, code }) => !fix && !["name-twice", "description-twin"].includes(code));
      expect(left).toEqual(alone.map(({ code }) => code));
      expect(await fixPaths(["."], root)).toMatchObject({ fixed: [], skipped: [] });
    },
  );

  it("says what was done where, and what is left", async () => {
    const { root, path } = writeFaulty(
      skillFile(`${HEADER}\nlicense: 2`, "Pay the b\u200bill with [it](a.md)."),
    );
    const { fixed, diagnostics } = await fixPaths(["."], root);
    expect(fixed).toEqual([
      { path, code: "value-type", line: 4, description: 'put "license" in quotes' },
      { path, code: "text-hidden", line: 6, description: "remove what cannot be seen" },
    ]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["link-missing"]);
    expect(readFileSync(path, "utf8")).toBe(
      skillFile(`${HEADER}\nlicense: "2"`, "Pay the bill with [it](a.md)."),
    );
  });

  it("keeps the mode, the line ends and all other bytes, and leaves no other file", async () => {
    const { root, path } = writeFaulty(HIDDEN.replaceAll("\n", "\r\n"));
    chmodSync(path, 0o640);
    await fixPaths(["tidy"], root);
    expect(readFileSync(path, "utf8")).toBe(skillFile(HEADER, "Pay the bill.").replaceAll("\n", "\r\n"));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(path))).toEqual(["SKILL.md"]);
  });

  it("mends a stage in its own file", async () => {
    const { root } = writeFaulty(skillFile());
    const stage = writeFile(join(root, "tidy/stages/01-look.md"), "---\ntitle: Look\n---\nLo\u200bok.\n");
    const { fixed } = await fixPaths(["."], root);
    expect(fixed).toMatchObject([{ path: stage, code: "text-hidden", line: 4 }]);
    expect(readFileSync(stage, "utf8")).toBe("---\ntitle: Look\n---\nLook.\n");
  });

  it("gives the file its right name, and mends it in the same go", async () => {
    const { root, path } = writeFaulty();
    renameSync(path, join(root, "tidy/skill.md"));
    const { fixed, diagnostics } = await fixPaths(["."], root);
    expect(fixed.map(({ code }) => code).sort()).toEqual(["file-name-case", "text-hidden"]);
    expect(diagnostics).toEqual([]);
    expect(readdirSync(join(root, "tidy"))).toEqual(["SKILL.md"]);
  });

  it("touches no script and no file that has no fault", async () => {
    const { root, path } = writeFaulty(skillFile());
    const script = writeFile(join(root, "tidy/scripts/a.sh"), "echo \u202e\n");
    const stamps = [path, script].map((file) => statSync(file, { bigint: true }));
    const { fixed, diagnostics } = await fixPaths(["."], root);
    expect({ fixed, left: diagnostics.length }).toEqual({ fixed: [], left: 1 });
    for (const [index, file] of [path, script].entries()) {
      expect(isSame(stamps[index]!, statSync(file, { bigint: true }))).toBe(true);
    }
  });
});

describe("the number of what is mended", () => {
  it("counts each fault, also where one change mends two", async () => {
    const folder = createFolder();
    writeFile(
      join(folder, "my-skill/SKILL.md"),
      skillFile("name: My Skill\ndescription: Does it. Use when asked."),
    );
    const codes = (faults: { code: string }[]) => faults.map(({ code }) => code);
    const { diagnostics } = await lintPaths([folder], folder);
    expect(codes(diagnostics.filter(({ fix }) => fix))).toEqual(["name-folder", "name-form"]);
    const { fixed } = await fixPaths([folder], folder);
    expect(codes(fixed)).toEqual(["name-folder", "name-form"]);
  });
});

describe("what --fix leaves as it is, and names", () => {
  it("a link", async () => {
    const { root, path } = writeFaulty();
    renameSync(path, join(root, "real.md"));
    symlinkSync("../real.md", path);
    const { fixed, skipped, diagnostics } = await fixPaths(["."], root);
    expect(fixed).toEqual([]);
    expect(skipped).toEqual([{ path, reason: "It is a link; mend the file that it leads to." }]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["text-hidden"]);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, "real.md"), "utf8")).toBe(HIDDEN);
  });

  it("a file in a folder that a link leads to, outside of what was named", async () => {
    const { path } = writeFaulty();
    const root = createFolder();
    mkdirSync(join(root, "skills"));
    symlinkSync(dirname(path), join(root, "skills/tidy"));
    const { skipped } = await fixPaths(["skills"], root);
    expect(skipped).toEqual([
      {
        path: join(root, "skills/tidy/SKILL.md"),
        reason: `It lies in ${dirname(path)}, outside of the folders that are checked.`,
      },
    ]);
    expect(readFileSync(path, "utf8")).toBe(HIDDEN);
  });

  it("a file with a second name", async () => {
    const { root, path } = writeFaulty();
    linkSync(path, join(root, "other.md"));
    const { skipped } = await fixPaths(["."], root);
    expect(skipped).toMatchObject([{ path, reason: expect.stringContaining("hard links") }]);
  });

  it("a file that may not be written, also where its folder may", () => {
    const { path } = writeFaulty();
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o777);
    const stamp = statSync(path, { bigint: true });
    expect(() => withoutPrivileges(() => replaceFile(path, "mended", stamp))).toThrow(
      "It may not be written.",
    );
    expect(readFileSync(path, "utf8")).toBe(HIDDEN);
  });

  it("a file in a folder that may not be written", () => {
    const { path } = writeFaulty();
    chmodSync(path, 0o666);
    chmodSync(dirname(path), 0o555);
    const stamp = statSync(path, { bigint: true });
    expect(() => withoutPrivileges(() => replaceFile(path, "mended", stamp))).toThrow("EACCES");
    expect(readFileSync(path, "utf8")).toBe(HIDDEN);
    expect(readdirSync(dirname(path))).toEqual(["SKILL.md"]);
  });

  it("a file that changed since it was read", () => {
    const { path } = writeFaulty();
    const stamp = statSync(path, { bigint: true });
    writeFileSync(path, skillFile(HEADER, "Somebody else wrote this."));
    utimesSync(path, new Date(), new Date(1));
    expect(isSame(stamp, statSync(path, { bigint: true }))).toBe(false);
    expect(() => replaceFile(path, "mended", stamp)).toThrow("It changed while it was mended.");
    expect(readFileSync(path, "utf8")).toContain("Somebody else wrote this.");
    expect(readdirSync(dirname(path))).toEqual(["SKILL.md"]);
  });
});

it("the fixes of a report are the ones that are made", async () => {
  const { root, path } = writeFaulty();
  const { diagnostics } = await lintPaths(["."], root);
  const mended = applyFixes(
    readFileSync(path, "utf8"),
    diagnostics.flatMap(({ fix }) => fix ?? []),
  );
  await fixPaths(["."], root);
  expect(readFileSync(path, "utf8")).toBe(mended);
});
