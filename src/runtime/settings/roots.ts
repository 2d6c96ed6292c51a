import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findDefaultRoots } from "../../skills/discovery/discover.ts";
import type { SkillRoot } from "../../skills/schema.ts";
import { findPackage } from "../project.ts";
import type { Settings, SettingsOptions } from "../settings.ts";
import type { SettingsFile } from "./settings-file.ts";

interface Sources extends Pick<Settings, "workspace" | "home" | "configFolder" | "project" | "trusted"> {
  person: { settings: SettingsFile };
  own: { settings: SettingsFile };
}

/**
 * The folders that are searched for skills, and which of them the project brings along. Relative paths start from
 * where they were written. Only a root that was named on purpose must be there.
 */
export function findRoots(
  options: Pick<SettingsOptions, "cwd" | "skills" | "trust">,
  { person, own, workspace, home, configFolder, project, trusted }: Sources,
): Pick<Settings, "roots" | "projectRoots" | "recordedRoots"> {
  const named = (options.skills ?? []).map((root) => resolve(options.cwd ?? ".", root));
  const ofPerson = toExisting(person.settings.skills?.roots, configFolder);
  const ofProject = trusted ? toExisting(own.settings.skills?.roots, project) : [];
  const { folder } = findPackage();
  const roots = findDefaultRoots({
    cwd: workspace,
    home,
    bundled: folder && join(folder, "skills"),
    extra: [...named, ...ofProject, ...ofPerson],
    isTrusted: () => trusted,
  });
  const mine = new Set([...named, ...ofPerson].flatMap(toRootPaths));
  const theirs = new Set(ofProject.flatMap(toRootPaths));
  const isOfProject = ({ path, tier }: SkillRoot) =>
    tier === "project" || (tier === "flag" && theirs.has(path) && !mine.has(path));
  const projectRoots = roots.filter(isOfProject).map(({ path }) => path);
  return { roots, projectRoots, recordedRoots: trusted && options.trust === undefined ? projectRoots : [] };
}

function toExisting(roots: string[] = [], folder: string): string[] {
  return roots.map((root) => resolve(folder, root)).filter((root) => existsSync(root));
}

/** A root may be named by its SKILL.md. */
function toRootPaths(root: string): string[] {
  return /[\\/]skill\.md$/i.test(root) ? [root, dirname(root)] : [root];
}
