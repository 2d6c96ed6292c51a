import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import type { SkillRoot } from "../../src/skills/schema.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, by its real path, that is removed after the test. */
export function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "skillgraph-skills-")));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Writes a file with its folders and returns its path. */
export function writeFile(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Writes `<folder>/SKILL.md` with a name, a description and further lines of the header. */
export function writeSkill(
  folder: string,
  name: string,
  options: { header?: string; body?: string } = {},
): string {
  const { header = "", body = `Do ${name}.\n` } = options;
  const lines = [`name: ${name}`, `description: Does ${name}.`, header].filter((line) => line !== "");
  return writeFile(join(folder, "SKILL.md"), `---\n${lines.join("\n")}\n---\n${body}`);
}

/** A trusted root. */
export function toRoot(path: string, overrides: Partial<SkillRoot> = {}): SkillRoot {
  return { path, tier: "project", trusted: true, ...overrides };
}

/** File modes mean nothing to root, so a test that runs as root gives its rights up for a moment. */
export function withoutPrivileges<Result>(action: () => Result): Result {
  if (process.geteuid?.() !== 0) return action();
  process.seteuid?.(65534);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
  }
}
