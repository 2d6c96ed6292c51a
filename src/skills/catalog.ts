import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { toMessage } from "../errors.ts";
import { findSkillFiles, type SkillFile } from "./discover.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { type FileStamp, type ReadChunk, readHead } from "./header/read-head.ts";
import { findNearest } from "./nearest.ts";
import { type Diagnostic, parseHeader, type Skill, type SkillRoot } from "./schema.ts";

/** All skills that are offered, and what is wrong with the others. */
export interface Catalog {
  /** One for each name: by root, strongest first, then by name. */
  skills: Skill[];
  /** Skills that are not offered because a stronger one has their name. */
  shadowed: { skill: Skill; by: Skill }[];
  diagnostics: Diagnostic[];
  /** Changes when and only when what is offered changes; 16 hexadecimal digits. */
  digest: string;
  /** The skill of exactly this name, in any Unicode form. */
  get(name: string): Skill | undefined;
  /** The names nearest to one that is not known; three unless told otherwise. */
  nearest(name: string, limit?: number): string[];
  /** What was read, by path, so that a refresh reads only files that changed. */
  files: ReadonlyMap<string, CatalogFile>;
}

/** What a file gave when it was last read. */
export interface CatalogFile {
  file: SkillFile;
  /** Absent when the file could not be opened; it is tried again then. */
  stamp?: FileStamp;
  skill?: Skill;
  diagnostics: Diagnostic[];
}

/**
 * Reads the headers of all skills under the roots. Bodies stay on disk until a skill is chosen. One bad file
 * never hides the others: it is a diagnostic.
 *
 * @param roots Strongest first; of two skills with one name the first wins.
 * @param previous The catalog of last time; files unchanged since are not read again. When nothing at all has
 * changed it is returned itself, so that what was made of it can be kept.
 * @param options.readChunk Replaces the reading of bytes, so that it can be counted.
 */
export function loadCatalog(
  roots: SkillRoot[],
  previous?: Catalog,
  options: { readChunk?: ReadChunk } = {},
): Catalog {
  const found = findSkillFiles(roots);
  const diagnostics = [...found.diagnostics];
  const files = new Map<string, CatalogFile>();
  const order = new Map(roots.map((root, index) => [root, index]));
  const candidates: { skill: Skill; rank: number }[] = [];
  for (const file of found.files) {
    const known = previous?.files.get(file.path);
    const entry =
      known !== undefined && isUnchanged(known, file) ? known : readSkillFile(file, options.readChunk);
    files.set(file.path, entry);
    diagnostics.push(...entry.diagnostics);
    if (entry.skill !== undefined) candidates.push({ skill: entry.skill, rank: order.get(file.root) ?? 0 });
  }
  if (previous !== undefined && isSame(previous, files, diagnostics)) return previous;
  candidates.sort((left, right) => left.rank - right.rank || compareSkills(left.skill, right.skill));

  const winners = new Map<string, Skill>();
  const shadowed: Catalog["shadowed"] = [];
  for (const { skill } of candidates) {
    const by = winners.get(skill.name);
    if (by === undefined) winners.set(skill.name, skill);
    else shadowed.push({ skill, by });
  }
  diagnostics.push(...shadowed.map(toShadowDiagnostic));
  const skills = [...winners.values()];
  return {
    skills,
    shadowed,
    diagnostics,
    digest: createHash("sha256").update(JSON.stringify(skills)).digest("hex").slice(0, 16),
    get: (name) => winners.get(name.normalize("NFC")),
    nearest: (name, limit = 3) => findNearest(name, winners.keys(), limit),
    files,
  };
}

function readSkillFile(file: SkillFile, readChunk?: ReadChunk): CatalogFile {
  try {
    const { text, stamp } = readHead(file.path, readChunk);
    const { path, directory, folderName, root } = file;
    const place = { path, directory, folderName, source: root.path, tier: root.tier, trusted: root.trusted };
    return { file, stamp, ...parseHeader(parseFrontmatter(text), place) };
  } catch (error) {
    const message = `The file cannot be read: ${toMessage(error)}`;
    const { path } = file;
    return { file, diagnostics: [{ code: "file-unreadable", severity: "error", path, line: 1, message }] };
  }
}

function isUnchanged(known: CatalogFile, file: SkillFile): boolean {
  const { root } = known.file;
  const { path, tier, trusted } = file.root;
  if (root.path !== path || root.tier !== tier || root.trusted !== trusted) return false;
  if (known.file.directory !== file.directory) return false;
  const status = statSync(file.path, { bigint: true, throwIfNoEntry: false });
  if (status === undefined || known.stamp === undefined) return false;
  const { mtimeNs, size, ino } = known.stamp;
  return status.mtimeNs === mtimeNs && status.size === size && status.ino === ino;
}

/** Whether the same was found as last time: each file unchanged, in the same order, and the same faults. */
function isSame(
  { files: before, diagnostics: known, shadowed }: Catalog,
  files: ReadonlyMap<string, CatalogFile>,
  diagnostics: Diagnostic[],
): boolean {
  const entries = [...files.values()];
  if (
    entries.length !== before.size ||
    ![...before.values()].every((entry, index) => entry === entries[index])
  )
    return false;
  // The shadowed skills follow from the files, so their diagnostics are the same ones.
  return (
    known.length === diagnostics.length + shadowed.length &&
    diagnostics.every((fault, index) => isDeepStrictEqual(fault, known[index]))
  );
}

function compareSkills(left: Skill, right: Skill): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.path < right.path ? -1 : 1;
}

function toShadowDiagnostic({ skill, by }: { skill: Skill; by: Skill }): Diagnostic {
  const message = `The skill "${skill.name}" is not offered: ${by.path} has the same name and comes first.`;
  return { code: "skill-shadowed", severity: "warning", path: skill.path, line: 1, message };
}
