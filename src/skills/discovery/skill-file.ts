import { realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { toMessage } from "../../errors.ts";
import type { Diagnostic } from "../schema.ts";
import { isWithin } from "../within.ts";
import type { FolderListing } from "./folder-listing.ts";

type ListedFile = FolderListing["files"][number];

/**
 * The one file of a folder that is its SKILL.md. On a disk that ignores case all spellings are one file, so the
 * listed name decides, not the opened one.
 */
export function chooseSkillFile({ files }: FolderListing): ListedFile | undefined {
  return files.find((file) => file.name === "SKILL.md") ?? files[0];
}

/** What is wrong with how the file is called, if anything. */
export function judgeFileName(
  folder: string,
  { files }: FolderListing,
  chosen: ListedFile,
): Diagnostic | undefined {
  if (files.length === 1 && chosen.name === "SKILL.md") return undefined;
  const path = join(folder, chosen.name);
  const others = files.filter((file) => file !== chosen).map((file) => `"${file.name}"`);
  if (others.length > 0) {
    return toWarning("file-name-twice", path, `It is read, ${others.join(", ")} is not.`);
  }
  return toWarning("file-name-case", path, `The file should be called SKILL.md, not ${chosen.name}.`);
}

/**
 * Why a file must not be read, if it must not.
 *
 * @param allowed Real paths of the folders under which the file of a link may lie.
 */
export function findFileFault(path: string, file: ListedFile, allowed: () => string[]): string | undefined {
  if (file.kind === "file") return undefined;
  if (file.kind === "other") return "It is not a regular file.";
  try {
    const real = realpathSync.native(path);
    if (!statSync(real).isFile()) return `The link leads to ${real}, which is not a regular file.`;
    if (allowed().some((folder) => isWithin(folder, real))) return undefined;
    return `The link leads to ${real}, outside of the folders that are searched for skills.`;
  } catch (error) {
    return `The file cannot be read: ${toMessage(error)}`;
  }
}

export function toWarning(code: string, path: string, message: string): Diagnostic {
  return { code, severity: "warning", path, line: 1, message };
}
