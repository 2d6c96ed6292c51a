import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Decision, Policy } from "../../../src/permissions/decide.ts";
import { reduceEnvironment } from "../../../src/tools/process/environment.ts";
import { decideBash } from "../support.ts";

/** An empty folder of its own. */
export function createFolder(files: Record<string, string> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "reading-")));
  for (const [name, text] of Object.entries(files)) writeIn(folder, name, text);
  return folder;
}

export function writeIn(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** The verdict on a command that no rule is for, in a workspace. */
export function decideIn(
  workspace: string,
  command: string,
  changes: Partial<Policy> = {},
  cwd = workspace,
): Decision {
  return decideBash(command, [], { workspace, ...changes }, cwd);
}

/** Runs a command as the shell tool does: its environment, and no rule of anybody's home. */
export function run(folder: string, command: string, home = folder): string {
  const env = reduceEnvironment({ ...process.env, HOME: home }, folder);
  try {
    return execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", command], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
    });
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? "");
  }
}

/** A repository with one commit of `a.txt`, and settings of its own. */
export function createRepository(folder: string, settings: Record<string, string> = {}): string {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
      cwd: folder,
      stdio: "ignore",
    });
  };
  git("init", "-q");
  writeIn(folder, "a.txt", "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  for (const [key, value] of Object.entries(settings)) git("config", key, value);
  return folder;
}

/** Makes git look at a file again. */
export function touchLater(path: string): void {
  utimesSync(path, new Date(2001, 1, 1), new Date(2001, 1, 1));
}

/** One line for all that is in a folder: names, modes and contents. */
export function toDigest(folder: string): string {
  const hash = createHash("sha256");
  const visit = (path: string): void => {
    const found = lstatSync(path);
    hash.update(`${path}\0${found.mode}\0`);
    if (found.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
    else hash.update(found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
  };
  visit(folder);
  return hash.digest("hex");
}
