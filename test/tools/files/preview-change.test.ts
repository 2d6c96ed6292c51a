import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../../src/tools/edit.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import { writeTool } from "../../../src/tools/write.ts";
import { createPlace } from "../call.ts";

const preview = (tool: Tool, input: object, files: Record<string, string | Uint8Array>) => {
  const { context } = createPlace(files);
  return tool.preview?.(input, context);
};
const edit = { path: "a.md", old_string: "two", new_string: "2" };

describe("what a call would change", () => {
  it("Edit: is a patch of the lines that change", () => {
    const patch = preview(editTool, edit, { "a.md": "one\ntwo\nthree\n" });
    expect(patch?.split("\n")).toEqual([
      "--- a.md",
      "+++ a.md (changed)",
      "@@ -1,3 +1,3 @@",
      " one",
      "-two",
      "+2",
      " three",
    ]);
  });

  it("Write: is against the file as it is, with its line ends kept", () => {
    const patch = preview(writeTool, { path: "a.md", content: "one\n2\n" }, { "a.md": "one\r\ntwo\r\n" });
    expect(patch).toContain("-two\r\n+2");
    expect(patch).not.toContain("-one");
  });

  it("is shortened when it is long", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join("\n");
    const patch = preview(writeTool, { path: "a.md", content: lines }, { "a.md": "x\n" }) ?? "";
    expect(patch.split("\n").length).toBeLessThanOrEqual(201);
    expect(patch).toMatch(/… \d+ more lines$/);
  });

  it.each([
    ["that is new", writeTool, { path: "new.md", content: "x" }, {}],
    ["that is not UTF-8 text", writeTool, { path: "a.md", content: "x" }, { "a.md": Uint8Array.of(0xff, 0) }],
    ["that stays as it is", writeTool, { path: "a.md", content: "x" }, { "a.md": "x" }],
    ["that lacks the text", editTool, edit, { "a.md": "one\n" }],
    ["that may hold secrets", writeTool, { path: ".env", content: "x" }, { ".env": "KEY=1\n" }],
    ["outside of the workspace", writeTool, { path: "../out.md", content: "x" }, {}],
    ["that is large", writeTool, { path: "a.md", content: "x" }, { "a.md": "x\n".repeat(600_000) }],
  ])("is nothing for a file %s", (_name, tool, input, files) => {
    expect(preview(tool, input, files as Record<string, string>)).toBeUndefined();
  });

  it("is nothing for a link that leads to a secret", () => {
    const { context } = createPlace({ ".env": "KEY=1\n" });
    symlinkSync(".env", join(context.workspace, "a.md"));
    expect(writeTool.preview?.({ path: "a.md", content: "x" }, context)).toBeUndefined();
  });
});
