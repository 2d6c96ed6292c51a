import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../src/skills/catalog.ts";
import { type ReadChunk, SKILL_FILE_LIMIT } from "../../src/skills/header/read-head.ts";
import type { SkillRoot } from "../../src/skills/schema.ts";
import { createFolder, toRoot, withoutPrivileges, writeFile, writeSkill } from "./temp-folder.ts";

function createCounter() {
  const counter = { reads: 0, bytes: 0 };
  const readChunk: ReadChunk = (descriptor, buffer, position) => {
    const count = readSync(descriptor, buffer, 0, buffer.length, position);
    counter.reads += 1;
    counter.bytes += count;
    return count;
  };
  return { counter, readChunk };
}

function names(roots: ReturnType<typeof toRoot>[]): string[] {
  return loadCatalog(roots).skills.map((skill) => skill.name);
}

describe("reading", () => {
  it("a file that is too long to be loaded is not offered, and named", () => {
    const root = createFolder();
    writeSkill(join(root, "huge"), "huge", { body: "x".repeat(SKILL_FILE_LIMIT) });
    writeSkill(join(root, "small"), "small");
    const catalog = loadCatalog([toRoot(root)]);
    expect(catalog.skills.map((skill) => skill.name)).toEqual(["small"]);
    expect(catalog.diagnostics).toMatchObject([
      { severity: "error", message: expect.stringContaining("larger than") },
    ]);
  });

  it("1,000 skills cost one chunk each, a refresh nothing, a change one", () => {
    const root = createFolder();
    const body = "Body.\n".repeat(17_000);
    for (let index = 0; index < 1_000; index += 1) writeSkill(join(root, `s${index}`), `s${index}`, { body });
    const { counter, readChunk } = createCounter();
    const first = loadCatalog([toRoot(root)], undefined, { readChunk });
    expect(first.skills).toHaveLength(1_000);
    expect(first.diagnostics).toEqual([]);
    expect(counter).toEqual({ reads: 1_000, bytes: 4_096_000 });

    const second = loadCatalog([toRoot(root)], first, { readChunk });
    expect(counter.reads).toBe(1_000);
    expect(second.skills).toEqual(first.skills);
    expect(second.digest).toBe(first.digest);

    writeSkill(join(root, "s7"), "s7", { header: "license: MIT", body });
    const third = loadCatalog([toRoot(root)], second, { readChunk });
    expect(counter.reads).toBe(1_001);
    expect(third.get("s7")?.license).toBe("MIT");
    expect(third.digest).not.toBe(first.digest);
  });

  it("a header longer than a chunk is read to its fence and no further", () => {
    const root = createFolder();
    const header = `license: ${"表".repeat(5_000)}`;
    writeSkill(join(root, "x"), "x", { header, body: "Body.\n".repeat(100_000) });
    const { counter, readChunk } = createCounter();
    const catalog = loadCatalog([toRoot(root)], undefined, { readChunk });
    expect(catalog.get("x")?.license).toHaveLength(5_000);
    expect(counter.reads).toBe(4);
  });

  it("long and short headers that are read one after the other stay apart", () => {
    const root = createFolder();
    const letters = ["a", "b", "c", "d"];
    for (const [index, letter] of letters.entries()) {
      writeSkill(join(root, letter), letter, { header: `license: ${letter.repeat(index % 2 ? 5 : 9_000)}` });
    }
    const { skills } = loadCatalog([toRoot(root)]);
    expect(skills.map(({ name, license }) => [name, new Set(license), license?.length])).toEqual(
      letters.map((letter, index) => [letter, new Set([letter]), index % 2 ? 5 : 9_000]),
    );
  });

  it("a file without a closing fence is not read to its end", () => {
    const root = createFolder();
    writeFile(join(root, "x/SKILL.md"), `---\nname: x\n${"text\n".repeat(300_000)}`);
    writeFile(join(root, "y/SKILL.md"), "# No header\n".repeat(100_000));
    const { counter, readChunk } = createCounter();
    const { diagnostics } = loadCatalog([toRoot(root)], undefined, { readChunk });
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(["header-too-long", "header-missing"]);
    expect(counter.bytes).toBeLessThan(64 * 1024);
  });

  it.each([4_092, 4_093, 4_094, 4_095, 4_096, 4_097, 4_098, 4_099])(
    "a fence at the border of a chunk is found (%i bytes before the body)",
    (length) => {
      for (const [end, bom] of [
        ["\n", ""],
        ["\r\n", ""],
        ["\r", "\uFEFF"],
        ["\r\n", "\uFEFF"],
      ] as const) {
        const root = createFolder();
        const start = `${bom}---${end}name: x${end}description: d${end}license: `;
        const close = `${end}---${end}`;
        const used = Buffer.byteLength(start) + Buffer.byteLength(close);
        writeFile(join(root, "x/SKILL.md"), `${start}${"l".repeat(length - used)}${close}Body é`);
        const { skills, diagnostics } = loadCatalog([toRoot(root)]);
        expect(diagnostics).toEqual([]);
        expect(skills[0]?.license).toHaveLength(length - used);
      }
    },
  );
});

