import { describe, expect, it } from "vitest";
import { listAbove, type Mount, toProfile } from "../../../src/tools/sandbox/profile.ts";

const options = { network: false, closesNamespaces: true, cwd: "/w" };
const profile = (mounts: Mount[], change: Partial<Parameters<typeof toProfile>[1]> = {}) =>
  toProfile(mounts, { ...options, ...change }).join(" ");

describe("toProfile", () => {
  it("drops every power, leaves the terminal and ends with its parent", () => {
    const words = profile([]);
    for (const each of ["--cap-drop ALL", "--new-session", "--die-with-parent", "--unshare-pid"]) {
      expect(words).toContain(each);
    }
  });

  it("has a network only when it is told so", () => {
    expect(profile([])).toContain("--unshare-net");
    expect(profile([], { network: true })).not.toContain("--unshare-net");
  });

  it("lets package managers give up at once where there is no network", () => {
    expect(profile([])).toContain("--setenv npm_config_fetch_retries 0");
    expect(profile([], { network: true })).not.toContain("--setenv");
  });

  it("has another user only when it is told so", () => {
    expect(profile([])).not.toContain("--uid");
    expect(profile([], { user: 65534 })).toContain("--uid 65534 --gid 65534");
  });

  it("leaves out what an old bubblewrap does not know", () => {
    expect(profile([])).toContain("--disable-userns");
    expect(profile([], { closesNamespaces: false })).not.toContain("--disable-userns");
  });

  it("mounts outer folders before what is in them, whatever their order", () => {
    const words = profile([
      { kind: "read", path: "/w/a/b" },
      { kind: "masked-file", path: "/w/a/b/.env" },
      { kind: "write", path: "/w" },
    ]);
    expect(words).toMatch(
      /--bind \/w \/w --ro-bind \/w\/a\/b \/w\/a\/b --ro-bind \/dev\/null \/w\/a\/b\/\.env /,
    );
  });

  it("takes the later of two mounts at one path", () => {
    const words = profile([
      { kind: "read", path: "/w", from: "/x" },
      { kind: "write", path: "/w" },
    ]);
    expect(words).toContain("--bind /w /w");
    expect(words).not.toContain("--ro-bind");
  });

  it("closes what is empty or masked, the devices and the root after everything is mounted", () => {
    const words = profile([
      { kind: "empty", path: "/home/a" },
      { kind: "masked-folder", path: "/w/.ssh" },
      { kind: "link", path: "/bin", target: "usr/bin" },
    ]);
    expect(words).toMatch(
      /--symlink usr\/bin \/bin .*--remount-ro \/home\/a --remount-ro \/w\/\.ssh --remount-ro \/dev --remount-ro \/ --chdir \/w$/,
    );
  });
});

describe("listAbove", () => {
  it("gives the folders above a path, the outermost first, without the root", () => {
    expect(listAbove("/a/b/c")).toEqual(["/a", "/a/b"]);
    expect(listAbove("/a")).toEqual([]);
    expect(listAbove("/")).toEqual([]);
  });
});
