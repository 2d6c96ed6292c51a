import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect } from "vitest";

/** The skill's folder. */
export const skill = fileURLToPath(new URL("../../skills/release", import.meta.url));

/** A folder of the test's own, which is the home folder too. */
export let work: string;
/** The repository in it. */
export let repository: string;
/** What programs see: no settings of the person who runs the tests, but a name and an address. */
export let environment: NodeJS.ProcessEnv;

beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "release-")));
  repository = join(work, "a repository");
  mkdirSync(repository);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  const identity = ["AUTHOR", "COMMITTER"].flatMap((role) => [
    [`GIT_${role}_NAME`, "Ada"],
    [`GIT_${role}_EMAIL`, "ada@example.org"],
  ]);
  environment = {
    ...Object.fromEntries(own),
    ...Object.fromEntries(identity),
    GIT_CONFIG_NOSYSTEM: "1",
    HOME: work,
  };
  git("init", "-q", "-b", "main", "--template=");
});

afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Runs git in the repository. */
export function git(...words: string[]): string {
  return execFileSync("git", words, {
    cwd: repository,
    env: environment,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

/** Writes files of the repository. */
export function put(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), content);
  }
}

/** Reads a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** Commits whatever changed. */
export function commit(message: string, files?: Record<string, string>): void {
  put(files ?? {});
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", message);
}

/** The last commit of the branch main. */
export function readHead(): string {
  return read(".git/refs/heads/main").trim();
}

/** A repository with the tag v1.2.0 and one commit after it. */
export function commitAfterTag(message: string, files?: Record<string, string>): string {
  commit("feat: first", files);
  git("tag", "v1.2.0");
  commit(message);
  return readHead();
}

/** Runs one of the skill's scripts. */
export function run(script: string, ...words: string[]) {
  const options = { cwd: repository, env: environment, encoding: "utf8" as const };
  const path = join(skill, "scripts", `${script}.mjs`);
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [path, ...words], options);
  return { status, stdout, stderr, signal };
}

/** What a script prints when it succeeds. */
export function runJson(script: string, ...words: string[]) {
  const { status, stdout, stderr } = run(script, ...words);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Applies a plan. */
export function apply(version: string, options: { changelog?: string; head?: string } = {}) {
  const { changelog = "- something", head = readHead() } = options;
  return run("apply", "--version", version, "--changelog", changelog, "--head", head);
}

/** A hook of the person's own, as lines of a shell. */
export function addHook(name: string, text: string): void {
  put({ [`.git/hooks/${name}`]: `#!/bin/sh\n${text}\n` });
  chmodSync(join(repository, ".git/hooks", name), 0o755);
}

/** Goes on in another repository. */
export function moveTo(path: string): void {
  repository = path;
}

/** Goes on as somebody whom git does not know. */
export function forgetIdentity(): void {
  for (const name of Object.keys(environment))
    if (/^(GIT_(AUTHOR|COMMITTER)_|EMAIL$)/.test(name)) delete environment[name];
}

/** Runs a command as the Bash tool would. */
export function runBash(command: string) {
  const options = { cwd: repository, env: environment, encoding: "utf8" as const };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], options);
  return { status, stdout, stderr };
}
