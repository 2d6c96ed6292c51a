import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readGitIndex } from "../../../src/permissions/read-only/git-index.ts";
import { createFolder, createRepository, writeIn } from "./scratch.ts";

const HASH = 20;
const FLAGS = 12 + 40 + HASH;
const NAME = FLAGS + 2;

function readIndexOf(folder: string, ...args: string[]): Buffer {
  if (args.length > 0) execFileSync("git", args, { cwd: folder, stdio: "ignore" });
  return readFileSync(join(folder, ".git/index"));
}

function createOne(): Buffer {
  return readIndexOf(createRepository(createFolder()));
}

describe("an index of git", () => {
  it.each([2, 3, 4])("of version %i names all files and nested repositories", (version) => {
    const folder = createRepository(createFolder());
    writeIn(folder, "sub/b.txt", "two\n");
    createRepository(join(folder, "nested"));
    readIndexOf(folder, "-c", "advice.addEmbeddedRepo=false", "add", "-A");
    if (version === 3) {
      writeIn(folder, "later.txt", "");
      readIndexOf(folder, "add", "-N", "later.txt");
    }
    const bytes = readIndexOf(folder, "update-index", "--force-write-index", "--index-version", `${version}`);
    expect(bytes.readUInt32BE(4)).toBe(version);
    expect(readGitIndex(bytes, HASH)).toEqual({
      links: ["nested"],
      files: ["a.txt", ...(version === 3 ? ["later.txt"] : []), "sub/b.txt"],
    });
  });

  it("that keeps its entries in another file is not understood", () => {
    const bytes = readIndexOf(createRepository(createFolder()), "update-index", "--split-index");
    expect(bytes.includes("link")).toBe(true);
    expect(readGitIndex(bytes, HASH)).toBeUndefined();
  });

  it("of version 2 with a flag of version 3 is not understood", () => {
    const bytes = createOne();
    expect(bytes.readUInt32BE(4)).toBe(2);
    bytes.writeUInt16BE(bytes.readUInt16BE(FLAGS) | 0x4000, FLAGS);
    expect(readGitIndex(bytes, HASH)).toBeUndefined();
  });

  it("whose name runs into the checksum is not understood", () => {
    const bytes = createOne();
    const end = bytes.length - HASH;
    bytes.fill("x", NAME, bytes.length).fill(0, end + 1, end + 2);
    expect(readGitIndex(bytes, HASH)).toBeUndefined();
  });

  it.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, 60)],
    ["of another kind", (bytes: Buffer) => bytes.fill("X", 0, 4)],
    ["of a later version", (bytes: Buffer) => bytes.fill(5, 7, 8)],
    ["with more entries than it holds", (bytes: Buffer) => bytes.fill(9, 11, 12)],
  ])("that is %s is not understood", (_what, change) => {
    expect(readGitIndex(change(createOne()), HASH)).toBeUndefined();
  });
});
