import { describe, expect, it } from "vitest";
import { matchesPath, namesExactly } from "../../../src/permissions/places/path-pattern.ts";

const base = { workspace: "/ws", home: "/home/u" };

describe("matchesPath", () => {
  it.each([
    ["docs/**", "/ws/docs/a/b.md", true],
    ["docs/*.md", "/ws/docs/a.md", true],
    ["docs/*.md", "/ws/docs/a/b.md", false],
    ["docs", "/ws/docs/a.md", true],
    ["docs/", "/ws/docs/a.md", true],
    ["*.md", "/ws/a/b.md", true],
    ["notes.md", "/ws/a/notes.md", true],
    ["./notes.md", "/ws/a/notes.md", false],
    ["./notes.md", "/ws/notes.md", true],
    ["**", "/ws/.hidden/x", true],
    ["**", "/other/x", false],
    ["*", "/ws-secret/x", false],
    ["../lib/**", "/lib/x", true],
    ["/etc/hosts", "/etc/hosts", true],
    ["/etc/*", "/etc/hosts", true],
    ["/etc/*", "/ws/etc/hosts", false],
    ["~/notes/*", "/home/u/notes/a", true],
    ["~/notes/*", "/home/other/notes/a", false],
    ["app/[id]/page.tsx", "/ws/app/[id]/page.tsx", true],
    ["!docs/**", "/ws/src/a", false],
    ["src/{a,b}.ts", "/ws/src/b.ts", true],
    ["domain:a.org", "/ws/a", false],
    ["secrets/**", "/ws/secrets/a\nb/c.txt", true],
    ["secrets/*", "/ws/secrets/a\nb", true],
  ])("%j against %j is %j", (pattern, path, expected) => {
    expect(matchesPath(pattern, path, base)).toBe(expected);
  });
});

describe("namesExactly", () => {
  it.each([
    [".env", "/ws/.env", true],
    ["./.env", "/ws/.env", true],
    ["/ws/.env", "/ws/.env", true],
    ["~/.netrc", "/home/u/.netrc", true],
    [".env", "/ws/sub/.env", false],
    [".env*", "/ws/.env", false],
    ["**", "/ws/.env", false],
    ["", "/ws/.env", false],
  ])("%j names %j: %j", (pattern, path, expected) => {
    expect(namesExactly(pattern, path, base)).toBe(expected);
  });
});
