import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../src/tools/edit.ts";
import { globTool } from "../../src/tools/glob.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { readTool } from "../../src/tools/read.ts";
import { writeTool } from "../../src/tools/write.ts";
import { call, createPlace } from "./call.ts";
import { createTree } from "./tree.ts";

const ODD_NAMES = [
  "src/表/é.ts",
  "src/[1].ts",
  "src/a b.ts",
  "src/two\nlines.ts",
  'src/quo"te.ts',
  "src/back\\slash.ts",
  "src/bidi \u202etxt.exe",
  "src/zero\u200bwidth.ts",
  "src/escape\u001b[31m.ts",
  "src/delete\u007f.ts",
  "src/next\u0085line.ts",
  "src/separator\u2028.ts",
  "src/tag\u{e0041}.ts",
  "src/family 👨\u200d👩.ts",
  "src/*.ts",
  "src/{a,b}.ts",
  "src/ blank",
  "src/-rf",
  "src/~",
  "src/C:\\x",
];

async function glob(context: ReturnType<typeof createTree>["context"], input: Record<string, unknown>) {
  return (await call(globTool, input, context)).split("\n");
}

describe("Glob", () => {
  it("finds files by pattern, without what is ignored or hidden", async () => {
    const { context } = createTree();
    expect(await glob(context, { pattern: "**/*.{ts,log}" })).toEqual([
      "a.ts",
      "keep.log",
      "src/b.ts",
      "src/important.log",
    ]);
    expect(await glob(context, { pattern: "*.ts" })).toEqual(["a.ts"]);
    expect(await glob(context, { pattern: "./src/*.ts" })).toEqual(["src/b.ts"]);
    expect(await glob(context, { pattern: join(context.workspace, "src", "*.ts") })).toEqual(["src/b.ts"]);
  });

  it("finds hidden files when the pattern has the dot", async () => {
    const { context } = createTree();
    expect(await glob(context, { pattern: ".github/**/*.yml" })).toEqual([".github/workflows/ci.yml"]);
    expect(await glob(context, { pattern: "**/.gitignore" })).toEqual([".gitignore", "src/.gitignore"]);
  });

  it("searches an ignored folder when it is named", async () => {
    const { context } = createTree();
    expect(await glob(context, { pattern: "*.ts", path: "dist" })).toEqual(["dist/out.ts"]);
    expect(await glob(context, { pattern: "**/*.ts", path: "node_modules" })).toEqual([
      "node_modules/m/index.ts",
    ]);
    expect(await glob(context, { pattern: "*.ts", path: "src" })).toEqual(["src/b.ts"]);
  });

  it("shows a link to a file inside, and follows no circle", async () => {
    const { context } = createTree();
    symlinkSync("../a.ts", join(context.workspace, "src", "linked.ts"));
    symlinkSync("..", join(context.workspace, "src", "up"));
    expect(await glob(context, { pattern: "src/**/*.ts" })).toEqual(["src/b.ts", "src/linked.ts"]);
  });

  it("gives at most 1,000 paths and says so", async () => {
    const files = Array.from({ length: 1_005 }, (_, index) => [`many/${index}.txt`, ""]);
    const { context } = createPlace(Object.fromEntries(files));
    const lines = await glob(context, { pattern: "many/*.txt" });
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toContain("More than 1000 files match");
  });

  it("leaves out files that the rules do not open, and what links to them, and says how many", async () => {
    const { context } = createTree();
    symlinkSync("../a.ts", join(context.workspace, "src", "linked.ts"));
    const asked: string[] = [];
    const mayRead = (path: string) => {
      asked.push(path);
      return !path.endsWith("/a.ts");
    };
    expect(await glob({ ...context, mayRead }, { pattern: "**/*.ts" })).toEqual([
      "src/b.ts",
      "[Files left out: 2 that the rules do not open.]",
    ]);
    expect(asked).toContain(join(context.workspace, "src/b.ts"));
    expect(await glob({ ...context, mayRead: () => false }, { pattern: "*.ts" })).toEqual([
      expect.stringContaining("No file matches"),
      "[Files left out: 1 that the rules do not open.]",
    ]);
  });

  it("says when nothing matches, and refuses a missing folder", async () => {
    const { context } = createTree();
    expect((await glob(context, { pattern: "*.py" })).join()).toContain('use "**/*.py"');
    await expect(glob(context, { pattern: "*", path: "none" })).rejects.toThrow("No folder none");
  });

  it.runIf(process.platform === "linux")(
    "G8: counts names that are not UTF-8, which no path leads to",
    async () => {
      const { context } = createPlace({ "src/a.ts": "", "src/\ufffd.ts": "" });
      writeFileSync(Buffer.from(`${context.workspace}/src/caf\u00e9.ts`, "latin1"), "x");
      expect(await glob(context, { pattern: "**/*.ts" })).toEqual([
        "src/a.ts",
        "src/\ufffd.ts",
        "[Files left out: 1 whose names are not UTF-8.]",
      ]);
    },
  );

  it.each(ODD_NAMES)("G8: Read takes %j as Glob and Grep show it", async (name) => {
    const { context } = createPlace({ [name]: "needle in it\n", "src/other.ts": "nothing\n" });
    const shown = (await call(globTool, { pattern: "src/**" }, context))
      .split("\n")
      .find((line) => !line.includes("other"));
    expect(await call(readTool, { path: shown }, context)).toBe("needle in it\n");
    const [heading, match] = (await call(grepTool, { pattern: "needle" }, context)).split("\n");
    expect(match).toBe("  1: needle in it");
    expect(await call(readTool, { path: heading }, context)).toBe("needle in it\n");
    expect(heading).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    const change = { path: shown, old_string: "in it", new_string: "out" };
    await call(editTool, change, context);
    await call(writeTool, { path: heading, content: "new\n" }, context);
    expect(readFileSync(join(context.workspace, name), "utf8")).toBe("new\n");
    expect(readdirSync(join(context.workspace, "src"))).toHaveLength(2);
  });
});
