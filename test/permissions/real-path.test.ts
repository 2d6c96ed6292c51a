import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isInside, toRealPath } from "../../src/permissions/real-path.ts";
import { decideBash, grant } from "./support.ts";

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
