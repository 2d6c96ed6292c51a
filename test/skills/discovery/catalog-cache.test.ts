import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Catalog, type CatalogOptions, loadCatalog } from "../../../src/skills/catalog.ts";
import type { ReadChunk } from "../../../src/skills/header/read-head.ts";
import type { SkillRoot } from "../../../src/skills/schema.ts";
import { createFolder, toRoot, withoutPrivileges, writeFile, writeSkill } from "../temp-folder.ts";

/** Longer than a file must rest before it is remembered. */
const REST_MS = 2_100;

function createPlace() {
  const base = createFolder();
  mkdirSync(join(base, "skills"));
  const root = join(base, "skills");
  const cacheFile = join(base, "catalog.jsonl");
  let reads = 0;
  const readChunk: ReadChunk = (descriptor, buffer, position) => {
    reads += 1;
    return readSync(descriptor, buffer, 0, buffer.length, position);
  };
  /** Loads as a new process does, and says how many files were read. */
  const load = (options: CatalogOptions & { roots?: SkillRoot[]; previous?: Catalog } = {}) => {
    const { roots = [toRoot(root)], previous, ...rest } = options;
    reads = 0;
    const catalog = loadCatalog(roots, previous, { cacheFile, program: "1", readChunk, ...rest });
    return { catalog, reads };
  };
  return { base, root, cacheFile, load };
}

/** All that can be seen of a catalog. */
function toFacts({ skills, shadowed, disabled, diagnostics, digest, files }: Catalog) {
  const entries = [...files].map(([path, { file, stamp, skill, diagnostics: faults }]) => {
    return { path, file, stamp, skill, faults };
  });
  return JSON.stringify({ skills, shadowed, disabled, diagnostics, digest, entries });
}

describe("a catalog that another process read", () => {
  it("is taken over without reading a file, and equals one that is read anew", async () => {
    const { root, load } = createPlace();
    for (let index = 0; index < 50; index += 1) writeSkill(join(root, `s${index}`), `s${index}`);
    writeSkill(join(root, "faulty"), "Faulty Name", { header: "allowed-tools: [Read, Bash(]" });
    writeFile(join(root, "refused/SKILL.md"), "No header.");
    writeSkill(join(root, "same"), "s1", { header: "metadata:\n  __proto__: x\n  constructor: y" });
    await setTimeout(REST_MS);
    const cold = load();
    expect(cold.reads).toBeGreaterThan(50);
    const warm = load();
    expect(warm.reads).toBe(0);
    expect(toFacts(warm.catalog)).toBe(toFacts(cold.catalog));
    expect(toFacts(warm.catalog)).toBe(toFacts(load({ cacheFile: undefined }).catalog));
    expect(warm.catalog.get("s7")?.description).toBe("Does s7.");
    expect(warm.catalog.nearest("s07")).toEqual(cold.catalog.nearest("s07"));
    const next = load({ previous: warm.catalog });
    expect([next.catalog === warm.catalog, next.reads]).toEqual([true, 0]);
  });

  it("what changed within two seconds before it was read is not remembered, the rest is", async () => {
    const { root, load } = createPlace();
    writeSkill(join(root, "old"), "old");
    await setTimeout(REST_MS);
    writeSkill(join(root, "new"), "new");
    expect(load().reads).toBe(2);
    expect(load().reads).toBe(1);
    await setTimeout(REST_MS);
    expect([load().reads, load().reads]).toEqual([1, 0]);
  });

  it("a time in the future is not believed", async () => {
    const { root, load } = createPlace();
    const path = writeSkill(join(root, "x"), "x");
    utimesSync(path, new Date("2100-01-01"), new Date("2100-01-01"));
    await setTimeout(REST_MS);
    expect([load().reads, load().reads]).toEqual([1, 1]);
  });

  it("an edit of equal length with the old time set back is seen", async () => {
    const { root, load } = createPlace();
    const path = writeSkill(join(root, "x"), "x", { header: "license: A" });
    const stamp = new Date(1_700_000_000_000);
    utimesSync(path, stamp, stamp);
    await setTimeout(REST_MS);
    load();
    const text = readFileSync(path, "utf8").replace("license: A", "license: B");
    writeFileSync(path, text);
    utimesSync(path, stamp, stamp);
    expect(load().catalog.get("x")?.license).toBe("B");
  });

  it("trust, tier and precedence are never taken from it", async () => {
    const { root, load } = createPlace();
    writeSkill(join(root, "x"), "x");
    await setTimeout(REST_MS);
    load();
    const { catalog, reads } = load({ roots: [toRoot(root, { trusted: false, tier: "bundled" })] });
    expect(reads).toBe(0);
    expect(catalog.get("x")).toMatchObject({ trusted: false, tier: "bundled", source: root });
    expect(load().catalog.get("x")?.trusted).toBe(true);
  });

  it("links are looked at each time", async () => {
    const { base, root, load } = createPlace();
    writeSkill(join(base, "one/x"), "one");
    writeSkill(join(base, "two/x"), "two");
    symlinkSync(join(base, "one"), join(base, "target"));
    symlinkSync(join(base, "target"), join(root, "linked"));
    await setTimeout(REST_MS);
    expect(load().catalog.skills.map(({ name }) => name)).toEqual(["one"]);
    // Neither the root nor the link in it changes.
    rmSync(join(base, "target"));
    symlinkSync(join(base, "two"), join(base, "target"));
    expect(load().catalog.skills.map(({ name, directory }) => [name, directory])).toEqual([
      ["two", join(base, "two/x")],
    ]);
  });

  it("nothing of a body and nothing of trust is in it, and only its owner reads it", async () => {
    const { root, cacheFile, load } = createPlace();
    writeSkill(join(root, "x"), "x", { body: "SECRET-BODY\n" });
    await setTimeout(REST_MS);
    load();
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
    const text = readFileSync(cacheFile, "utf8");
    expect(text).toContain("Does x.");
    expect(text).not.toMatch(/SECRET-BODY|"trusted":true/);
  });
});