describe("A9: one bad file never hides the others", () => {
  it("five good skills load and each bad file gives one diagnostic", () => {
    const root = createFolder();
    for (const name of ["a", "b", "c", "d", "e"]) writeSkill(join(root, name), name);
    writeFile(join(root, "bad-header/SKILL.md"), "---\nname: bad-header\n...\n---\n");
    writeFile(
      join(root, "bad-latin/SKILL.md"),
      Buffer.from("---\nname: bad-latin\ndescription: caf\xe9\n---\n", "latin1"),
    );
    writeFile(join(root, "bad-utf16/SKILL.md"), Buffer.from("\uFEFF---\nname: x\n---\n", "utf16le"));
    mkdirSync(join(root, "bad-folder/SKILL.md"), { recursive: true });
    mkdirSync(join(root, "bad-pipe"));
    execFileSync("mkfifo", [join(root, "bad-pipe/SKILL.md")]);
    chmodSync(writeSkill(join(root, "bad-mode"), "bad-mode"), 0o000);
    const { skills, diagnostics } = withoutPrivileges(() => loadCatalog([toRoot(root)]));
    expect(skills.map((skill) => skill.name)).toEqual(["a", "b", "c", "d", "e"]);
    const paths = diagnostics.map((diagnostic) => diagnostic.path.slice(root.length + 1)).toSorted();
    const bad = ["bad-folder", "bad-header", "bad-latin", "bad-mode", "bad-pipe", "bad-utf16"];
    expect(paths).toEqual(bad.map((name) => `${name}/SKILL.md`));
    expect(diagnostics.every((diagnostic) => diagnostic.severity === "error")).toBe(true);
    expect(diagnostics.find((diagnostic) => diagnostic.path.includes("latin"))?.message).toContain(
      "Line 3 is not UTF-8",
    );
  });

  it("a body in another encoding does not hide the skill", () => {
    const root = createFolder();
    writeFile(join(root, "x/SKILL.md"), Buffer.from("---\nname: x\ndescription: d\n---\ncaf\xe9", "latin1"));
    expect(names([toRoot(root)])).toEqual(["x"]);
  });

  it("A8: listing a header in JavaScript runs nothing", () => {
    const root = createFolder();
    const marker = join(root, "marker");
    const code = `{ name: (process.mainModule, require("fs").writeFileSync(${JSON.stringify(marker)}, ""), "x") }`;
    writeFile(join(root, "x/SKILL.md"), `---js\n${code}\n---\nBody`);
    const catalogs = [loadCatalog([toRoot(root)]), loadCatalog([toRoot(root)])];
    for (const { diagnostics } of catalogs) expect(diagnostics).toMatchObject([{ code: "header-language" }]);
    expect(loadCatalog([toRoot(root)], catalogs[0]).diagnostics).toEqual(catalogs[0]?.diagnostics);
    expect(existsSync(marker)).toBe(false);
  });
});

