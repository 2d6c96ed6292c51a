import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
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

  it("keeps the byte-order mark and CRLF line ends of what it replaces, and says so", async () => {
    const { context } = createPlace({
      "both.txt": "\ufeffone\r\ntwo\r\n",
      "mark.txt": "\ufeffone",
      "crlf.txt": "a\r\n",
    });
    const read = (name: string) => readFileSync(join(context.workspace, name), "utf8");
    const write = (path: string, content: string) => call(writeTool, { path, content }, context);
    expect(await write("both.txt", "1\n2\r\n3")).toBe(
      "Replaced both.txt (10 bytes). Kept its byte-order mark and CRLF line ends.",
    );
    expect(read("both.txt")).toBe("\ufeff1\r\n2\r\n3");
    expect(await write("both.txt", "\ufeff1\r\n")).toBe("Replaced both.txt (6 bytes).");
    expect(await write("mark.txt", "two\n")).toBe("Replaced mark.txt (7 bytes). Kept its byte-order mark.");
    expect(read("mark.txt")).toBe("\ufefftwo\n");
    expect(await write("crlf.txt", "b\n\nc\n")).toContain("Kept its CRLF line ends.");
    expect(read("crlf.txt")).toBe("b\r\n\r\nc\r\n");
  });

  it.each(["one\ntwo\r\n", "one\n", "one", "", "one\rtwo\r"])(
    "writes the text as given where lines end otherwise: %j",
    async (before) => {
      const { context } = createPlace({ "f.txt": before });
      for (const content of ["a\nb", "a\r\nb\n", "no end", ""]) {
        const bytes = Buffer.byteLength(content);
        expect(await call(writeTool, { path: "f.txt", content }, context)).toBe(
          `Replaced f.txt (${bytes} bytes).`,
        );
        expect(readFileSync(join(context.workspace, "f.txt"), "utf8")).toBe(content);
        await call(writeTool, { path: "f.txt", content: before }, context);
      }
    },
  );

  it.each([
    ["GBK", Uint8Array.from([0xc4, 0xe3, 13, 10])],
    ["UTF-16", Buffer.from("\ufeffone\r\n", "utf16le")],
    ["binary", Uint8Array.from([0, 13, 10, 255])],
  ])("G8: says that a %s file became UTF-8", async (_, before) => {
    const { context } = createPlace({ "f.txt": before });
    expect(await call(writeTool, { path: "f.txt", content: "é\n" }, context)).toBe(
      "Replaced f.txt (3 bytes). It was not UTF-8 text before; now it is.",
    );
    expect(readFileSync(join(context.workspace, "f.txt"), "utf8")).toBe("é\n");
  });

  it("C8: writes over no pipe, socket or device, through a dangling link inside, and in a workspace named by a link", async () => {
    const { root, context } = createPlace();
    const { workspace } = context;
    spawnSync("mkfifo", [join(workspace, "pipe")]);
    const server = createServer().listen(join(workspace, "socket"));
    await once(server, "listening");
    for (const path of ["pipe", "socket"]) {
      await expect(call(writeTool, { path, content: "x" }, context)).rejects.toThrow(
        `${path} is not a regular file`,
      );
    }
    server.close();
    symlinkSync("new/there.txt", join(workspace, "dangling"));
    await call(writeTool, { path: "dangling", content: "through" }, context);
    expect(readFileSync(join(workspace, "new/there.txt"), "utf8")).toBe("through");
    symlinkSync("app", join(root, "named"));
    const linked = { ...context, workspace: join(root, "named") };
    expect(await call(writeTool, { path: "x/y.txt", content: "z" }, linked)).toContain("(1 bytes)");
    expect(readFileSync(join(workspace, "x/y.txt"), "utf8")).toBe("z");
    const beside = { path: join(root, "named", "..", "beside.txt"), content: "z" };
    await expect(call(writeTool, beside, linked)).rejects.toMatchObject({ code: "path-outside" });
  });

  it("refuses a folder, a file in the place of a folder, and half a surrogate pair", async () => {
    const { context } = createPlace({ "folder/a.txt": "x" });
    await expect(call(writeTool, { path: "folder", content: "x" }, context)).rejects.toThrow(
      "not a regular file",
    );
    await expect(call(writeTool, { path: "folder/a.txt/b", content: "x" }, context)).rejects.toThrow(
      "folder/a.txt/b cannot be written: not a directory",
    );
    await expect(call(writeTool, { path: "b.txt", content: "a\ud83d" }, context)).rejects.toThrow(
      "surrogate",
    );
    expect(readdirSync(context.workspace)).toEqual(["folder"]);
  });
});
