import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../src/tools/edit.ts";
import { call, createPlace } from "./call.ts";

const PATTERNS = "cost $$5 $& $1 $` $' $<name> \\1 \\n";

async function edit(before: string | Uint8Array, change: Record<string, unknown>) {
  const { context } = createPlace({ "f.txt": before });
  const text = await call(editTool, { path: "f.txt", ...change }, context);
  return { text, after: readFileSync(join(context.workspace, "f.txt"), "utf8") };
}

describe("Edit", () => {
  it("G6: puts the new text in literally, once and everywhere", async () => {
    const once = await edit("a TODO b\n", { old_string: "TODO", new_string: PATTERNS });
    expect(once.after).toBe(`a ${PATTERNS} b\n`);
    const all = await edit("TODO\nTODO TODO\n", {
      old_string: "TODO",
      new_string: PATTERNS,
      replace_all: "true",
    });
    expect(all.after).toBe(`${PATTERNS}\n${PATTERNS} ${PATTERNS}\n`);
  });

  it("G6: takes the old text literally", async () => {
    const { after } = await edit("a.c abc $x (1)\n", { old_string: "a.c", new_string: "x" });
    expect(after).toBe("x abc $x (1)\n");
    expect((await edit("f($x)*\n", { old_string: "f($x)*", new_string: "g" })).after).toBe("g\n");
  });

  it("G6: gives the change as a diff of what is on the disk", async () => {
    const { text } = await edit("one\ntwo\nthree\n", { old_string: "two", new_string: "$&" });
    expect(text).toBe("Edited f.txt.\n--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+$&\n three");
  });

  it("keeps line breaks of Windows and the mark at the beginning", async () => {
    const { after } = await edit("\ufeffone\r\ntwo\r\nthree\r\n", {
      old_string: "one\ntwo",
      new_string: "1\n2\n2b",
    });
    expect(after).toBe("\ufeff1\r\n2\r\n2b\r\nthree\r\n");
    expect((await edit("one\r\ntwo\r\n", { old_string: "two", new_string: "2\n3" })).after).toBe(
      "one\r\n2\r\n3\r\n",
    );
    const mixed = await edit("one\r\ntwo\nthree\n", { old_string: "two\nthree", new_string: "2\n3" });
    expect(mixed.after).toBe("one\r\n2\n3\n");
    expect((await edit("one\r\ntwo\nthree\n", { old_string: "one\ntwo", new_string: "1\n2" })).after).toBe(
      "1\r\n2\nthree\n",
    );
  });

  it("refuses a text that is there more than once, and names the lines", async () => {
    await expect(edit("x\ny\nx\n", { old_string: "x", new_string: "z" })).rejects.toThrow(
      "2 times (lines 1, 3)",
    );
    await expect(edit("aaa\n", { old_string: "aa", new_string: "b" })).rejects.toThrow("2 times");
  });

  it("refuses a text that is not there, and points at a line that is alike", async () => {
    await expect(edit("  one\n  two\n", { old_string: "one\ntwo", new_string: "x" })).rejects.toThrow(
      "Line 1 is alike",
    );
    await expect(edit("one\n", { old_string: "nine", new_string: "x" })).rejects.toThrow(
      "is not in f.txt. Read",
    );
  });

  it("refuses an empty old text and a change that changes nothing", async () => {
    await expect(edit("one\n", { old_string: "", new_string: "x" })).rejects.toThrow("old_string is empty");
    await expect(edit("one\n", { old_string: "one", new_string: "one" })).rejects.toThrow("are the same");
  });

  it("G8: refuses a file that is not UTF-8 and leaves it as it is", async () => {
    const bytes = Uint8Array.from([0xc4, 0xe3, 0xba, 0xc3, 10, 0x6f, 0x6b, 10]);
    const { context } = createPlace({ "gbk.txt": bytes });
    const change = { path: "gbk.txt", old_string: "ok", new_string: "no" };
    await expect(call(editTool, change, context)).rejects.toThrow("is not UTF-8 text");
    expect(Uint8Array.from(readFileSync(join(context.workspace, "gbk.txt")))).toEqual(bytes);
  });

  it.each(["one\0two\n", `${"text\n".repeat(5_000)}\0`, "\0"])(
    "refuses a file that holds NUL: %j",
    async (before) => {
      const { context } = createPlace({ "f.bin": before });
      const change = { path: "f.bin", old_string: "t", new_string: "no", replace_all: true };
      await expect(call(editTool, change, context)).rejects.toThrow("holds NUL characters");
      expect(readFileSync(join(context.workspace, "f.bin"), "utf8")).toBe(before);
    },
  );

  it("refuses a new text that holds NUL and leaves the file as it is", async () => {
    const { context } = createPlace({ "f.txt": "one\n" });
    const change = { path: "f.txt", old_string: "one", new_string: "a\0b" };
    await expect(call(editTool, change, context)).rejects.toThrow("new_string holds a NUL character");
    expect(readFileSync(join(context.workspace, "f.txt"), "utf8")).toBe("one\n");
  });

  it.each([
    ["Latin-1", Buffer.from("caf\u00e9 ok\n", "latin1"), "is not UTF-8 text"],
    ["Latin-1 at the end", Buffer.from("ok caf\u00e9", "latin1"), "is not UTF-8 text"],
    ["UTF-16", Buffer.from("ok", "utf16le"), "binary or UTF-16"],
    ["UTF-16 with its mark", Buffer.from("\ufeffok", "utf16le"), "is UTF-16 text"],
    ["UTF-16 of the other order", Buffer.from("\ufeffok", "utf16le").swap16(), "is UTF-16 text"],
  ])("G8: refuses a file of %s and leaves it as it is", async (_, bytes, message) => {
    const { context } = createPlace({ "f.txt": bytes });
    const change = { path: "f.txt", old_string: "ok", new_string: "no" };
    await expect(call(editTool, change, context)).rejects.toThrow(message);
    expect(readFileSync(join(context.workspace, "f.txt"))).toEqual(bytes);
  });

  it.each([
    ["old_string", "\ud83d", "x"],
    ["old_string", "\ude00", "x"],
    ["new_string", "a", "\ud83d"],
    ["new_string", "a", "x\ude00"],
  ])(
    "refuses half a surrogate pair in %s: it would cut a character of the file",
    async (name, old_string, new_string) => {
      const { context } = createPlace({ "f.txt": "a😀b\n" });
      const change = { path: "f.txt", old_string, new_string };
      await expect(call(editTool, change, context)).rejects.toThrow(`${name} holds half a surrogate pair`);
      expect(readFileSync(join(context.workspace, "f.txt"), "utf8")).toBe("a😀b\n");
    },
  );

  it("G6: replaces all places from the left, where they overlap too", async () => {
    const all = { replace_all: true };
    expect((await edit("aaa\n", { old_string: "aa", new_string: "b", ...all })).after).toBe("ba\n");
    expect((await edit("aaaa\n", { old_string: "aa", new_string: "a", ...all })).after).toBe("aa\n");
    expect((await edit("x\r\nx\r\n", { old_string: "x\n", new_string: "$&\n", ...all })).after).toBe(
      "$&\r\n$&\r\n",
    );
  });

  it("keeps the final line break as it is, and the mark where the text begins", async () => {
    expect((await edit("one\ntwo", { old_string: "two", new_string: "2" })).after).toBe("one\n2");
    expect((await edit("\ufeffone\n", { old_string: "one", new_string: "1" })).after).toBe("\ufeff1\n");
    expect((await edit("\ufeffone\n", { old_string: "one\n", new_string: "" })).after).toBe("\ufeff");
  });

  it("changes a file of 10 MB and a line of 5 MB in seconds, and gives a short diff", async () => {
    const many = `${"some line of the file\n".repeat(460_000)}needle\n`;
    const lines = await edit(many, { old_string: "needle", new_string: "$&" });
    expect(lines.after.endsWith("file\n$&\n")).toBe(true);
    expect(lines.text).toContain("+$&");
    const line = await edit(`${"x".repeat(5_000_000)}needle`, { old_string: "needle", new_string: "n" });
    expect(line.after).toHaveLength(5_000_001);
    expect(line.text.length).toBeLessThan(9_000);
    const { context } = createPlace({ "f.txt": "x".repeat(10 * 1024 * 1024 + 1) });
    const change = { path: "f.txt", old_string: "x", new_string: "y" };
    await expect(call(editTool, change, context)).rejects.toThrow("more than 10485760");
  });

  it("counts places of a long text that overlaps itself without comparing at each", async () => {
    const change = { old_string: "x".repeat(500_000), new_string: "y" };
    await expect(edit("x".repeat(5_000_000), change)).rejects.toThrow("more than 100 times");
  }, 5_000);

  it("removes text when the new one is empty", async () => {
    expect((await edit("one two\n", { old_string: " two", new_string: "" })).after).toBe("one\n");
  });
});
