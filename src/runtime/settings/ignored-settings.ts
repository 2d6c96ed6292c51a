import { join } from "node:path";
import type { Diagnostic } from "../../skills/schema.ts";
import { withDotEnv } from "./environment.ts";
import type { SettingsFile } from "./settings-file.ts";

/** Settings of a project that count only when it is trusted. */
const TRUSTED_ONLY = ["model", "models", "baseUrl", "systemPrompt", "checkpoint"] as const;

/** What of a project that is not trusted is written and does not count: keys of its settings file, and `.env`. */
export function listIgnored(
  { permissions, skills = {}, ...settings }: SettingsFile,
  project: string,
): string[] {
  const { roots, budget, catalog, drift, maxFolders } = skills;
  const isEnvSet = Object.values(withDotEnv({}, project, true)).some((value) => value !== undefined);
  return [
    ...TRUSTED_ONLY.filter((key) => settings[key] !== undefined),
    ...(permissions?.allow?.length ? ["permissions.allow"] : []),
    ...(roots?.length ? ["skills.roots"] : []),
    ...(budget === undefined ? [] : ["skills.budget"]),
    ...(catalog === undefined ? [] : ["skills.catalog"]),
    // To ask is to tighten, and counts.
    ...(drift === undefined || drift === "ask" ? [] : ["skills.drift"]),
    ...(maxFolders === undefined ? [] : ["skills.maxFolders"]),
    ...(isEnvSet ? [".env"] : []),
  ];
}

/** One warning, `settings-ignored`, for all that a project which is not trusted says to no effect. */
export function checkIgnored(settings: SettingsFile, project: string): Diagnostic[] {
  const ignored = listIgnored(settings, project);
  if (ignored.length === 0) return [];
  const path = join(project, ignored.join() === ".env" ? ".env" : "skillgraph.json");
  const message = `Without effect, since the project is not trusted: ${ignored.join(", ")}. See "skillgraph trust".`;
  return [{ code: "settings-ignored", severity: "warning", path, line: 1, message }];
}
