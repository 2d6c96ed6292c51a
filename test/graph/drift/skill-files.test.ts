import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChange, rememberFiles } from "../../../src/graph/drift/skill-files.ts";
import { createFolder, writeFile, writeSkill } from "../../skills/temp-folder.ts";

/** A skill with a script that was written at a time, kept in mind as a thread does. */
function remember(written: Date) {
  const directory = join(createFolder(), "tidy");
  const path = writeSkill(directory, "tidy");
  const script = writeFile(join(directory, "scripts/go.sh"), "go");
  utimesSync(script, written, written);
  const texts: Record<string, string> = {};
  const files = rememberFiles({ path, directory }, texts);
  const skill = { name: "tidy", path, directory, digest: "", files };
  const fresh: Record<string, string> = {};
  return { script, skill, fresh, find: (kept = texts) => findChange(skill, kept, fresh) };
}

/** Other bytes of the same number, with the time that was there. */
function forge(script: string): void {
  const { atime, mtime } = statSync(script);
  writeFileSync(script, "no");
  utimesSync(script, atime, mtime);
}

const LONG_AGO = new Date(Date.now() - 60_000);

describe("the files of a skill that a thread keeps in mind", () => {
  it("one that was written just before it was read is read again: its time may not tell", () => {
    const { script, find } = remember(new Date());
    forge(script);
    expect(find()?.files).toEqual(["scripts/go.sh (changed)"]);
  });

  it("an older one is not read again while its size and time are the same", () => {
    const { script, find } = remember(LONG_AGO);
    forge(script);
    expect(find()).toBeUndefined();
    writeFileSync(script, "longer");
    utimesSync(script, LONG_AGO, LONG_AGO);
    expect(find()?.files).toEqual(["scripts/go.sh (changed)"]);
  });

  it("the list is written anew only where times are other ones, and serves the next look", () => {
    const { script, skill, fresh, find } = remember(LONG_AGO);
    expect([find(), fresh]).toEqual([undefined, {}]);
    const later = new Date(LONG_AGO.getTime() + 1_000);
    utimesSync(script, later, later);
    expect(find()).toBeUndefined();
    expect(Object.keys(fresh)).toEqual([skill.files]);
    const { files } = JSON.parse(fresh[skill.files] ?? "") as { files: [string, { mtimeMs: number }][] };
    expect(new Map(files).get("scripts/go.sh")?.mtimeMs).toBeCloseTo(later.getTime(), 0);
    const kept = { ...fresh };
    delete fresh[skill.files];
    expect([find(kept), fresh]).toEqual([undefined, {}]);
  });

  it("a SKILL.md that is gone is the whole change", () => {
    const { skill, find } = remember(LONG_AGO);
    rmSync(skill.path);
    expect(find()).toEqual({ digest: "", files: ["SKILL.md (gone)"] });
  });
});
