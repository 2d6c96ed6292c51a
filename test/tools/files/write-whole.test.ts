import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { writeWhole } from "../../../src/tools/files/write-whole.ts";
import { createPlace } from "../call.ts";
import { bundle } from "./bundle.ts";

const isRoot = process.getuid?.() === 0;
/** Runs a shell that may mount what nobody else sees. */
const runApart = (script: string, ...rest: string[]) =>
  spawnSync("unshare", [isRoot ? "-m" : "-rm", "sh", "-c", script, "sh", ...rest], { encoding: "utf8" });
const canMount = runApart("mount -t tmpfs none /mnt").status === 0;

/** Writes the file named in its arguments once, in a process that may be held to less than this one. */
const WRITE_ONCE = `
import { writeWhole } from "./tools/files/write-whole.ts";
const [workspace, path, size] = process.argv.slice(2);
try {
  await writeWhole(path, "n".repeat(Number(size)), { workspace, confirm: () => path });
  console.log("written");
} catch (error) {
  console.log(error.message);
}
`;

function createWriter(files: Record<string, string>) {
  const { root, context } = createPlace(files);
  const { workspace } = context;
  chmodSync(root, 0o755);
  const script = bundle(root, "write-once", WRITE_ONCE);
  const write = (name: string, size: number, options: { shell?: string; uid?: number } = {}) => {
    const node = [process.execPath, script, workspace, join(workspace, name), String(size)];
    const command = [...(options.shell ? ["sh", "-c", options.shell, "sh"] : []), ...node];
    const [program = "", ...rest] = command;
    const asOther = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
    return spawnSync(program, rest, { encoding: "utf8", ...asOther }).stdout.trim();
  };
  return { workspace, write };
}

