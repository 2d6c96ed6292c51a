import { statSync } from "node:fs";
import { toMessage } from "../../errors.ts";
import { parseFrontmatter } from "../frontmatter.ts";
import { type FileStamp, type ReadChunk, readHead } from "../header/read-head.ts";
import { type Diagnostic, parseHeader, type Skill } from "../schema.ts";
import { hasRested } from "./folder-listing.ts";
import type { SkillFile } from "./search-folder.ts";

/** What a file gave when it was last read. */
export interface CatalogFile {
  file: SkillFile;
  /** Absent when the file could not be opened; it is tried again then. */
  stamp?: FileStamp;
  /** False when the file changed so shortly before that a later change might leave the same stamp. */
  settled: boolean;
  skill?: Skill;
  diagnostics: Diagnostic[];
}

/** Reads the header of a SKILL.md. What cannot be read is a diagnostic. */
export function readCatalogFile(file: SkillFile, readChunk?: ReadChunk): CatalogFile {
  const { path, directory, folderName, root } = file;
  const now = Date.now();
  try {
    const { text, stamp } = readHead(path, readChunk);
    const place = { path, directory, folderName, source: root.path, tier: root.tier, trusted: root.trusted };
    return { file, stamp, settled: hasRested(stamp, now), ...parseHeader(parseFrontmatter(text), place) };
  } catch (error) {
    const message = `The file cannot be read: ${toMessage(error)}`;
    const fault: Diagnostic = { code: "file-unreadable", severity: "error", path, line: 1, message };
    return { file, settled: false, diagnostics: [fault] };
  }
}

/** Whether what was read before still holds for a file at the place where it is found now. */
export function isUnchanged(known: CatalogFile, file: SkillFile): boolean {
  const { root } = known.file;
  const { path, tier, trusted } = file.root;
  if (root.path !== path || root.tier !== tier || root.trusted !== trusted) return false;
  return known.file.directory === file.directory && hasStamp(file.path, known.stamp);
}

/** Whether a file still bears a stamp. */
export function hasStamp(path: string, stamp: FileStamp | undefined): boolean {
  if (stamp === undefined) return false;
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    return mtimeMs === stamp.mtimeMs && ctimeMs === stamp.ctimeMs && size === stamp.size && ino === stamp.ino;
  } catch {
    return false; // Gone or closed to us: reading it will tell.
  }
}
