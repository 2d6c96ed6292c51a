import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../src/tools/edit.ts";
import { globTool } from "../../src/tools/glob.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { readTool } from "../../src/tools/read.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { resolvePath, toShownPath } from "../../src/tools/workspace.ts";
import { writeTool } from "../../src/tools/write.ts";
import { call, createPlace } from "./call.ts";

/** A workspace `app` beside `out` and `app-secret`, with links that lead out. */
function createLinkedPlace(): { root: string; out: string; context: ToolContext } {
  const { root, context } = createPlace({ "in.txt": "inside\n", "folder/deep.txt": "deep\n" });
  const out = join(root, "out");
  mkdirSync(join(out, "sub"), { recursive: true });
  mkdirSync(join(root, "app-secret"));
  writeFileSync(join(out, "v"), "victim\n");
  writeFileSync(join(root, "app-secret", "s.txt"), "victim\n");
  symlinkSync(out, join(context.workspace, "link"));
  symlinkSync(join(out, "v"), join(context.workspace, "todo.txt"));
  symlinkSync(join(out, "not-yet"), join(context.workspace, "dangling"));
  symlinkSync("../out/not-yet-either", join(context.workspace, "folder", "relative"));
  symlinkSync(join(out, "sub"), join(context.workspace, "folder", "jump"));
  symlinkSync("link", join(context.workspace, "twice"));
  return { root, out, context };
}

const ESCAPES = [
  "link/new/f",
  "link/v",
  "twice/v",
  "todo.txt",
  "dangling",
  "folder/../dangling",
  "folder/jump/../v",
  "link/../app-secret/s.txt",
  "../app-secret/s.txt",
  "../out/v",
  "folder/../../out/v",
  "missing/../../out/v",
  "~/anything",
  "/etc/hosts",
  "..",
  '"../out/v"',
];

describe("resolvePath", () => {
  it.each(ESCAPES)(
    "C8: no file tool follows %s out of the workspace, and nothing is made outside",
    async (path) => {
      const { root, out, context } = createLinkedPlace();
      const list = () => [readdirSync(root), readdirSync(out), readdirSync(join(root, "app-secret"))];
      const before = list();
      const outside = { code: "path-outside" };
      await expect(call(readTool, { path }, context)).rejects.toMatchObject(outside);
      await expect(call(writeTool, { path, content: "x" }, context)).rejects.toMatchObject(outside);
      const change = { path, old_string: "victim", new_string: "x" };
      await expect(call(editTool, change, context)).rejects.toMatchObject(outside);
      await expect(call(globTool, { path, pattern: "**" }, context)).rejects.toMatchObject(outside);
      await expect(call(grepTool, { path, pattern: "victim" }, context)).rejects.toMatchObject(outside);
      expect(list()).toEqual(before);
      expect(readFileSync(join(out, "v"), "utf8")).toBe("victim\n");
    },
  );

  it("C8: an absolute path beside the workspace with the same beginning is outside", () => {
    const { root, context } = createLinkedPlace();
    expect(() => resolvePath(join(root, "app-secret", "s.txt"), context, "read")).toThrow(
      `is outside the workspace ${context.workspace}`,
    );
  });

  it("C8: searching the workspace shows nothing that lies behind a link", async () => {
    const { context } = createLinkedPlace();
    expect((await call(globTool, { pattern: "**" }, context)).split("\n")).toEqual([
      "folder/deep.txt",
      "in.txt",
    ]);
    expect(await call(grepTool, { pattern: "victim" }, context)).toContain("No line matches");
  });

  it("C8: a pattern cannot leave its folder", async () => {
    const { root, context } = createLinkedPlace();
    for (const pattern of [
      "../*",
      "folder/../../out/*",
      "{..,folder}/*",
      "{../out,x}/v",
      join(root, "out", "*"),
    ]) {
      await expect(call(globTool, { pattern }, context)).rejects.toMatchObject({ code: "path-outside" });
    }
  });

  it("names the path, the workspace and where a link leads", () => {
    const { out, context } = createLinkedPlace();
    expect(() => resolvePath("link/new/f", context, "write")).toThrow(
      `Path "link/new/f" is outside the workspace ${context.workspace}. It leads to ${out}/new/f.`,
    );
  });

  it("resolves links that stay inside, missing files and the workspace itself", () => {
    const { context } = createLinkedPlace();
    symlinkSync("folder", join(context.workspace, "inner"));
    expect(resolvePath("inner/deep.txt", context, "write")).toBe(join(context.workspace, "folder/deep.txt"));
    expect(resolvePath("a/b/c.txt", context, "write")).toBe(join(context.workspace, "a/b/c.txt"));
    expect(resolvePath("folder/jump/../../app/in.txt", context, "read")).toBe(
      join(context.workspace, "in.txt"),
    );
    expect(resolvePath("", context, "read")).toBe(context.workspace);
    expect(resolvePath(context.workspace, context, "read")).toBe(context.workspace);
  });

  it("refuses a circle of links and a NUL character", () => {
    const { context } = createLinkedPlace();
    symlinkSync("circle", join(context.workspace, "circle"));
    expect(() => resolvePath("circle", context, "read")).toThrow("circle of links");
    expect(() => resolvePath("in.txt\0.png", context, "read")).toThrow("NUL");
  });

  it("lets the folders of active skills be read but not written", () => {
    const { out, context } = createLinkedPlace();
    const place = { ...context, readableFolders: [out] };
    expect(resolvePath("link/v", place, "read")).toBe(join(out, "v"));
    expect(() => resolvePath("link/v", place, "write")).toThrow("can be read but not written");
  });

  it("takes ~ for the home folder and not for a name that begins with it", () => {
    const { context } = createPlace();
    expect(resolvePath("~/x", { workspace: homedir(), readableFolders: [] }, "read")).toContain("x");
    expect(resolvePath("~$draft.docx", context, "read")).toBe(join(context.workspace, "~$draft.docx"));
  });
});

