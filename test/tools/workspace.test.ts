import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../src/tools/edit.ts";
import { globTool } from "../../src/tools/glob.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { readTool } from "../../src/tools/read.ts";
import type { Tool, ToolContext } from "../../src/tools/tool.ts";
import { resolvePath } from "../../src/tools/workspace.ts";
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
  symlinkSync("todo.txt", join(context.workspace, "to-link"));
  symlinkSync("./dangling", join(context.workspace, "to-dangling"));
  symlinkSync("../..", join(context.workspace, "folder", "up"));
  symlinkSync(".", join(context.workspace, "self"));
  return { root, out, context };
}

function toCalls(path: string): [Tool, Record<string, unknown>][] {
  return [
    [readTool, { path }],
    [writeTool, { path, content: "x" }],
    [editTool, { path, old_string: "a", new_string: "b" }],
    [globTool, { path, pattern: "**" }],
    [grepTool, { path, pattern: "x" }],
  ];
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
  "./link/./v",
  "link//v",
  "link/",
  "link/new/deep/er/f",
  "link/missing/../v",
  "twice/sub/../v",
  "to-link",
  "to-dangling",
  "folder/up/../out/v",
  "self/../out/v",
  "../app/../out/v",
  "LINK/../../out/v",
  "in.txt/../../out/v",
  "~root/../../out/v",
  "\\..\\..\\out\\v/../../../out/v",
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

  it("C8: a folder where a file is meant, a file where a folder is meant and a name too long are refused by name", async () => {
    const { context } = createLinkedPlace();
    const long = "x".repeat(300);
    for (const path of [long, `folder/${long}/y`, "y/".repeat(3_000), `"${long}"`]) {
      for (const [tool, input] of toCalls(path)) {
        const failure = await call(tool, input, context).catch((error: Error) => error.message);
        expect(failure, tool.name).toMatch(/name too long/);
        expect(failure.length).toBeLessThan(700);
      }
    }
    for (const [tool, input] of toCalls("in.txt/below")) {
      await expect(call(tool, input, context), tool.name).rejects.toThrow("in.txt/below");
    }
    for (const [tool, input] of toCalls("folder/").filter(([{ name }]) => /Read|Write|Edit/.test(name))) {
      await expect(call(tool, input, context), tool.name).rejects.toThrow(
        /folder is (a folder|not a regular file)/,
      );
    }
    const place = { ...context, relativeFolders: [join(context.workspace, "folder")] };
    await expect(call(readTool, { path: "in.txt/below" }, place)).rejects.toThrow("No file in.txt/below");
  });

  it("C8: a workspace that is named by a link works by both names", async () => {
    const { root, context } = createLinkedPlace();
    symlinkSync("app", join(root, "named"));
    for (const workspace of [context.workspace, join(root, "named")]) {
      const place = { ...context, workspace };
      for (const path of ["in.txt", join(root, "named", "in.txt"), join(root, "app", "in.txt")]) {
        expect(await call(readTool, { path }, place)).toBe("inside\n");
      }
      const shown = (await call(globTool, { pattern: "in.*" }, place)).split("\n")[0];
      expect(await call(readTool, { path: shown }, place)).toBe("inside\n");
      expect(() => resolvePath("../named-not/x", place, "read")).toThrow("outside");
    }
  });

  it("a name in quotes is read once: quotes within are part of it", () => {
    const { context } = createLinkedPlace();
    expect(resolvePath(JSON.stringify('"in.txt"'), context, "write")).toBe(
      join(context.workspace, '"in.txt"'),
    );
    expect(resolvePath('"in.txt"', context, "write")).toBe(join(context.workspace, "in.txt"));
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
