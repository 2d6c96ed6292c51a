import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findBubblewrap } from "../../../src/tools/sandbox/find-bubblewrap.ts";
import { createPlace } from "../call.ts";

function plant(folder: string, mode = 0o755): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "bwrap");
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, mode);
  return file;
}

describe("findBubblewrap", () => {
  it("takes the first program of that name on the PATH", () => {
    const { root, context } = createPlace();
    plant(join(root, "not-executable"), 0o644);
    const first = plant(join(root, "first"));
    plant(join(root, "second"));
    const PATH = ["not-executable", "gone", "first", "second"].map((name) => join(root, name)).join(":");
    expect(findBubblewrap({ PATH }, context.workspace)).toBe(first);
  });

  it("never takes one of the workspace, by whatever name the folder is reached", () => {
    const { root, context } = createPlace();
    const { workspace } = context;
    plant(join(workspace, "bin"));
    symlinkSync(join(workspace, "bin"), join(root, "link"));
    for (const folder of [join(workspace, "bin"), join(root, "link"), `${root}/x/../app/bin`, "bin", "."]) {
      expect(findBubblewrap({ PATH: `${folder}:/nowhere` }, workspace), folder).toBeUndefined();
    }
  });

  it("finds none where the PATH has none", () => {
    const { root, context } = createPlace();
    mkdirSync(join(root, "bin", "bwrap"), { recursive: true });
    expect(findBubblewrap({ PATH: join(root, "bin") }, context.workspace)).toBeUndefined();
  });
});