describe("A11: names and precedence", () => {
  it("the project beats the user, and the loser is named with both paths", () => {
    const base = createFolder();
    const strong = writeSkill(join(base, "project/deploy"), "deploy", { body: "Project." });
    const weak = writeSkill(join(base, "user/deploy"), "deploy", { body: "User." });
    writeSkill(join(base, "user/alone"), "alone");
    const roots = [toRoot(join(base, "project")), toRoot(join(base, "user"), { tier: "user" })];
    const catalog = loadCatalog(roots);
    expect(catalog.skills.map((skill) => [skill.name, skill.tier])).toEqual([
      ["deploy", "project"],
      ["alone", "user"],
    ]);
    expect(catalog.shadowed).toMatchObject([{ skill: { path: weak }, by: { path: strong } }]);
    expect(catalog.diagnostics).toMatchObject([{ code: "skill-shadowed", severity: "warning", path: weak }]);
    expect(catalog.diagnostics[0]?.message).toContain(strong);
    expect(loadCatalog(roots)).toMatchObject({ digest: catalog.digest, skills: catalog.skills });
    expect(loadCatalog(roots.toReversed()).get("deploy")?.path).toBe(weak);
  });

  it("within one root the first path wins", () => {
    const root = createFolder();
    writeSkill(join(root, "b"), "same");
    const first = writeSkill(join(root, "a"), "same");
    expect(loadCatalog([toRoot(root)]).get("same")?.path).toBe(first);
  });

  it("a name is found in any Unicode form and never on Object.prototype", () => {
    const root = createFolder();
    writeSkill(join(root, "cafe\u0301"), "caf\u00e9");
    const catalog = loadCatalog([toRoot(root)]);
    expect(catalog.get("cafe\u0301")?.name).toBe("caf\u00e9");
    expect(catalog.get("constructor")).toBeUndefined();
    expect(catalog.get("__proto__")).toBeUndefined();
  });

  it("the tier and the trust of a skill are its root's", () => {
    const root = createFolder();
    writeSkill(join(root, "x"), "x");
    const first = loadCatalog([toRoot(root, { trusted: false })]);
    expect(first.get("x")).toMatchObject({ trusted: false, source: root, directory: join(root, "x") });
    expect(loadCatalog([toRoot(root)], first).get("x")?.trusted).toBe(true);
  });
});

