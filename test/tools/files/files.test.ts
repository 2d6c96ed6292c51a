import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFile, writeWhole } from "../../../src/tools/files/files.ts";
import { createPlace } from "../call.ts";

describe("openFile", () => {
  it("C8: refuses a file that became a link since its path was resolved", async () => {
    const { root, context } = createPlace();
    writeFileSync(join(root, "victim"), "secret");
    symlinkSync(join(root, "victim"), join(context.workspace, "f"));
    const opened = openFile(join(context.workspace, "f"), context.workspace);
    await expect(opened).rejects.toMatchObject({ code: "path-outside" });
  });

  it.runIf(process.platform === "linux")("C8: refuses a file whose folder became a link", async () => {
    const { root, context } = createPlace();
    mkdirSync(join(root, "out"));
    writeFileSync(join(root, "out", "f"), "secret");
    symlinkSync(join(root, "out"), join(context.workspace, "folder"));
    const opened = openFile(join(context.workspace, "folder", "f"), context.workspace);
    await expect(opened).rejects.toMatchObject({ code: "path-outside" });
  });
});

describe("writeWhole", () => {
  it("C8: writes nothing when the path leads elsewhere after its folders are made", async () => {
    const { context } = createPlace({ "f.txt": "old" });
    const path = join(context.workspace, "f.txt");
    await expect(writeWhole(path, "new", () => "/elsewhere")).rejects.toMatchObject({ code: "path-outside" });
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it.runIf(process.platform === "linux")(
    "C8: writes nothing behind a folder that became a link",
    async () => {
      const { root, context } = createPlace();
      mkdirSync(join(root, "out"));
      symlinkSync(join(root, "out"), join(context.workspace, "folder"));
      const path = join(context.workspace, "folder", "f.txt");
      await expect(writeWhole(path, "new", () => path)).rejects.toMatchObject({ code: "path-outside" });
      expect(readdirSync(join(root, "out"))).toEqual([]);
    },
  );
});
