import { describe, expect, it } from "vitest";
import type { Policy } from "../../../src/permissions/decide.ts";
import { findProtection } from "../../../src/permissions/places/protected.ts";
import { createPolicy, decideBash, decidePath, grant, rules } from "../support.ts";

const policy = createPolicy();

describe("findProtection", () => {
  it.each([
    [
      "/ws/.git/config",
      "/ws/sub/.git",
      "/ws/.GIT/hooks/x",
      "/ws/.g\u200cit/config",
      "/ws/.skillgraph/threads.db",
    ],
    ["/ws/skillgraph.json", "/ws/.mcp.json", "/ws/.env", "/ws/.env.local", "/ws/.envrc", "/ws/.env1"],
    [
      "/ws/.claude/settings.json",
      "/ws/.agents/skills/x",
      "/ws/skills/pdf/SKILL.md",
      "/ws/skills/PDF/x",
      "/opt/skills/tar",
    ],
    ["/home/u/.bashrc", "/home/u/.profile", "/home/u/.zshrc", "/home/u/.zshenv", "/home/u/.inputrc"],
    ["/home/u/.config/fish/config.fish", "/home/u/.config/skillgraph/settings.json", "/home/u/.gitconfig"],
    ["/home/u/.config/skillgraph/trust.json", "/home/u/.cache/skillgraph/catalog.jsonl"],
    ["/home/u/.ssh/authorized_keys", "/ws/server.pem", "/ws/a/id_rsa", "/ws/.npmrc"],
  ])("protects %s, … from writing", (...paths) => {
    for (const path of paths) expect(findProtection(path, policy), path).toBe("protected");
  });

  it.each([
    [
      "/ws/.env",
      "/ws/.ENV",
      "/ws/a/.env.production",
      "/ws/x.pem",
      "/ws/x.KEY",
      "/ws/id_ed25519",
      "/ws/id_rsa.bak",
    ],
    [
      "/home/u/.npmrc",
      "/home/u/.netrc",
      "/home/u/.pypirc",
      "/home/u/.aws/credentials",
      "/home/u/.ssh/config",
    ],
    ["/home/u/.gnupg/x", "/ws/a.p12", "/ws/a.pfx", "/home/u/.git-credentials", "/home/u/.docker/config.json"],
    ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/sudoers"],
    ["/ws/credentials", "/proc/1/environ", "/home/u/.kube/config"],
    ["/ws/.env1", "/ws/.envlocal", "/ws/.env_old", "/ws/.env.example.local", "/ws/.env~"],
    [
      "/ws/credentials.json",
      "/home/u/x/.credentials.json",
      "/ws/google-credentials.json",
      "/ws/credentials.yml",
      "/ws/CREDENTIALS.toml",
    ],
    [
      "/ws/server.key.bak",
      "/ws/a.pem.old",
      "/ws/a.pem~",
      "/ws/.netrc.orig",
      "/ws/.server.key.swp",
      "/ws/x.p12.1",
    ],
  ])("holds %s, … for secrets", (...paths) => {
    for (const path of paths) expect(findProtection(path, policy, "read"), path).toBe("secret");
  });

  it.each([
    [
      "/ws/.env.example",
      "/ws/.env.sample",
      "/ws/.env.template",
      "/ws/id_rsa.pub",
      "/ws/.git/config",
      "/ws/key",
    ],
    [
      "/ws/environment.ts",
      "/ws/.key",
      "/ws/monkey.ts",
      "/ws/skills/pdf/SKILL.md",
      "/ws/.envoy.yaml",
      "/ws/docker/config.json",
    ],
    [
      "/ws/.env.dist",
      "/ws/.env.local.example",
      "/ws/credentials.ts",
      "/ws/src/credentials/index.ts",
      "/ws/keys.bak",
    ],
  ])("lets %s, … be read", (...paths) => {
    for (const path of paths) expect(findProtection(path, policy, "read"), path).toBeUndefined();
  });

  it.each([
    "/ws/src/git.ts",
    "/ws/.github/x.yml",
    "/ws/.gitignore",
    "/ws/skills/pdf-other/x",
    "/ws/.envoy.yaml",
    "/ws/.env.example",
    "/ws/.env.sample",
  ])("lets %s be written", (path) => {
    expect(findProtection(path, policy)).toBeUndefined();
  });

  it.each([
    "/proc/1",
    "/proc/77/environ",
    "/proc/77/task/78/environ",
    "/proc/77/task",
    "/proc/77/mem",
    "/proc/77/fd/3",
    "/proc/self/environ",
    "/proc/thread-self/cmdline",
  ])("holds a process's folder for secret: %s", (path) => {
    expect(findProtection(path, policy, "read")).toBe("secret");
    expect(findProtection("/proc/cpuinfo", policy, "read")).toBeUndefined();
  });

  it("protects the folders of trust, settings and cache wherever they lie, and what holds them", () => {
    const moved = createPolicy({ ownFolders: ["/srv/conf/skillgraph", "/ws/skillgraph"] });
    for (const path of ["/srv/conf/skillgraph/trust.json", "/ws/skillgraph/trust.json"]) {
      expect(findProtection(path, moved), path).toBe("protected");
      expect(findProtection(path, policy), path).toBeUndefined();
      expect(findProtection(path, moved, "read"), path).toBeUndefined();
    }
    const changes: Partial<Policy> = { ownFolders: ["/srv/conf/skillgraph"], mode: "allow" };
    for (const command of ["cp t /srv/conf/skillgraph/trust.json", "rm -rf /srv/conf", "cp -r x/. /srv/conf"])
      expect(decideBash(command, [], changes).verdict, command).toBe("ask");
  });

  it("counts names below the workspace, not on the way to it", () => {
    const nested = createPolicy({ workspace: "/home/u/.claude/worktrees/a" });
    expect(findProtection("/home/u/.claude/worktrees/a/src/x", nested)).toBeUndefined();
    expect(findProtection("/home/u/.claude/settings.json", nested)).toBe("protected");
  });
});