describe("B9: refreshing", () => {
  it("sees what was added, deleted and edited", () => {
    const root = createFolder();
    writeSkill(join(root, "a"), "a");
    writeSkill(join(root, "c"), "c");
    const before = loadCatalog([toRoot(root)]);
    writeSkill(join(root, "b"), "b");
    rmSync(join(root, "a"), { recursive: true });
    writeFile(join(root, "c/SKILL.md"), "---\nname: c\ndescription: New.\n---\n");
    const after = loadCatalog([toRoot(root)], before);
    expect(after.skills.map((skill) => `${skill.name}: ${skill.description}`)).toEqual([
      "b: Does b.",
      "c: New.",
    ]);
    expect(after.digest).not.toBe(before.digest);
    expect(before.skills.map((skill) => skill.name)).toEqual(["a", "c"]);
  });

  it("sees an edit of equal length at the same time stamp that came by a rename", () => {
    const root = createFolder();
    const path = writeSkill(join(root, "x"), "x", { header: "license: A" });
    const stamp = new Date(1_700_000_000_000);
    utimesSync(path, stamp, stamp);
    const before = loadCatalog([toRoot(root)]);
    const other = join(root, "new.tmp");
    writeFileSync(other, "---\nname: x\ndescription: Does x.\nlicense: B\n---\nDo x.\n");
    utimesSync(other, stamp, stamp);
    renameSync(other, path);
    expect(loadCatalog([toRoot(root)], before).get("x")?.license).toBe("B");
  });

  it("gives the very catalog of last time as long as nothing has changed", () => {
    const root = createFolder();
    const roots = [toRoot(join(root, "one")), toRoot(join(root, "two"), { tier: "user" })];
    writeSkill(join(root, "one/a"), "a");
    writeSkill(join(root, "two/a"), "a");
    writeFile(join(root, "two/bad/SKILL.md"), "No header.");
    const first = loadCatalog(roots);
    expect(loadCatalog(roots, first)).toBe(first);
    expect(
      loadCatalog(
        roots.map((place) => ({ ...place })),
        first,
      ),
    ).toBe(first);
  });

  it.each<[string, (root: string, roots: SkillRoot[]) => SkillRoot[]]>([
    ["the order of the roots", (_root, roots) => roots.toReversed()],
    ["the trust of a root", (_root, roots) => roots.map((place) => ({ ...place, trusted: false }))],
    ["the tier of a root", (_root, roots) => roots.map((place) => ({ ...place, tier: "bundled" }))],
    ["a root that is gone", (_root, roots) => roots.slice(0, 1)],
    [
      "a folder that is a skill no more",
      (root, roots) => {
        rmSync(join(root, "two/b/SKILL.md"));
        return roots;
      },
    ],
    [
      "a fault that came, beside the same files",
      (root, roots) => {
        symlinkSync(join(root, "nowhere"), join(root, "one/broken"));
        return roots;
      },
    ],
    [
      "a fault that is another one now",
      (root, roots) => {
        rmSync(join(root, "two/loop"));
        symlinkSync("elsewhere", join(root, "two/loop"));
        return roots;
      },
    ],
    [
      "a fault that is gone",
      (root, roots) => {
        rmSync(join(root, "two/loop"));
        return roots;
      },
    ],
  ])("sees %s, and gives what a first reading gives", (_, change) => {
    const root = createFolder();
    writeSkill(join(root, "one/a"), "a");
    writeSkill(join(root, "two/a"), "a");
    writeSkill(join(root, "two/b"), "b");
    symlinkSync("loop", join(root, "two/loop"));
    const roots = [toRoot(join(root, "one")), toRoot(join(root, "two"), { tier: "user" })];
    const before = loadCatalog(roots);
    const changed = change(root, roots);
    const after = loadCatalog(changed, before);
    const { get: _get, nearest: _nearest, ...seen } = after;
    expect(after).not.toBe(before);
    expect(loadCatalog(changed)).toMatchObject(seen);
    expect(seen).not.toMatchObject({ diagnostics: before.diagnostics, skills: before.skills });
  });

  it("an edit of the body alone does not change the digest", () => {
    const root = createFolder();
    writeSkill(join(root, "x"), "x");
    const before = loadCatalog([toRoot(root)]);
    writeSkill(join(root, "x"), "x", { body: "Something else altogether.\n" });
    expect(loadCatalog([toRoot(root)], before).digest).toBe(before.digest);
  });

  it("a file that could not be read is tried again", () => {
    const root = createFolder();
    const path = writeSkill(join(root, "x"), "x");
    chmodSync(path, 0o000);
    const before = withoutPrivileges(() => loadCatalog([toRoot(root)]));
    expect(before.skills).toEqual([]);
    chmodSync(path, 0o644);
    expect(loadCatalog([toRoot(root)], before).get("x")).toBeDefined();
  });
});

describe("nearest names", () => {
  it("B5: names the skill that was meant", () => {
    const root = createFolder();
    for (const name of ["pdf-report", "pdf-forms", "deploy", "log-cleaner"])
      writeSkill(join(root, name), name);
    const catalog = loadCatalog([toRoot(root)]);
    expect(catalog.nearest("pdf-reprot")).toEqual(["pdf-report"]);
    expect(catalog.nearest("PDF_Report")).toEqual(["pdf-report"]);
    expect(catalog.nearest("pdf")).toEqual(["pdf-forms", "pdf-report"]);
    expect(catalog.nearest("pdf", 1)).toEqual(["pdf-forms"]);
    expect(catalog.nearest("cleaner")).toEqual(["log-cleaner"]);
    expect(catalog.nearest("zzzzzz")).toEqual([]);
    expect(catalog.nearest("")).toEqual([]);
  });
});
