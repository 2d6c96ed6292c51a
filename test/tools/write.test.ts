import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeTool } from "../../src/tools/write.ts";
import { call, createPlace } from "./call.ts";

describe("Write", () => {
  it("makes a file and its folders, and says what it did", async () => {
    const { context } = createPlace();
    expect(await call(writeTool, { path: "a/b/é.txt", content: "häh\n" }, context)).toBe(
      "Created a/b/é.txt (5 bytes).",
    );
    expect(readFileSync(join(context.workspace, "a/b/é.txt"), "utf8")).toBe("häh\n");
    expect(readdirSync(join(context.workspace, "a/b"))).toEqual(["é.txt"]);
  });

  it("replaces a file and keeps its mode", async () => {
    const { context } = createPlace({ "run.sh": "old" });
    chmodSync(join(context.workspace, "run.sh"), 0o750);
    expect(await call(writeTool, { file_path: "run.sh", contents: "" }, context)).toBe(
      "Replaced run.sh (0 bytes).",
    );
    expect(readFileSync(join(context.workspace, "run.sh"), "utf8")).toBe("");
    expect(statSync(join(context.workspace, "run.sh")).mode & 0o777).toBe(0o750);
  });

  it("writes through a link that stays inside, and keeps the link", async () => {
    const { context } = createPlace({ "real.txt": "old" });
    symlinkSync("real.txt", join(context.workspace, "link.txt"));
    await call(writeTool, { path: "link.txt", content: "new" }, context);
    expect(readFileSync(join(context.workspace, "real.txt"), "utf8")).toBe("new");
    expect(readFileSync(join(context.workspace, "link.txt"), "utf8")).toBe("new");
  });

  it("refuses a folder, a file in the place of a folder, and half a surrogate pair", async () => {
    const { context } = createPlace({ "folder/a.txt": "x" });
    await expect(call(writeTool, { path: "folder", content: "x" }, context)).rejects.toThrow(
      "not a regular file",
    );
    await expect(call(writeTool, { path: "folder/a.txt/b", content: "x" }, context)).rejects.toThrow();
    await expect(call(writeTool, { path: "b.txt", content: "a\ud83d" }, context)).rejects.toThrow(
      "surrogate",
    );
    expect(readdirSync(context.workspace)).toEqual(["folder"]);
  });
});
