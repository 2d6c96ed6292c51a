import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { toMessage } from "../../errors.ts";
import { compareFiles, type FolderFile, readFolderFiles, toDigest } from "../../skills/folder-files.ts";
import { SKILL_FILE_LIMIT } from "../../skills/header/read-head.ts";
import { listResources } from "../../skills/resources.ts";
import { hasDrifted, readRegularFile } from "../../skills/snapshot.ts";
import { readWizard } from "../../skills/stages/read-wizard.ts";
import { listStageFiles } from "../../skills/stages/stage-files.ts";
import type { ActiveSkill } from "../skill-state.ts";
import type { State } from "../state.ts";

/** Files of a skill that a thread keeps in mind; of larger folders those that the skill itself names. */
const FILE_LIMIT = 500;
/** Changed files that are named. */
const NAMED_LIMIT = 50;
/** A file that was written this shortly before it was read may change again without another time, in milliseconds. */
const FRESH_MS = 2_000;
/** Made from the other files, or by looking at the folder. */
const MADE = /(^|\/)(__pycache__\/|\.DS_Store$|Thumbs\.db$)/;

type Place = Pick<ActiveSkill, "name" | "path" | "directory" | "digest" | "files" | "wizard">;

/** Files of a skill's folder as a thread keeps them. */
interface KeptFiles {
  /** When they were read, in milliseconds. */
  at: number;
  /** False for a folder that is too large to keep all of it in mind. */
  complete: boolean;
  files: [path: string, file: FolderFile][];
}

/** What became of the files of a skill since it was loaded. */
export interface SkillChange {
  /** Digest of the files as they are now; empty when the SKILL.md is gone. */
  digest: string;
  /** `scripts/go.sh (changed)`, sorted. */
  files: string[];
}

/**
 * Keeps the files of a skill's folder in mind, by digest.
 *
 * @param texts where the list is put, under the digest
 * @returns the digest, for `files` of the active skill
 */
export function rememberFiles(skill: Pick<Place, "path" | "directory">, texts: State["texts"]): string {
  const kept = readFiles(skill);
  const digest = digestOf(kept);
  texts[digest] = JSON.stringify(kept);
  return digest;
}

/**
 * Compares the files of an active skill with those that were loaded. Files whose size and time are the same are not
 * read.
 *
 * @param texts where the list of the loaded ones lies
 * @param fresh where the list is put when only times are other ones
 * @returns undefined when nothing changed
 */
export function findChange(
  skill: Place,
  texts: State["texts"],
  fresh: State["texts"],
): SkillChange | undefined {
  const before = readKept(skill, texts);
  if (!existsSync(skill.path)) return { digest: "", files: [`${basename(skill.path)} (gone)`] };
  const after = readFiles(skill, before);
  const digest = digestOf(after);
  if (!before) {
    // A thread from before files were kept in mind knows its text only.
    const files = findChangedTexts(skill);
    return files.length > 0 ? { digest, files } : undefined;
  }
  if (digest === skill.files) {
    if (!hasSameTimes(before, after)) fresh[digest] = JSON.stringify(after);
    return undefined;
  }
  const files = compareFiles(new Map(toComparable(skill, before, after)), new Map(after.files));
  if (files.length === 0) return undefined;
  const more = files.length - NAMED_LIMIT;
  return { digest, files: more > 0 ? [...files.slice(0, NAMED_LIMIT), `${more} more files`] : files };
}

function readKept({ files }: Place, texts: State["texts"]): KeptFiles | undefined {
  const text = files === undefined ? undefined : texts[files];
  return text === undefined ? undefined : (JSON.parse(text) as KeptFiles);
}

function readFiles({ path, directory }: Pick<Place, "path" | "directory">, before?: KeptFiles): KeptFiles {
  const at = Date.now();
  const known = new Map(before?.files.filter(([, { mtimeMs }]) => mtimeMs < before.at - FRESH_MS));
  if (before?.complete !== false) {
    const { files, complete } = readFolderFiles(directory, { known });
    const kept = [...files].filter(([file]) => !MADE.test(file));
    if (complete && kept.length <= FILE_LIMIT) return { at, complete, files: kept };
  }
  const names = listNamed(path, directory);
  return {
    at,
    complete: false,
    files: names.map((name) => [name, readNamed(join(directory, name), known.get(name))]),
  };
}

/** The SKILL.md, the stages and the listed resources, sorted. */
function listNamed(path: string, directory: string): string[] {
  const stages = ["stages", "steps"].flatMap((folder) =>
    listStages(join(directory, folder)).map((name) => `${folder}/${name}`),
  );
  const { scripts, references, assets } = listResources(directory);
  return [...new Set([basename(path), ...stages, ...scripts, ...references, ...assets])].sort();
}

function listStages(folder: string): string[] {
  try {
    return listStageFiles(folder) ?? [];
  } catch {
    return []; // It may not be read, which reading the wizard anew reports.
  }
}

function readNamed(path: string, known: FolderFile | undefined): FolderFile {
  try {
    const { size, mtimeMs } = statSync(path);
    if (known?.size === size && known.mtimeMs === mtimeMs) return known;
    const content = size > SKILL_FILE_LIMIT ? `${size} ${mtimeMs}` : readRegularFile(path);
    return { digest: toDigest(content), size, mtimeMs };
  } catch (error) {
    return { digest: toDigest(toMessage(error)), size: 0, mtimeMs: 0 };
  }
}

/** What can be compared: of a folder that grew too large only what is still looked at, or is gone. */
function toComparable({ directory }: Place, before: KeptFiles, after: KeptFiles): KeptFiles["files"] {
  if (after.complete) return before.files;
  const looked = new Set(after.files.map(([file]) => file));
  return before.files.filter(([file]) => looked.has(file) || !existsSync(join(directory, file)));
}

function hasSameTimes(before: KeptFiles, after: KeptFiles): boolean {
  const times = new Map(before.files);
  return after.files.every(([file, { mtimeMs }]) => times.get(file)?.mtimeMs === mtimeMs);
}

function findChangedTexts(skill: Place): string[] {
  const { name, path, directory, digest, wizard } = skill;
  if (hasDrifted({ name, path }, digest)) return [`${basename(path)} (changed)`];
  if (!wizard) return [];
  const read = readWizard({ name, path, directory, metadata: {} }, { asked: true });
  return read.digest === wizard.digest ? [] : ["stages (changed)"];
}

function digestOf({ files }: KeptFiles): string {
  return `files-${toDigest(JSON.stringify(files.map(([file, { digest }]) => [file, digest]))).slice(0, 16)}`;
}
