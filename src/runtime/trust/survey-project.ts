import { readRequests } from "../../graph/loading/skill-requests.ts";
import type { Risk } from "../../permissions/risk.ts";
import { type Catalog, loadCatalog } from "../../skills/catalog.ts";
import { type FolderFiles, readFolderFiles } from "../../skills/folder-files.ts";
import type { Skill } from "../../skills/schema.ts";
import { isWithin } from "../../skills/within.ts";
import type { Settings } from "../settings.ts";
import { judgeFolder } from "./skill-trust.ts";
import { readTrust } from "./trust.ts";

type PlaceSettings = Pick<Settings, "configFolder" | "roots" | "projectRoots">;

/** A skill of a project, and how it stands to what was recorded of it. */
export interface ProjectSkill {
  name: string;
  path: string;
  /** Real path of its folder, by which it is recorded. */
  directory: string;
  /** `unfit`: its folder cannot be read whole, so it cannot be trusted. */
  status: "same" | "new" | "changed" | "unfit";
  risk: Risk;
  /** What it pre-approves once it is trusted, its stages included. */
  asks: string[];
  /** What changed since it was trusted. */
  files: string[];
  fault?: string;
}

/**
 * The skills that a project brings along below a folder, as they are now.
 *
 * @param places the settings of each working folder from which skills are looked for; one at least
 */
export function surveyProject(
  places: [PlaceSettings, ...PlaceSettings[]],
  folder: string,
): { skills: ProjectSkill[]; folders: Map<string, FolderFiles> } {
  const found = places.flatMap(({ roots, projectRoots }) =>
    roots.filter(({ path }) => projectRoots.includes(path) && isWithin(folder, path)),
  );
  const roots = [...new Map(found.map((root) => [root.path, root])).values()];
  const records = readTrust(places[0].configFolder).skills;
  const folders = new Map<string, FolderFiles>();
  const skills = listSkills(loadCatalog(roots)).map((skill): ProjectSkill => {
    const { name, path, directory } = skill;
    const read = readFolderFiles(directory);
    if (read.complete) folders.set(directory, read);
    const record = records.get(directory);
    const { trusted, files } = judgeFolder(record, read);
    const status = trusted ? "same" : record ? "changed" : "new";
    const fault = read.fault === undefined ? {} : { fault: read.fault };
    const facts = { name, path, directory, ...readRequests(skill), files, ...fault };
    return { ...facts, status: read.complete ? status : "unfit" };
  });
  return { skills, folders };
}

/** Also those that another of the same name hides: they are loaded once that one is gone. */
function listSkills({ files }: Catalog): Skill[] {
  return [...files.values()].flatMap(({ skill }) => skill ?? []);
}
