import { basename, dirname, join } from "node:path";
import { lintSkill } from "../../../src/skills/lint/lint-skill.ts";
import type { Diagnostic } from "../../../src/skills/schema.ts";
import { createFolder, toRoot, writeFile } from "../temp-folder.ts";

export const HEADER = "name: tidy\ndescription: Tidies a folder. Use when files lie around.";

/** A SKILL.md with the header and a body. */
export function skillFile(header = HEADER, body = "Do it."): string {
  return `---\n${header}\n---\n${body}\n`;
}

/** Writes a skill and gives the path of its SKILL.md. */
export function writeSkillFolder(
  content: string | Uint8Array,
  options: { folder?: string; files?: Record<string, string> } = {},
): string {
  const directory = join(createFolder(), options.folder ?? "tidy");
  for (const [path, text] of Object.entries(options.files ?? {})) writeFile(join(directory, path), text);
  return writeFile(join(directory, "SKILL.md"), content);
}

/** Lints a skill that is there. */
export async function lintFile(path: string): Promise<Diagnostic[]> {
  const directory = dirname(path);
  const root = toRoot(dirname(directory));
  return (await lintSkill({ path, directory, folderName: basename(directory), root })).diagnostics;
}

/** Writes a skill and gives what is wrong with it, as `severity code line`. */
export async function lint(...skill: Parameters<typeof writeSkillFolder>): Promise<string[]> {
  const diagnostics = await lintFile(writeSkillFolder(...skill));
  return diagnostics.map(({ severity, code, line }) => `${severity} ${code} ${line}`);
}

/** Writes a skill and gives what is said of it, each with its file and line. */
export async function readFaults(...skill: Parameters<typeof writeSkillFolder>): Promise<string[]> {
  const path = writeSkillFolder(...skill);
  const diagnostics = await lintFile(path);
  return diagnostics.map(
    (each) => `${each.path.slice(dirname(path).length + 1)}:${each.line} ${each.message}`,
  );
}
