import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../../../src/tools/files/make-folder.ts";
import { createWorkspace } from "../../support/workspace.ts";

it("makes a folder and its parents, for their owner only, and does nothing the second time", () => {
  const path = join(createWorkspace().folder, "a/b/c");
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("a file in the way is an error", () => {
  const { folder } = createWorkspace();
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file/x"))).toThrow(/ENOTDIR/);
});

it.runIf(existsSync("/proc/self"))(
  "a place where nothing can be made is an error, and not a wait for ever",
  () => {
    expect(() => makeFolder("/proc/no-such-process/x")).toThrow(/ENOENT/);
  },
);
