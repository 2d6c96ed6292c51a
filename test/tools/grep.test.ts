import { chmodSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { grepTool } from "../../src/tools/grep.ts";
import { call, createPlace } from "./call.ts";
import { createTree } from "./tree.ts";

describe("Grep", () => {
  it("gives paths and numbered lines", async () => {
    const { context } = createTree();
    expect(await call(grepTool, { pattern: "(?i)needle", glob: "*.ts" }, context)).toBe(
      "a.ts\n  1: const needle = 1;\nsrc/b.ts\n  1: // Needle",
    );
    expect(await call(grepTool, { pattern: "other", path: "a.ts" }, context)).toBe(
      "a.ts\n  2: const other = 2;",
    );
  });

  it("leaves out files that may hold secrets and says how many", async () => {
    const { context } = createTree();
    const text = await call(grepTool, { pattern: "needle" }, context);
    expect(text).toContain("[Files left out: 1 that may hold secrets or that the rules do not open.]");
    expect(text).not.toContain("pem");
    for (const input of [{ path: ".env" }, { glob: ".env*" }, { path: "keys" }]) {
      const found = await call(grepTool, { pattern: "needle", ...input }, context);
      expect(found).toContain("No line matches");
      expect(found).toContain("that may hold secrets");
    }
  });

  it("leaves out files that the rules do not open, also one that is named", async () => {
    const { context } = createTree();
    const mayRead = (path: string) => path !== join(context.workspace, "a.ts");
    const text = await call(grepTool, { pattern: "(?i)needle" }, { ...context, mayRead });
    expect(text).toContain("src/b.ts");
    expect(text).not.toContain("a.ts\n");
    expect(text).toContain("[Files left out: 2 that may hold secrets or that the rules do not open.]");
    const named = await call(grepTool, { pattern: "needle", path: "a.ts" }, { ...context, mayRead });
    expect(named).toContain("No line matches");
    expect(named).toContain("1 that may hold secrets or that the rules do not open");
    const open = await call(
      grepTool,
      { pattern: "needle", path: ".env" },
      { ...context, mayRead: () => true },
    );
    expect(open).toContain("No line matches");
  });

  it("G4: leaves out binary files and files of more than 5 MB", async () => {
    const { context } = createPlace({
      "big.txt": `needle\n${"x".repeat(6 * 1024 * 1024)}`,
      "program.bin": Buffer.concat([Buffer.from([0x7f, 0x45, 0, 0, 0xff, 0xfe]), Buffer.from("needle")]),
      "small.txt": "needle",
    });
    const text = await call(grepTool, { pattern: "needle" }, context);
    expect(text).toMatch(/^small\.txt\n {2}1: needle\n\[Files left out: /);
    expect(text).toContain("1 larger than 5,242,880 bytes");
    expect(text).toContain("1 binary");
  });

  it("G8: leaves out what is not UTF-8 and says so, a named file too", async () => {
    const bytes = Buffer.from("needle caf\u00e9\n", "latin1");
    const { context } = createPlace({ "latin.txt": bytes, "a.txt": "needle" });
    expect(await call(grepTool, { pattern: "needle" }, context)).toBe(
      "a.txt\n  1: needle\n[Files left out: 1 not UTF-8 text.]",
    );
    const named = await call(grepTool, { pattern: "needle", path: "latin.txt" }, context);
    expect(named).toContain("[Files left out: 1 not UTF-8 text.]");
  });

  it("G4: a file of 300 MB is left out without being loaded", async () => {
    const { context } = createPlace({ "big.log": "needle\n" });
    truncateSync(join(context.workspace, "big.log"), 300 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const text = await call(grepTool, { pattern: "needle", path: "big.log" }, context);
    expect(text).toContain("1 larger than 5,242,880 bytes");
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("G4: shortens a long line around the match", async () => {
    const { context } = createPlace({ "line.txt": `${"x".repeat(1_000_000)}needle${"y".repeat(1_000_000)}` });
    const text = await call(grepTool, { pattern: "needle" }, context);
    expect(text).toContain("xneedley");
    expect(text.length).toBeLessThan(600);
  });

  it("stops a pattern that would not end, and others go on meanwhile", async () => {
    const { context } = createPlace({ "a.txt": `${"a".repeat(60)}!\n` });
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 50);
    const text = await call(grepTool, { pattern: "(a+)+$" }, context);
    clearInterval(timer);
    expect(text).toContain("took too long in a.txt");
    expect(ticks).toBeGreaterThan(20);
  });

  it("gives at most 500 lines and says so", async () => {
    const { context } = createPlace({ "a.txt": "x\n".repeat(400), "b.txt": "x\n".repeat(400) });
    const text = await call(grepTool, { pattern: "x" }, context);
    expect(text.match(/: x/g)).toHaveLength(500);
    expect(text).toContain("500 lines match; narrow");
  });

  it("says what is wrong with a pattern, and takes needless backslashes", async () => {
    const { context } = createPlace({ "a.txt": 'say "needle"\n' });
    await expect(call(grepTool, { pattern: "(" }, context)).rejects.toThrow("Invalid regular expression");
    expect(await call(grepTool, { pattern: 'say \\"needle\\"' }, context)).toContain("1: say");
  });

  it("refuses a missing file and passes over one that is closed to it", async () => {
    const { context } = createPlace({ "a.txt": "needle", "closed.txt": "needle" });
    await expect(call(grepTool, { pattern: "x", path: "none.txt" }, context)).rejects.toThrow(
      "No file none.txt",
    );
    chmodSync(join(context.workspace, "closed.txt"), 0);
    expect(await call(grepTool, { pattern: "needle" }, context)).toContain("a.txt\n  1: needle");
  });

  it("stops when the run is cancelled", async () => {
    const { context } = createTree();
    const cancelled = { ...context, signal: AbortSignal.abort() };
    await expect(call(grepTool, { pattern: "x" }, cancelled)).rejects.toThrow("abort");
  });
});
