import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { type FolderFiles, toStamp } from "../../skills/folder-files.ts";
import { isRecord } from "../../skills/record.ts";
import { makeFolder } from "../../tools/files/make-folder.ts";

/** The files of a skill as a person trusts them. */
export interface TrustedSkill {
  digest: string;
  /** Digests by relative path, to tell what changed. */
  files: Map<string, { digest: string }>;
  /** Names, sizes and times, to see at a glance that nothing changed. */
  stamp?: string;
}

/** What a person trusts: folders, and the skills in them as they were. Keys are real paths. */
export interface TrustRecords {
  folders: string[];
  skills: Map<string, TrustedSkill>;
}

/**
 * Reads what is trusted.
 *
 * @throws SkillgraphError `settings-invalid` when the file cannot be read; an unreadable record of a skill is none
 */
export function readTrust(configFolder: string): TrustRecords {
  const file = trustFile(configFolder);
  if (!existsSync(file)) return { folders: [], skills: new Map() };
  const content = readJson(file);
  if (!isRecord(content) || !Array.isArray(content.folders)) {
    throw new SkillgraphError("settings-invalid", `${file} must hold {"folders": […]}.`);
  }
  const folders = content.folders.filter((folder) => typeof folder === "string");
  const skills = isRecord(content.skills) ? Object.entries(content.skills) : [];
  return { folders, skills: new Map(skills.flatMap(([path, entry]) => toTrustedSkill(path, entry))) };
}

/** The folders a person trusts, as real paths. A trusted folder covers everything below it. */
export function listTrusted(configFolder: string): string[] {
  return readTrust(configFolder).folders;
}

/** True when the folder, or one above it, is trusted. */
export function isTrusted(folder: string, trusted: string[]): boolean {
  return trusted.some(
    (entry) => folder === entry || folder.startsWith(entry.endsWith(sep) ? entry : entry + sep),
  );
}

type ReadFolders = ReadonlyMap<string, Pick<FolderFiles, "digest" | "files">>;

/** What became of the trust in a folder. */
export interface TrustChange {
  /** Real path. */
  folder: string;
  trusted: boolean;
  /** Whether the folder was added or removed. */
  changed: boolean;
  /** Real paths of the folders of skills whose records went. */
  forgotten: string[];
}

/**
 * Adds a folder to the trusted ones, or removes it.
 *
 * @param skills By the real path of their folder: recorded as they are with a trusted folder; records below it whose
 * folder is gone go. With one that is trusted no longer their records go, and all others below it.
 * @throws SkillgraphError `usage` when the folder is not there
 */
export function setTrust(
  configFolder: string,
  folder: string,
  trusted: boolean,
  skills: ReadFolders = new Map(),
): TrustChange {
  if (!existsSync(folder)) throw new SkillgraphError("usage", `No folder "${folder}".`);
  const real = realpathSync(folder);
  const before = readTrust(configFolder);
  const changed = before.folders.includes(real) !== trusted;
  const others = before.folders.filter((entry) => entry !== real);
  const isForgotten = (path: string) =>
    isTrusted(path, [real]) ? !trusted || !existsSync(path) : !trusted && skills.has(path);
  const forgotten = [...before.skills.keys()].filter(isForgotten);
  const recorded = trusted ? skills : new Map();
  if (changed || recorded.size > 0 || forgotten.length > 0) {
    const records = changeRecords(before.skills, recorded, forgotten);
    write(configFolder, { folders: trusted ? [...others, real].sort() : others, skills: records });
  }
  return { folder: real, trusted, changed, forgotten };
}

/** Records skills of a trusted project as they are, by the real path of their folder. */
export function recordSkills(configFolder: string, skills: ReadFolders): void {
  const { folders, skills: before } = readTrust(configFolder);
  write(configFolder, { folders, skills: changeRecords(before, skills, []) });
}

function changeRecords(
  before: TrustRecords["skills"],
  recorded: ReadFolders,
  forgotten: string[],
): TrustRecords["skills"] {
  const records = new Map(before);
  for (const path of forgotten) records.delete(path);
  for (const [path, { digest, files }] of recorded) {
    records.set(path, { digest, files, stamp: toStamp(files) });
  }
  return records;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    throw new SkillgraphError("settings-invalid", `Cannot read ${file}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}

function toTrustedSkill(path: string, entry: unknown): [string, TrustedSkill][] {
  if (!isRecord(entry) || typeof entry.digest !== "string") return [];
  const files = isRecord(entry.files) ? Object.entries(entry.files) : [];
  const digests = files.flatMap(([name, digest]): [string, { digest: string }][] =>
    typeof digest === "string" ? [[name, { digest }]] : [],
  );
  const stamp = typeof entry.stamp === "string" ? { stamp: entry.stamp } : {};
  return [[path, { digest: entry.digest, files: new Map(digests), ...stamp }]];
}

function write(configFolder: string, records: TrustRecords): void {
  const file = trustFile(configFolder);
  try {
    writeWhole(file, records);
  } catch (error) {
    throw new SkillgraphError("settings-invalid", `Cannot write ${file}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}

function writeWhole(file: string, { folders, skills }: TrustRecords): void {
  makeFolder(dirname(file));
  const entries = [...skills]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, { digest, files, stamp }]) => {
      const digests = Object.fromEntries([...files].map(([name, each]) => [name, each.digest]));
      return [path, { digest, ...(stamp === undefined ? {} : { stamp }), files: digests }];
    });
  const text = JSON.stringify({ folders, skills: Object.fromEntries(entries) }, null, 2);
  // Written beside and renamed, so that a full disk cannot leave half a list.
  writeFileSync(`${file}.${process.pid}.tmp`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}.tmp`, file);
}

function trustFile(configFolder: string): string {
  return join(configFolder, "trust.json");
}