describe("protected places and secrets in the three modes", () => {
  const everything = [grant("Read", "Write", "Edit", "Bash")];

  it.each([
    ["ask", "ask"],
    ["allow", "ask"],
    ["deny", "deny"],
  ] as const)("mode %j makes them %j whatever the rules allow", (mode, verdict) => {
    expect(decidePath("Write", "write", "/ws/.git/config", everything, { mode }).verdict).toBe(verdict);
    expect(decidePath("Edit", "write", "/ws/skills/pdf/SKILL.md", everything, { mode }).verdict).toBe(
      verdict,
    );
    expect(decidePath("Read", "read", "/ws/.env", everything, { mode }).verdict).toBe(verdict);
    expect(decideBash("rm -rf .git", everything, { mode }).verdict).toBe(verdict);
    expect(decideBash("cat .env", everything, { mode }).verdict).toBe(verdict);
    expect(decideBash("LD_PRELOAD=./p.so ls", everything, { mode }).verdict).toBe(verdict);
  });

  it("lets a rule that names a secret exactly allow reading it, and nothing allow a protected write", () => {
    expect(decidePath("Read", "read", "/ws/.env", [grant("Read(.env)")]).verdict).toBe("allow");
    expect(decidePath("Read", "read", "/ws/a/.env", [grant("Read(.env)")]).verdict).toBe("ask");
    expect(decidePath("Read", "read", "/ws/.env", [grant("Read(**)", "Read(.env*)")]).verdict).toBe("ask");
    expect(decidePath("Read", "read", "/ws/.env", [grant("Write(.env)")]).verdict).toBe("ask");
    expect(decidePath("Write", "write", "/ws/.env", [grant("Write(.env)")]).verdict).toBe("ask");
    expect(decideBash("cat .env", [grant("Bash(cat .env)")]).verdict).toBe("allow");
    expect(decideBash("cat .env", [grant("Bash(cat:*)", "Bash(cat *)")]).verdict).toBe("ask");
    expect(decideBash("rm .env", [grant("Bash(rm .env)")]).verdict).toBe("ask");
  });

  it("still denies a secret that a rule denies", () => {
    const deny = rules("Read(.env)");
    expect(decidePath("Read", "read", "/ws/.env", [grant("Read(.env)")], { deny }).verdict).toBe("deny");
    expect(decideBash("cat ./.env", [grant("Bash")], { deny }).verdict).toBe("deny");
  });
});
