import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findHomeFolder } from "../../src/tools/home.ts";
import { resolvePath } from "../../src/tools/workspace.ts";

describe("the home folder", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(["", ".", "work"])("HOME=%j is no place of its own: that of the account counts", (named) => {
    expect(findHomeFolder(named)).toBe(userInfo().homedir);
    vi.stubEnv("HOME", named);
    expect(findHomeFolder()).toBe(userInfo().homedir);
    const place = { workspace: "/work", readableFolders: [] };
    expect(() => resolvePath("~/secret", place, "read")).toThrow(
      `It leads to ${join(userInfo().homedir, "secret")}`,
    );
  });

  it("an absolute one is taken as it is", () => {
    expect(findHomeFolder("/somewhere")).toBe("/somewhere");
    expect(findHomeFolder()).toBe(homedir());
  });
});
