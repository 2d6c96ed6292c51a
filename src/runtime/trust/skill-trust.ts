import { createHash } from "node:crypto";
import { readKnownRisk } from "../../graph/loading/skill-requests.ts";
import type { SkillTrust, TrustDesk } from "../../graph/loading/trust.ts";
import type { Catalog } from "../../skills/catalog.ts";
import { compareFiles, type FolderFiles, readFolderFiles, stampFolder } from "../../skills/folder-files.ts";
import type { Skill } from "../../skills/schema.ts";
import { openCatalog } from "../catalog.ts";
import type { Settings } from "../settings.ts";
import { readTrust, type TrustedSkill } from "./trust.ts";

type TrustSettings = Pick<Settings, "configFolder" | "roots" | "recordedRoots"> &
  Partial<Pick<Settings, "disabledSkills" | "maxFolders" | "cacheFolder">>;

/** Answers to questions of trust, as they are now: a person may trust a skill while a long run is under way. */
export interface SkillTrustDesk extends TrustDesk {
  /** A check that opens no file which nobody touched, and looks at files only of skills that would run commands. */
  glance: () => (skill: Skill) => boolean;
}

/**
 * Decides whether skills are trusted. Those of a trusted project are while their files are what
 * `skillgraph trust` recorded; those of other places as their root is.
 */
export function createTrustDesk({ configFolder, roots, recordedRoots }: TrustSettings): SkillTrustDesk {
  const trustedRoots = new Set(roots.filter(({ trusted }) => trusted).map(({ path }) => path));
  const recorded = new Set(recordedRoots);
  const readRecords = () =>
    recorded.size > 0 ? readTrust(configFolder).skills : new Map<string, TrustedSkill>();
  const check = (skill: Skill): SkillTrust => {
    const { source, directory } = skill;
    if (!trustedRoots.has(source)) {
      return distrust(`it comes from a folder that is not trusted: ${source}`);
    }
    if (!recorded.has(source)) return { trusted: true, files: [] };
    return judgeFolder(readRecords().get(directory), readFolderFiles(directory));
  };
  const glance = () => {
    const records = readRecords();
    return (skill: Skill) => {
      const { source, directory } = skill;
      if (!recorded.has(source)) return trustedRoots.has(source);
      const record = records.get(directory);
      if (!record || readKnownRisk(skill) !== "L2") return record !== undefined;
      return record.stamp === stampFolder(directory) || check(skill).trusted;
    };
  };
  return { check, glance };
}

/** The catalog with the marks of a full check, for people who look at it. */
export function openCheckedCatalog(settings: TrustSettings): Catalog {
  const { check } = createTrustDesk(settings);
  return markTrust(openCatalog(settings), (skill) => check(skill).trusted);
}

const markedCatalogs = new WeakMap<Catalog, { key: string; marked: Catalog }>();

/** A catalog in which skills bear the mark of trust that a check gives them; the same one while nothing changes. */
export function markTrust(catalog: Catalog, isTrusted: (skill: Skill) => boolean): Catalog {
  const copies = new Map<Skill, Skill>();
  for (const { skill } of catalog.files.values()) {
    if (skill?.trusted && !isTrusted(skill)) copies.set(skill, { ...skill, trusted: false });
  }
  if (copies.size === 0) return catalog;
  const key = JSON.stringify([...copies.keys()].map(({ path }) => path));
  const known = markedCatalogs.get(catalog);
  if (known?.key === key) return known.marked;
  const swap = (skill: Skill) => copies.get(skill) ?? skill;
  const marked: Catalog = {
    ...catalog,
    skills: catalog.skills.map(swap),
    disabled: catalog.disabled.map(swap),
    shadowed: catalog.shadowed.map(({ skill, by }) => ({ skill: swap(skill), by: swap(by) })),
    digest: createHash("sha256").update(catalog.digest).update(key).digest("hex").slice(0, 16),
    get: (name) => {
      const skill = catalog.get(name);
      return skill && swap(skill);
    },
    files: new Map(
      [...catalog.files].map(([path, file]) => [
        path,
        file.skill ? { ...file, skill: swap(file.skill) } : file,
      ]),
    ),
  };
  markedCatalogs.set(catalog, { key, marked });
  return marked;
}

/** How a folder stands to what was recorded of it. */
export function judgeFolder(record: TrustedSkill | undefined, read: FolderFiles): SkillTrust {
  const { digest, complete, fault } = read;
  if (!record) {
    return { ...distrust("it was not recorded when its project was trusted"), digest };
  }
  const files = compareFiles(record.files, read.files);
  if (!complete) return { ...distrust(`its folder cannot be trusted whole: ${fault}`, files), digest };
  if (record.digest === digest) return { trusted: true, files: [], digest };
  return { ...distrust(toChange(files), files), digest };
}

function distrust(reason: string, files: string[] = []): SkillTrust {
  return { trusted: false, reason, files };
}

/** How many changed files a sentence names. */
const MAX_NAMED = 10;

function toChange(files: string[]): string {
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const rest = files.length > MAX_NAMED ? `, and ${files.length - MAX_NAMED} more` : "";
  return `${count} changed since it was trusted: ${files.slice(0, MAX_NAMED).join(", ")}${rest}`;
}
