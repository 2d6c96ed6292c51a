import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { findRemembered, listSettled, recall, remember } from "./discovery/catalog-cache.ts";
import { type CatalogFile, isUnchanged, readCatalogFile } from "./discovery/catalog-file.ts";
import { findSkillFiles, type KnownFolders, type SkillFile } from "./discovery/discover.ts";
import type { ReadChunk } from "./header/read-head.ts";
import { findNearest } from "./nearest.ts";
import type { Diagnostic, Skill, SkillRoot } from "./schema.ts";

export type { CatalogFile } from "./discovery/catalog-file.ts";

/** All skills that are offered, and what is wrong with the others. */
export interface Catalog {
  /** One for each name: by root, strongest first, then by name. */
  skills: Skill[];
  /** Skills that are not offered because a stronger one has their name. */
  shadowed: { skill: Skill; by: Skill }[];
  /** Skills of a name that is disabled, strongest first. */
  disabled: Skill[];
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

/** How a catalog is read. */
export interface CatalogOptions {
  /** Names, in NFC, that are not offered, whichever skill bears them. */
  disabled?: readonly string[];
  /** Folders of one root that are searched at most. Default 2,000. */
  maxFolders?: number | undefined;
  /** A file in which what was read is remembered for the next process. Default: none. */
  cacheFile?: string | undefined;
  /** Names this version of the program; what another one remembered is not used. */
  program?: string;
  /** Replaces the reading of bytes, so that it can be counted. */
  readChunk?: ReadChunk;
}

/** What was found beside the files, for the next refresh. */
interface Findings {
  folders: KnownFolders;
  disabledNames: string;
}

const findings = new WeakMap<Catalog, Findings>();

/**
 * Reads the headers of all skills under the roots. Bodies stay on disk until a skill is chosen. One bad file
 * never hides the others: it is a diagnostic.
 *
 * @param roots Strongest first; of two skills with one name the first wins.
 * @param previous The catalog of last time; files unchanged since are not read again. When nothing at all has
 * changed it is returned itself, so that what was made of it can be kept.
 */
export function loadCatalog(roots: SkillRoot[], previous?: Catalog, options: CatalogOptions = {}): Catalog {
  const { disabled: names = [], maxFolders, cacheFile, program = "" } = options;
  const before = previous && findings.get(previous);
  const remembered = cacheFile && !previous ? recall(cacheFile, program, roots) : undefined;
  const found = findSkillFiles(roots, { maxFolders, known: before?.folders ?? remembered?.folders });
  const diagnostics = [...found.diagnostics, ...found.absent.map(toAbsentDiagnostic)];
  const files = new Map<string, CatalogFile>();
  const order = new Map(roots.map((root, index) => [root, index]));
  const candidates: { skill: Skill; rank: number }[] = [];
  for (const file of found.files) {
    const entry =
      findKnown(file, previous) ??
      findRemembered(file, remembered) ??
      readCatalogFile(file, options.readChunk);
    files.set(file.path, entry);
    diagnostics.push(...entry.diagnostics);
    if (entry.skill !== undefined) candidates.push({ skill: entry.skill, rank: order.get(file.root) ?? 0 });
  }
  const disabledNames = names.join("\n");
  const now = { folders: found.folders, disabledNames };
  if (
    previous !== undefined &&
    before?.disabledNames === disabledNames &&
    isSame(previous, files, diagnostics)
  ) {
    findings.set(previous, now);
    return previous;
  }
  if (cacheFile) {
    const known =
      remembered?.all ?? listSettled(before?.folders ?? new Map(), previous?.files.values() ?? []);
    remember(cacheFile, program, roots, { folders: found.folders, files }, known);
  }
  candidates.sort((left, right) => left.rank - right.rank || compareSkills(left.skill, right.skill));

  const winners = new Map<string, Skill>();
  const shadowed: Catalog["shadowed"] = [];
  const disabled: Skill[] = [];
  for (const { skill } of candidates) {
    if (names.includes(skill.name)) {
      disabled.push(skill);
      continue;
    }
    const by = winners.get(skill.name);
    if (by === undefined) winners.set(skill.name, skill);
    else shadowed.push({ skill, by });
  }
  diagnostics.push(...shadowed.map(toShadowDiagnostic));
  const skills = [...winners.values()];
  let digest: string | undefined;
  const catalog: Catalog = {
    skills,
    shadowed,
    disabled,
    diagnostics,
    get digest() {
      digest ??= createHash("sha256").update(JSON.stringify(skills)).digest("hex").slice(0, 16);
      return digest;
    },
    get: (name) => winners.get(name.normalize("NFC")),
    nearest: (name, limit = 3) => findNearest(name, winners.keys(), limit),
    files,
  };
  findings.set(catalog, now);
  return catalog;
}

function findKnown(file: SkillFile, previous: Catalog | undefined): CatalogFile | undefined {
  const known = previous?.files.get(file.path);
  return known !== undefined && isUnchanged(known, file) ? known : undefined;
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

function toAbsentDiagnostic({ path }: SkillRoot): Diagnostic {
  const message = "The folder is not there, so it gives no skills.";
  return { code: "root-absent", severity: "warning", path, line: 1, message };
}
