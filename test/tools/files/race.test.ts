import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { editTool } from "../../../src/tools/edit.ts";
import { globTool } from "../../../src/tools/glob.ts";
import { grepTool } from "../../../src/tools/grep.ts";
import { readTool } from "../../../src/tools/read.ts";
import { writeTool } from "../../../src/tools/write.ts";
import { call, createPlace } from "../call.ts";

/** Puts a link in the place of a folder, and of a file, and takes it away again, as fast as it goes. */
const SWAP = `
const { renameSync, rmSync, symlinkSync } = require("node:fs");
const [workspace, out] = process.argv.slice(1);
process.chdir(workspace);
// A writer may have put something in the place meanwhile.
const insist = (step, place) => {
  for (;;) {
    try { return step(); } catch (error) {
      if (!["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTDIR"].includes(error.code)) throw error;
      try { rmSync(place, { recursive: true, force: true }); } catch (busy) { if (busy.code !== "ENOTEMPTY") throw busy; }
    }
  }
};
const swap = (name, target) => {
  renameSync(name, "kept");
  insist(() => symlinkSync(target, name), name);
  insist(() => rmSync(name, { recursive: true, force: true }), name);
  insist(() => renameSync("kept", name), name);
};
process.stdout.write("ready");
for (;;) { swap("a", out); swap("leaf.txt", out + "/b/f.txt"); }
`;

it.runIf(process.platform === "linux")(
  "C8: nothing outside is made, changed or read while folders and files become links between check and use",
  async () => {
    const { root, context } = createPlace({ "a/b/f.txt": "mine\n", "leaf.txt": "mine\n" });
    const { workspace } = context;
    const out = join(root, "out");
    mkdirSync(join(out, "b"), { recursive: true });
    writeFileSync(join(out, "b", "f.txt"), "victim\n");
    writeFileSync(join(out, "b", "only-there.txt"), "victim\n");
    const look = () => [
      readdirSync(root),
      readdirSync(out, { recursive: true }).map((name) => [name, statSync(join(out, String(name))).ctimeMs]),
      readFileSync(join(out, "b", "f.txt"), "utf8"),
    ];
    const before = look();
    const swapper = spawn(process.execPath, ["-e", SWAP, workspace, out], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(swapper.stdout, "data");
    const results: string[] = [];
    const attempt = (tool: typeof readTool, input: Record<string, unknown>) =>
      call(tool, input, context).then(
        (text) => results.push(`done: ${text}`),
        (error: Error) => results.push(`failed: ${error.message}`),
      );
    const until = Date.now() + 2_500;
    for (let round = 0; Date.now() < until; round += 1) {
      for (const path of ["a/b/f.txt", "leaf.txt"]) {
        await attempt(readTool, { path });
        await attempt(writeTool, { path, content: round % 2 === 0 ? "mine\n" : "mine too\n" });
        await attempt(editTool, { path, old_string: "mine", new_string: `mine${round}` });
        await attempt(editTool, { path, old_string: "victim", new_string: "taken" });
      }
      await attempt(writeTool, { path: `a/new/deep-${round}/f.txt`, content: "mine\n" });
      if (round % 10 !== 0) continue;
      await attempt(globTool, { pattern: "**" });
      await attempt(globTool, { pattern: "**", path: "a" });
      await attempt(grepTool, { pattern: "victim", path: "a" });
    }
    const ended = once(swapper, "exit");
    swapper.kill("SIGKILL");
    await ended;
    expect(look()).toEqual(before);
    const text = results.join("\n");
    expect(text).not.toMatch(/only-there|\d: victim|^done: victim/m);
    // Both happened, or the race was none.
    expect(results.filter((result) => result.startsWith("done")).length).toBeGreaterThan(20);
    expect(
      results.filter((result) => /changed while|became a link|It leads to/.test(result)).length,
    ).toBeGreaterThan(20);
  },
);
