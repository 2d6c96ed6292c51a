import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SkillgraphError, toMessage } from "../errors.ts";
import { loadCatalog } from "../skills/catalog.ts";
import { readName } from "../skills/header/read-fields.ts";
import { findPackage } from "./project.ts";
import { createSkeleton } from "./skeleton.ts";

/** A skill that was just written. */
export interface NewSkill {
  name: string;
  folder: string;
  /** Absolute paths, the SKILL.md first. */
  files: string[];
  /** What the person should know of it, in one line. */
  notice?: string;
}

/**
 * Writes a new skill below `skills` of a folder.
 *
 * @param cwd - The folder, as an absolute path.
 * @throws SkillgraphError `usage` for a name that the specification forbids, and when the skill's folder is there
 * already; `tool-failed` when the folder cannot be made. Nothing is written then
 */
export function createSkill(written: string, cwd: string, options: { wizard: boolean }): NewSkill {
  const name = checkName(written);
  const folder = join(cwd, "skills", name);
  makeSkillFolder(folder);
  const files = [...createSkeleton(name, options)].map(([path, text]) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return file;
  });
  return { name, folder, files, ...noticeBundled(name) };
}

/** A skill of the project comes before the bundled ones. */
function noticeBundled(name: string): Pick<NewSkill, "notice"> {
  const { folder } = findPackage();
  if (folder === undefined) return {};
  const { get } = loadCatalog([{ path: join(folder, "skills"), tier: "bundled", trusted: true }]);
  return get(name) ? { notice: `It takes the place of the bundled skill "${name}".` } : {};
}

function checkName(written: string): string {
  const faults: string[] = [];
  const name = readName(written, written, (_severity, _code, _key, message) => faults.push(message));
  if (name !== undefined && name === written.normalize("NFC") && faults.length === 0) return name;
  const rule = "A name is 1 to 64 lower-case letters, digits and single hyphens, such as sort-mail.";
  throw new SkillgraphError("usage", `No skill can be called "${written}". ${rule}`);
}

function makeSkillFolder(folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder);
  } catch (error) {
    if (existsSync(folder)) {
      const reason = "is there already; nothing was written.";
      throw new SkillgraphError("usage", `The folder ${folder} ${reason}`, { cause: error });
    }
    const reason = `cannot be made: ${toMessage(error)}`;
    throw new SkillgraphError("tool-failed", `The folder ${folder} ${reason}`, { cause: error });
  }
}
