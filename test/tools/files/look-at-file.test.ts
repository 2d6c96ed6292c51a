import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lookAtFile } from "../../../src/tools/files/look-at-file.ts";
import { createWorkspace } from "../../support/workspace.ts";

it("a text is had whole, with its mark and its line ends", () => {
  const { folder } = createWorkspace({ "a.md": "\ufeffone\r\ntwo" });
  expect(lookAtFile(join(folder, "a.md"), folder)).toEqual({ kind: "text", text: "\ufeffone\r\ntwo" });
});

it("what is missing, a folder, and what is outside of the workspace are told apart", () => {
  const { folder, home } = createWorkspace({ "sub/a.md": "a" });
  writeFileSync(join(home, "notes.md"), "mine");
  expect(lookAtFile(join(folder, "gone"), folder)).toEqual({ kind: "none" });
  expect(lookAtFile(join(folder, "sub"), folder)).toEqual({ kind: "folder" });
  expect(lookAtFile(join(home, "notes.md"), folder)).toEqual({ kind: "outside" });
});

it("a binary and a long file are known by what is in them, not by their time", () => {
  const { folder } = createWorkspace({ "long.txt": "x".repeat(256 * 1024 + 1) });
  writeFileSync(join(folder, "logo.png"), Buffer.from([1, 0, 2]));
  for (const name of ["long.txt", "logo.png"]) {
    const before = lookAtFile(join(folder, name), folder);
    expect(before).toMatchObject({ kind: "other", mark: expect.stringMatching(/^[0-9a-f]{64}$/) });
    utimesSync(join(folder, name), 1, 1);
    expect(lookAtFile(join(folder, name), folder)).toEqual(before);
  }
  const before = lookAtFile(join(folder, "logo.png"), folder);
  writeFileSync(join(folder, "logo.png"), Buffer.from([1, 0, 3]));
  utimesSync(join(folder, "logo.png"), 1, 1);
  expect(lookAtFile(join(folder, "logo.png"), folder)).not.toEqual(before);
});

it("a text of the limit is had, and one byte more is not", () => {
  const { folder } = createWorkspace({ "at.txt": "x".repeat(256 * 1024) });
  expect(lookAtFile(join(folder, "at.txt"), folder).kind).toBe("text");
});

it("what may hold secrets is not read, and neither is what a link leads to", () => {
  const { folder } = createWorkspace({ ".env": "KEY=hidden", "server.key": "hidden", "a.md": "hidden" });
  symlinkSync(join(folder, "a.md"), join(folder, "link"));
  mkdirSync(join(folder, ".ssh"));
  writeFileSync(join(folder, ".ssh/config"), "hidden");
  for (const name of [".env", "server.key", "link", ".ssh/config"]) {
    expect(JSON.stringify(lookAtFile(join(folder, name), folder)), name).not.toContain("hidden");
  }
  expect(lookAtFile(join(folder, ".env"), folder).kind).toBe("masked");
});