describe("the target of a file tool", () => {
  it("holds the real path and the absolute one as it is spelled", () => {
    const { context } = createLinkedPlace();
    const { workspace } = context;
    symlinkSync("folder", join(workspace, "inner"));
    const deep = { path: join(workspace, "folder/deep.txt"), spelled: join(workspace, "inner/deep.txt") };
    for (const path of ["inner/deep.txt", "./inner//x/../deep.txt", join(workspace, "inner/deep.txt")]) {
      expect(readTool.target({ path }, context)).toEqual({ kind: "path", access: "read", ...deep });
      expect(writeTool.target({ path }, context)).toEqual({ kind: "path", access: "write", ...deep });
      expect(editTool.target({ path }, context)).toEqual({ kind: "path", access: "write", ...deep });
      expect(grepTool.target({ path }, context)).toEqual({ kind: "path", access: "read", ...deep });
    }
    const folder = { path: join(workspace, "folder"), spelled: join(workspace, "inner") };
    expect(globTool.target({ path: "inner" }, context)).toEqual({ kind: "path", access: "read", ...folder });
    const here = { kind: "path", access: "read", path: workspace, spelled: workspace };
    expect(globTool.target({}, context)).toEqual(here);
    expect(grepTool.target({}, context)).toEqual(here);
  });
});

describe("toShownPath", () => {
  it("G8: writes any name so that it leads back to the same file", () => {
    const { context } = createPlace();
    for (const name of [
      "a b.txt",
      " outer ",
      "two\nlines",
      'quo"te',
      '"quoted"',
      "~",
      "~/x",
      "表/é.ts",
      "[1].md",
      "a\\b",
    ]) {
      const path = join(context.workspace, name);
      mkdirSync(path, { recursive: true });
      const shown = toShownPath(path, context.workspace);
      expect(shown).not.toContain("\n");
      expect(resolvePath(shown, context, "read")).toBe(path);
      expect(existsSync(path)).toBe(true);
    }
  });
});
