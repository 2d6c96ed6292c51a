import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInside, toRealPath, walkPath } from "../../../src/permissions/places/real-path.ts";
import { decideBash, grant } from "../support.ts";

describe("real paths", () => {
  let root: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "permissions-")));
    mkdirSync(join(root, "ws", ".git", "hooks"), { recursive: true });
    mkdirSync(join(root, "out"));
    symlinkSync(join(root, "out"), join(root, "ws", "link"));
    symlinkSync(".git", join(root, "ws", "plain"));
    symlinkSync("../out/later", join(root, "ws", "dangling"));
    symlinkSync("loop", join(root, "ws", "loop"));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("resolves links before parts that do not exist yet", () => {
    expect(toRealPath(join(root, "ws", "link", "new", "file"))).toBe(join(root, "out", "new", "file"));
    expect(toRealPath(join(root, "ws", "new", "file"))).toBe(join(root, "ws", "new", "file"));
    expect(toRealPath("/no/such/place")).toBe("/no/such/place");
    expect(toRealPath(join(root, "ws", "dangling"))).toBe(join(root, "out", "later"));
    expect(toRealPath(join(root, "ws", "loop", "x"))).toContain("loop");
  });

  it("tells a folder from one whose name only begins alike", () => {
    expect(isInside("/w/app", "/w/app/x")).toBe(true);
    expect(isInside("/w/app", "/w/app")).toBe(true);
    expect(isInside("/w/app", "/w/app-secret/x")).toBe(false);
    expect(isInside("/", "/x")).toBe(true);
  });

  it("walks `..` behind a link from the target of the link", () => {
    symlinkSync(join(root, "out", "dir"), join(root, "ws", "far"));
    mkdirSync(join(root, "out", "dir"));
    expect(walkPath(join(root, "ws", "far", "x"))).toBe(join(root, "out", "dir", "x"));
    expect(walkPath(`${root}/ws/far/../x`)).toBe(join(root, "out", "x"));
    expect(walkPath(`${root}/ws/none/../far/..`)).toBe(join(root, "out"));
    expect(walkPath(join(root, "ws", "loop", "x"))).toContain("loop");
    expect(walkPath(`${root}/ws/./link//y/`)).toBe(join(root, "out", "y"));
  });

  it("H6a: judges `..` behind a link as the kernel does", () => {
    const workspace = join(root, "ws");
    mkdirSync(join(workspace, "notes"));
    mkdirSync(join(root, "out", "dir"));
    symlinkSync(join(root, "out", "dir"), join(workspace, "notes", "far"));
    symlinkSync(".git/hooks", join(workspace, "hk"));
    const grants = [grant("Bash(echo:*)", "Write(notes/**)")];
    expect(decideBash("echo x > notes/a", grants, { workspace }, workspace).verdict).toBe("allow");
    expect(decideBash("echo x > notes/far/../P", grants, { workspace }, workspace).verdict).toBe("ask");
    for (const command of [
      "echo x > hk/../config",
      "tee hk/../x",
      "cp x hk/../x",
      "cd -P hk/.. && cp x config",
    ]) {
      const decision = decideBash(command, [grant("Bash", "Write")], { workspace, mode: "allow" }, workspace);
      expect(decision.verdict, command).toBe("ask");
    }
  });

  it("C5: judges a redirection by where a link leads", () => {
    const workspace = join(root, "ws");
    const grants = [grant("Bash(echo:*)", "Write")];
    expect(decideBash("echo x > new.txt", grants, { workspace }, workspace).verdict).toBe("allow");
    expect(decideBash("echo x > link/new.txt", grants, { workspace }, workspace).verdict).toBe("ask");
    expect(decideBash("echo x > dangling", grants, { workspace }, workspace).verdict).toBe("ask");
    expect(
      decideBash("rm -r plain/hooks", [grant("Bash")], { workspace, mode: "allow" }, workspace).verdict,
    ).toBe("ask");
  });
});