describe("the file of the cache", () => {
  /** A place whose file rested, since the clock goes ahead; nothing here is about changes of a moment ago. */
  function createFilledPlace() {
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + REST_MS);
    onTestFinished(() => clock.mockRestore());
    const place = createPlace();
    writeSkill(join(place.root, "x"), "x");
    place.load();
    expect(existsSync(place.cacheFile)).toBe(true);
    return place;
  }

  it("is written only when something changed", async () => {
    const { root, cacheFile, load } = createFilledPlace();
    const { ctimeMs } = lstatSync(cacheFile);
    // Many disks tell times in steps of a few milliseconds.
    await setTimeout(20);
    const { catalog } = load();
    load({ previous: catalog });
    expect(lstatSync(cacheFile).ctimeMs).toBe(ctimeMs);
    rmSync(join(root, "x"), { recursive: true });
    load({ previous: catalog });
    expect(lstatSync(cacheFile).ctimeMs).not.toBe(ctimeMs);
    expect(readFileSync(cacheFile, "utf8")).not.toContain("Does x.");
  });

  it("of another version of the program is not used, and written again", async () => {
    const { load } = createFilledPlace();
    expect(load({ program: "2" }).reads).toBe(1);
    expect(load({ program: "2" }).reads).toBe(0);
    expect(load().reads).toBe(1);
  });

  it.each([
    ["empty", ""],
    ["no JSON", "{"],
    ["another shape", "[]\n{}\n"],
    ["roots that are none", '{"format":1,"program":"1","roots":{"length":3}}\n'],
    ["of another format", '{"format":0,"program":"1","roots":[]}\n'],
    ["binary", Buffer.from([0, 255, 10, 0, 255, 10])],
  ])("that is %s is not used, and written again", async (_title, content) => {
    const { cacheFile, load } = createFilledPlace();
    writeFileSync(cacheFile, content);
    expect(load().reads).toBe(1);
    expect(load().reads).toBe(0);
  });

  it("that was cut or changed anywhere gives what reading gives", async () => {
    const { cacheFile, load } = createFilledPlace();
    const expected = toFacts(load({ cacheFile: undefined }).catalog);
    const whole = readFileSync(cacheFile);
    for (let index = 0; index < whole.length; index += 1) {
      const changed = Buffer.from(whole);
      changed[index] = (changed[index] ?? 0) ^ 1;
      for (const bytes of [changed, whole.subarray(0, index)]) {
        writeFileSync(cacheFile, bytes);
        expect(toFacts(load().catalog)).toBe(expected);
      }
    }
  });

  it("that is a folder, a link to nowhere, or in a folder that is closed or gone costs nothing but time", async () => {
    const { base, root, cacheFile, load } = createFilledPlace();
    rmSync(cacheFile);
    mkdirSync(cacheFile);
    expect(load().reads).toBe(1);
    expect(readdirSync(base).sort()).toEqual(["catalog.jsonl", "skills"]);
    rmSync(cacheFile, { recursive: true });
    symlinkSync(join(base, "nowhere"), cacheFile);
    expect([load().reads, load().reads]).toEqual([1, 0]);
    mkdirSync(join(base, "closed"), { mode: 0o500 });
    const closed = join(base, "closed/catalog.jsonl");
    expect(withoutPrivileges(() => load({ cacheFile: closed }).reads)).toBe(1);
    expect(load({ cacheFile: join(base, "gone/catalog.jsonl") }).reads).toBe(1);
    expect(load({ roots: [toRoot(root)] }).catalog.get("x")).toBeDefined();
  });

  it("that others may write is not believed", async () => {
    const { cacheFile, load } = createFilledPlace();
    chmodSync(cacheFile, 0o666);
    expect(load().reads).toBe(1);
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.geteuid?.() === 0)("that belongs to another user is not believed", async () => {
    const { cacheFile, load } = createFilledPlace();
    chownSync(cacheFile, 65534, 65534);
    expect(load().reads).toBe(1);
    expect(statSync(cacheFile).uid).toBe(0);
  });

  it("keeps what other roots gave, and each process is right whoever wrote last", async () => {
    const { base, root, load } = createPlace();
    const other = join(base, "other");
    writeSkill(join(root, "x"), "x");
    writeSkill(join(other, "y"), "y");
    await setTimeout(REST_MS);
    load();
    load({ roots: [toRoot(other)] });
    expect(load().reads).toBe(0);
    expect(load({ roots: [toRoot(other)] }).reads).toBe(0);
    expect(load({ roots: [toRoot(other), toRoot(root)] }).reads).toBe(0);
  });

  it("drops what other roots gave beyond 20,000 files", async () => {
    const { base, root, cacheFile, load } = createPlace();
    const other = join(base, "other");
    writeSkill(join(root, "x"), "x");
    writeSkill(join(other, "y"), "y");
    await setTimeout(REST_MS);
    load();
    const text = readFileSync(cacheFile, "utf8");
    writeFileSync(cacheFile, text.replace('"files":1,"digest"', '"files":20001,"digest"'));
    load({ roots: [toRoot(other)] });
    expect(load({ roots: [toRoot(other)] }).reads).toBe(0);
    expect(load().reads).toBe(1);
  });
});

