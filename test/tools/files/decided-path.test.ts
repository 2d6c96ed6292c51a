import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashTool } from "../../../src/tools/bash.ts";
import { editTool } from "../../../src/tools/edit.ts";
import { globTool } from "../../../src/tools/glob.ts";
import { grepTool } from "../../../src/tools/grep.ts";
import { readTool } from "../../../src/tools/read.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import { writeTool } from "../../../src/tools/write.ts";
import { call, createPlace } from "../call.ts";

const cases: [string, Tool, object, string][] = [
  ["Read", readTool, { path: "docs/a.md" }, "docs/a.md"],
  ["Write", writeTool, { path: "docs/a.md", content: "new\n" }, "docs/a.md"],
  ["Edit", editTool, { path: "docs/a.md", old_string: "old", new_string: "new" }, "docs/a.md"],
  ["Glob", globTool, { pattern: "*.md", path: "docs" }, "docs"],
  ["Grep", grepTool, { pattern: "old", path: "docs" }, "docs"],
  ["Bash", bashTool, { command: "cat a.md", working_directory: "docs" }, "docs"],
];

describe("a call whose place was decided", () => {
  it.each(cases)("%s: runs there", async (_name, tool, input, decided) => {
    const { context } = createPlace({ "docs/a.md": "old\n" });
    const decidedPath = join(context.workspace, decided);
    expect(await call(tool, input, { ...context, decidedPath })).toMatch(/old|a\.md/);
  });

  it.each(cases)("%s: does nothing when it leads elsewhere now", async (_name, tool, input) => {
    const { context } = createPlace({ "docs/a.md": "old\n" });
    mkdirSync(join(context.workspace, "other"));
    const decidedPath = join(context.workspace, "other/a.md");
    await expect(call(tool, input, { ...context, decidedPath })).rejects.toThrow("nothing was done");
    expect(readFileSync(join(context.workspace, "docs/a.md"), "utf8")).toBe("old\n");
  });
});
