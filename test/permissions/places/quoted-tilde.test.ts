import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { decideBash, grant, rules } from "../support.ts";

let workspace: string;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "tilde-")));
  for (const folder of ["~/x", "skills/one", "private", "guarded"])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, "guarded/.env"), "K=1");
  writeFileSync(join(workspace, "private/p"), "p");
  writeFileSync(join(workspace, "skills/one/SKILL.md"), "s");
  writeFileSync(join(workspace, "a.txt"), "a");
  symlinkSync("../guarded/.env", join(workspace, "~/link"));
  symlinkSync("../../guarded/.env", join(workspace, "~/x/link"));
});

function decide(command: string, ...allowed: string[]): string {
  const skillFolders = [join(workspace, "skills/one")];
  const changes = { workspace, skillFolders, deny: rules("Read(private/**)") };
  return decideBash(command, [grant(...allowed)], changes, workspace).verdict;
}

describe("a tilde behind a quote is a folder of that name, not the home", () => {
  it("so a shell writes to it", () => {
    execFileSync("bash", ["-c", "cp a.txt '~/link'"], { cwd: workspace });
    expect(readFileSync(join(workspace, "guarded/.env"), "utf8")).toBe("a");
  });

  it.each([
    "cp a.txt '~/link'",
    "cp a.txt \\~/link",
    'cp a.txt "~"/link',
    "cp a.txt --target-directory='~/link'",
    "cp a.txt '~/../skills/one/SKILL.md'",
    "cd '~/x' && cp ../../a.txt link",
    "rm -r '~/../skills'",
  ])("and a protected place in it asks: %s", (command) => {
    expect(decide(command, "Bash(cp:*)", "Bash(cd:*)", "Bash(rm:*)")).toBe("ask");
  });

  it.each(["cat '~/link'", "cat < '~/link'", "cat '~/x/../link'"])("and a secret asks: %s", (command) => {
    expect(decide(command, "Bash(cat:*)", "Read(~/**)")).toBe("ask");
  });

  it("and a deny rule for what it leads to holds", () => {
    expect(decide("cat '~/../private/p'", "Bash(cat:*)")).toBe("deny");
  });

  it("and a redirection needs a rule for it", () => {
    expect(decide("echo x > '~/y'", "Bash(echo:*)", "Write(~/**)")).toBe("ask");
    expect(decide("echo x > '~/y'", "Bash(echo:*)", "Write(~/**)", "Write")).toBe("allow");
  });
});