/** A generator of numbers that gives the same ones each time. */
function createRandom(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
}

describe("warm equals cold", () => {
  const names = ["a", "b", "c", "skills", "assets", "node_modules"];
  const texts = [
    "---\nname: one\ndescription: One.\n---\nx\n",
    "---\nname: two\ndescription: Two.\nallowed-tools: Read\n---\nx\n",
    "---\nname: one\ndescription: Old.\n---\nx\n",
    "---\ndescription: a: b\n---\nx\n",
    "no header\n",
  ];

  function change(base: string, random: (limit: number) => number): void {
    const pick = <Item>(items: Item[]) => items[random(items.length)] as Item;
    const place = join(base, ...Array.from({ length: 1 + random(3) }, () => pick(names)));
    const file = join(place, pick(["SKILL.md", "SKILL.md", "skill.md", ".gitignore"]));
    try {
      const actions = [
        () => writeFile(file, file.endsWith(".gitignore") ? pick(["a/\n", "*\n!b\n"]) : pick(texts)),
        () => writeFile(file, pick(texts)),
        () => rmSync(file, { force: true }),
        () => rmSync(place, { recursive: true, force: true }),
        () => renameSync(place, join(base, pick(names), pick(names))),
        () => symlinkSync(join(base, pick(names)), place),
        () => symlinkSync(pick(["../SKILL.md", "/etc/passwd", "nowhere"]), file),
        () => utimesSync(file, new Date(1_700_000_000_000), new Date(1_700_000_000_000)),
        () => chmodSync(file, pick([0o000, 0o644])),
        () => mkdirSync(file, { recursive: true }),
      ];
      pick(actions)();
    } catch (error) {
      // Not each action fits each place.
      expect((error as NodeJS.ErrnoException).code).toMatch(/^E[A-Z]+$/);
    }
  }

  it("after any changes, with what rested and what did not", { timeout: 120_000 }, async () => {
    const places = Array.from({ length: 25 }, (_, index) => ({
      ...createPlace(),
      random: createRandom(index),
    }));
    let warmReads = 0;
    let coldReads = 0;
    for (let round = 0; round < 6; round += 1) {
      for (const { root, random, load } of places) {
        for (let count = random(12); count > 0; count -= 1) change(root, random);
        const roots = [toRoot(join(root, "a"), { tier: "flag" }), toRoot(root)].slice(random(2));
        const cold = load({ roots, cacheFile: undefined });
        const warm = load({ roots });
        expect(toFacts(warm.catalog)).toBe(toFacts(cold.catalog));
        coldReads += cold.reads;
        warmReads += warm.reads;
      }
      // Every other round meets what was changed just before.
      if (round % 2 === 0) await setTimeout(REST_MS);
    }
    expect(warmReads).toBeLessThan(coldReads * 0.9);
  });
});
