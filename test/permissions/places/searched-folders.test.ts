import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { proposeRules } from "../../../src/permissions/ask/propose-rules.ts";
import { createFolder } from "../read-only/scratch.ts";
import { createPolicy, decideBash, grant, rules } from "../support.ts";

const DEEP = "a/b/c/d/e/f";
const granted = [grant("Bash(grep:*)", "Bash(rg:*)", "Bash(tar:*)", "Bash(git grep:*)")];
const decide = (workspace: string, command: string, changes = {}) =>
  decideBash(command, granted, { workspace, ...changes }, workspace);
const proposed = (workspace: string, command: string) =>
  proposeRules(createPolicy({ workspace }), [], {
    tool: "Bash",
    target: { kind: "command", command, cwd: workspace },
  });

describe("a command that reads a whole folder under a rule", () => {
  it.each(["grep -r K .", "grep -rn K a", "rg --hidden K", "tar cf x.tar a", "git grep --no-index K"])(
    "C3: asks with a secret below it, however deep: %s",
    (command) => {
      const workspace = createFolder({ [`${DEEP}/.env`]: "K=1", "other/x": "1" });
      const decision = decide(workspace, command);
      expect(decision).toMatchObject({ verdict: "ask", reason: expect.stringContaining(`${DEEP}/.env`) });
      expect(decide(workspace, command, { mode: "allow" }).verdict).toBe("allow");
    },
  );

  it("asks where a deny rule is for a file far below, whatever the mode", () => {
    const workspace = createFolder({ [`${DEEP}/x`]: "K=1" });
    const deny = rules(`Read(${DEEP}/x)`);
    const decision = decide(workspace, "grep -r K .", { deny, mode: "allow" });
    expect(decision).toMatchObject({ verdict: "ask", reason: expect.stringContaining("which a rule names") });
  });

  it("asks when there are more names than are looked at", () => {
    const names = Array.from({ length: 20_001 }, (_, index) => [`many/f${index}`, ""]);
    const workspace = createFolder({ ...Object.fromEntries(names), "few/x": "1" });
    expect(decide(workspace, "grep -r K .")).toMatchObject({
      verdict: "ask",
      reason: expect.stringContaining('".", which holds too much'),
    });
    expect(decide(workspace, "grep -r K few").verdict).toBe("allow");
  });

  it.skipIf(process.getuid?.() === 0)("asks when a folder cannot be looked through", () => {
    const workspace = createFolder({ "shut/x": "1" });
    chmodSync(`${workspace}/shut`, 0);
    const decision = decide(workspace, "grep -r K .");
    chmodSync(`${workspace}/shut`, 0o700);
    expect(decision).toMatchObject({ verdict: "ask", reason: expect.stringContaining("shut") });
  });

  it("is allowed without a secret below it, and passes by what packages bring", () => {
    const workspace = createFolder({ [`${DEEP}/x`]: "1", "node_modules/p/.env": "K=1" });
    expect(decide(workspace, "grep -r K .").verdict).toBe("allow");
  });

  it("is offered no rule where a secret is below it", () => {
    const workspace = createFolder({ [`${DEEP}/.env`]: "K=1", "other/x": "1" });
    expect(proposed(workspace, "grep -r K .")).toEqual([]);
    expect(proposed(workspace, "grep -R K other")).toEqual(["Bash(grep -R K other)"]);
  });
});

describe("a command that follows the links in a folder", () => {
  const create = (target: string): string => {
    const workspace = createFolder({ "sub/a.txt": "a" });
    symlinkSync(target, join(workspace, "sub/plain.txt"));
    return workspace;
  };
  const granted = [grant("Bash(grep:*)", "Bash(rg:*)", "Bash(tar:*)", "Bash(diff:*)", "Bash(zip:*)")];
  const follows = ["grep -R K .", "rg -L K", "tar -chf x.tar sub", "diff -r sub other", "zip -r x.zip sub"];

  it.each(follows)("asks when one leads to a secret elsewhere: %s", (command) => {
    const secret = join(createFolder({ ".aws/config": "K" }), ".aws/config");
    const workspace = create(secret);
    expect(decideBash(command, granted, { workspace }, workspace)).toMatchObject({
      verdict: "ask",
      reason: expect.stringContaining("plain.txt"),
    });
  });

  it.each(follows)("asks when one leads to a folder with a secret in it: %s", (command) => {
    const workspace = create(createFolder({ "x/id_rsa": "K" }));
    expect(decideBash(command, granted, { workspace }, workspace).verdict).toBe("ask");
  });

  it.each(["grep -r K .", "rg K", "tar -cf x.tar sub"])("need not when it does not follow: %s", (command) => {
    const workspace = create(createFolder({ "x/id_rsa": "K" }));
    expect(decideBash(command, granted, { workspace }, workspace).verdict).toBe("allow");
  });

  it("asks about a link that leads to itself, which nobody can look at", () => {
    const workspace = createFolder({ "sub/a.txt": "a" });
    symlinkSync("self", join(workspace, "sub/self"));
    const decision = decideBash("grep -R K sub", granted, { workspace }, workspace);
    expect(decision).toMatchObject({
      verdict: "ask",
      reason: expect.stringContaining('"sub/self", which cannot be looked through'),
    });
    expect(decideBash("grep -r K sub", granted, { workspace }, workspace).verdict).toBe("allow");
  });

  it("ends where links lead in a circle", () => {
    const workspace = createFolder({ "sub/a.txt": "a" });
    symlinkSync("..", join(workspace, "sub/up"));
    expect(decideBash("grep -R K .", granted, { workspace }, workspace).verdict).toBe("allow");
  });
});

it("a rule for git diff does not compare folders with a secret in them", () => {
  const workspace = createFolder({ "sub/.env": "K=1", "other/a": "a" });
  const granted = [grant("Bash(git diff:*)")];
  for (const command of ["git diff --no-index sub other", "git diff sub /tmp"])
    expect(decideBash(command, granted, { workspace }, workspace).verdict, command).toBe("ask");
});
