import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFile } from "../../../src/tools/files/files.ts";
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
