import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTool } from "../../src/tools/read.ts";
import { call, createPlace } from "./call.ts";

const TEN_LINES = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

describe("Read", () => {
  it("gives the text as it is", async () => {
    const { context } = createPlace({ "a.txt": "one\r\n  two\n\nthree" });
    expect(await call(readTool, { file_path: "a.txt" }, context)).toBe("one\r\n  two\n\nthree");
  });

  it("gives some lines and says where to go on", async () => {
    const { context } = createPlace({ "a.txt": TEN_LINES });
    expect(await call(readTool, { path: "a.txt", offset: "3", limit: 2 }, context)).toBe(
      "line 3\nline 4\n[Lines 3 to 4 of a.txt, 71 bytes. Go on with offset 5.]",
    );
    expect(await call(readTool, { path: "a.txt", offset: 9 }, context)).toBe(
      "line 9\nline 10\n[Lines 9 to 10 of a.txt, 71 bytes. This is the end.]",
    );
    expect(await call(readTool, { path: "a.txt", limit: 10 }, context)).toBe(TEN_LINES);
  });

  it("says how many lines there are when the offset is behind them", async () => {
    const { context } = createPlace({ "a.txt": TEN_LINES, "b.txt": "one\ntwo" });
    await expect(call(readTool, { path: "a.txt", offset: 11 }, context)).rejects.toThrow("has 10 lines");
    await expect(call(readTool, { path: "b.txt", offset: 3 }, context)).rejects.toThrow("has 2 lines");
  });

  it("following the offsets gives a long file whole", async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${"é".repeat(index % 40)}\n`);
    const { context } = createPlace({ "long.txt": lines.join("") });
    let text = "";
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const part = await call(readTool, { path: "long.txt", offset }, context);
      const notice = part.slice(part.lastIndexOf("["));
      text += part.slice(0, part.lastIndexOf("["));
      const next = /offset (\d+)/.exec(notice)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(text).toBe(lines.join(""));
  });

  it("G4: gives the beginning of a file of 300 MB without loading it", async () => {
    const { context } = createPlace({ "big.log": "" });
    const descriptor = openSync(join(context.workspace, "big.log"), "w");
    writeSync(descriptor, "head of the log\n".repeat(10_000));
    ftruncateSync(descriptor, 300 * 1024 * 1024);
    closeSync(descriptor);
    const before = process.memoryUsage().rss;
    const text = await call(readTool, { path: "big.log" }, context);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toContain("314,572,800 bytes. Go on with offset");
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("G4: cuts a line of 5 MB and says so", async () => {
    const { context } = createPlace({ "line.txt": "x".repeat(5_000_000) });
    const text = await call(readTool, { path: "line.txt" }, context);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toContain("Line 1 is longer than what is shown");
  });

  it("G8: reports what is not UTF-8 text", async () => {
    const { context } = createPlace({
      "gbk.txt": Uint8Array.from([0xc4, 0xe3, 0xba, 0xc3, 10, 0x6f, 0x6b, 10]),
      "image.png": Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xd8]),
      "utf16.txt": Buffer.from("\ufeffhello", "utf16le"),
      "zeros.bin": new Uint8Array(100),
      "nul.txt": "one\0two and more\n",
    });
    expect(await call(readTool, { path: "gbk.txt" }, context)).toBe(
      "[gbk.txt (8 bytes) is not UTF-8 text, as line 1 shows; not shown. Read other lines, or convert it with iconv.]",
    );
    expect(await call(readTool, { path: "gbk.txt", offset: 2 }, context)).toMatch(/^ok\n/);
    expect(await call(readTool, { path: "image.png" }, context)).toBe(
      "[image.png is a binary file of 10 bytes, not shown.]",
    );
    expect(await call(readTool, { path: "utf16.txt" }, context)).toContain("is a UTF-16 text");
    expect(await call(readTool, { path: "zeros.bin" }, context)).toContain("is a binary file");
    expect(await call(readTool, { path: "nul.txt" }, context)).toContain("one␀two");
  });

  it("G8: says that lines are not UTF-8, wherever their bytes stand, and shows the others", async () => {
    const { context } = createPlace({
      "end.txt": Buffer.from("one\ncaf\u00e9", "latin1"),
      "log.txt": Buffer.from("one\ntwo\nth\u00e9\nfour\n", "latin1"),
      "good.txt": "one\ncafé",
    });
    const read = (path: string, range = {}) => call(readTool, { path, ...range }, context);
    expect(await read("end.txt")).toContain("is not UTF-8 text, as line 2 shows");
    expect(await read("log.txt")).toContain("as line 3 shows");
    expect(await read("log.txt", { offset: 2, limit: 2 })).toContain("as line 3 shows");
    expect(await read("log.txt", { limit: 2 })).toMatch(/^one\ntwo\n\[/);
    expect(await read("log.txt", { offset: 4 })).toMatch(/^four\n\[/);
    expect(await read("good.txt")).toBe("one\ncafé");
  });

  it("C8: opens no socket, device or file of a process", async () => {
    const { context } = createPlace({ "a.txt": "x" });
    const server = createServer().listen(join(context.workspace, "socket"));
    await once(server, "listening");
    await expect(call(readTool, { path: "socket" }, context)).rejects.toThrow("not a regular file");
    server.close();
    const outside = [
      "/dev/zero",
      "/dev/stdin",
      "/dev/fd/0",
      "/proc/self/environ",
      "/proc/self/root/etc/passwd",
    ];
    for (const path of [
      ...outside,
      "/proc/self/fd/0",
      "/proc/self/cwd/../../../../etc/passwd",
      "/proc/1/root/etc/passwd",
    ]) {
      await expect(call(readTool, { path }, context), path).rejects.toMatchObject({ code: "path-outside" });
    }
  });

  it("names near files when there is none of that name", async () => {
    const { context } = createPlace({ "src/readme.md": "x", "src/other.ts": "x" });
    await expect(call(readTool, { path: "src/READM.md" }, context)).rejects.toThrow(
      "No file src/READM.md. Near: src/readme.md.",
    );
    await expect(call(readTool, { path: "none/at/all.md" }, context)).rejects.toThrow("Use Glob");
  });

  it("says that a file is empty, or a folder", async () => {
    const { context } = createPlace({ "empty.txt": "", "folder/a.txt": "x" });
    expect(await call(readTool, { path: "empty.txt" }, context)).toBe("[empty.txt is empty.]");
    await expect(call(readTool, { path: "folder" }, context)).rejects.toThrow("folder is a folder; use Glob");
  });

  it("does not wait at a named pipe", async () => {
    const { context } = createPlace();
    spawnSync("mkfifo", [join(context.workspace, "pipe")]);
    await expect(call(readTool, { path: "pipe" }, context)).rejects.toThrow("not a regular file");
  });
});