describe("writeWhole", () => {
  it("C8: writes nothing when the path leads elsewhere after its folders are made", async () => {
    const { context } = createPlace({ "f.txt": "old" });
    const { workspace } = context;
    const path = join(workspace, "f.txt");
    const writing = writeWhole(path, "new", { workspace, confirm: () => "/elsewhere" });
    await expect(writing).rejects.toMatchObject({ code: "path-outside" });
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it.runIf(process.platform === "linux")(
    "C8: writes nothing and makes no folder behind one that became a link",
    async () => {
      const { root, context } = createPlace();
      const { workspace } = context;
      mkdirSync(join(root, "out"));
      symlinkSync(join(root, "out"), join(workspace, "folder"));
      for (const name of ["folder/f.txt", "folder/new/deep/f.txt"]) {
        const path = join(workspace, name);
        const writing = writeWhole(path, "new", { workspace, confirm: () => path });
        await expect(writing).rejects.toMatchObject({ code: "path-outside" });
      }
      expect(readdirSync(join(root, "out"))).toEqual([]);
    },
  );

  it("leaves a file alone that changed since it was read", async () => {
    const { context } = createPlace({ "f.txt": "old" });
    const { workspace } = context;
    const path = join(workspace, "f.txt");
    const writing = writeWhole(path, "new", { workspace, confirm: () => path, version: "another" });
    await expect(writing).rejects.toThrow("f.txt was changed by someone else meanwhile; nothing was done");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(workspace)).toEqual(["f.txt"]);
  });

  it.skipIf(!canMount)(
    "a full disk leaves the old file whole, nothing beside it, and names the file (skipped where nothing can be mounted)",
    () => {
      const { root, context } = createPlace();
      const script = bundle(root, "write-once", WRITE_ONCE);
      const { stdout } = runApart(
        `mount -t tmpfs -o size=64k none "$1" && printf 'old\\n' > "$1/f.txt" || exit 1
        "$2" "$3" "$1" "$1/f.txt" 1000000; cat "$1/f.txt"; ls -A "$1"`,
        ...[context.workspace, process.execPath, script],
      );
      expect(stdout).toBe("f.txt cannot be written: no space left on device.\nold\nf.txt\n");
    },
  );

  it("a file larger than a process may write leaves the old one whole, and nothing beside it", () => {
    const { workspace, write } = createWriter({ "f.txt": "old" });
    const limit = 'ulimit -f 4; exec "$@"';
    expect(write("f.txt", 1_000_000, { shell: limit })).toBe("f.txt cannot be written: file too large.");
    expect(readFileSync(join(workspace, "f.txt"), "utf8")).toBe("old");
    expect(readdirSync(workspace)).toEqual(["f.txt"]);
    expect(write("f.txt", 10, { shell: limit })).toBe("written");
  });

  it("a read-only file and a file in a read-only folder stay as they are", () => {
    const { workspace, write } = createWriter({ "f.txt": "old", "open/f.txt": "old" });
    chmodSync(join(workspace, "open"), 0o777);
    chmodSync(join(workspace, "open", "f.txt"), 0o444);
    chmodSync(join(workspace, "f.txt"), 0o666);
    chmodSync(workspace, 0o555);
    const other = isRoot ? { uid: 65_534 } : {};
    expect(write("f.txt", 5, other)).toBe("f.txt cannot be written: permission denied.");
    expect(write("new/f.txt", 5, other)).toBe("new/f.txt cannot be written: permission denied.");
    expect(write("open/f.txt", 5, other)).toBe("open/f.txt cannot be written: permission denied.");
    expect(write("open/new/f.txt", 5, other)).toBe("written");
    chmodSync(workspace, 0o755);
    expect(readdirSync(workspace).sort()).toEqual(["f.txt", "open"]);
    expect(readdirSync(join(workspace, "open")).sort()).toEqual(["f.txt", "new"]);
    expect(readFileSync(join(workspace, "f.txt"), "utf8")).toBe("old");
    expect(readFileSync(join(workspace, "open", "f.txt"), "utf8")).toBe("old");
  });

  it("a process that is killed in the middle leaves the old or the new text, and what it left is removed", async () => {
    const { root, context } = createPlace({ "f.txt": "a".repeat(3_000_000) });
    const { workspace } = context;
    const path = join(workspace, "f.txt");
    const script = bundle(
      root,
      "write-on",
      `
      import { writeWhole } from "./tools/files/write-whole.ts";
      const [workspace, path] = process.argv.slice(2);
      console.log("ready");
      for (let round = 0; ; round += 1) {
        const text = (round % 2 === 0 ? "b" : "a").repeat(3_000_000);
        await writeWhole(path, text, { workspace, confirm: () => path });
      }
      `,
    );
    for (let round = 0; round < 8; round += 1) {
      const child = spawn(process.execPath, [script, workspace, path], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      await sleep(7 * round);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      expect(readFileSync(path, "utf8")).toMatch(/^(a{3000000}|b{3000000})$/);
    }
    const stale = join(workspace, `.skillgraph-${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}.tmp`);
    writeFileSync(stale, "half");
    writeFileSync(join(workspace, ".skillgraph-notes.tmp"), "a person's");
    for (const name of readdirSync(workspace)) utimesSync(join(workspace, name), 1_000, 1_000);
    await writeWhole(path, "c", { workspace, confirm: () => path });
    expect(readdirSync(workspace).sort()).toEqual([".skillgraph-notes.tmp", "f.txt"]);
  });

  it("two writers of one file leave the text of one of them, and nothing beside it", async () => {
    const { context } = createPlace();
    const { workspace } = context;
    const path = join(workspace, "new", "f.txt");
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(100_000));
    await Promise.all(texts.map((text) => writeWhole(path, text, { workspace, confirm: () => path })));
    expect(texts).toContain(readFileSync(path, "utf8"));
    expect(readdirSync(join(workspace, "new"))).toEqual(["f.txt"]);
    expect(statSync(path).isFile()).toBe(true);
  });
});
