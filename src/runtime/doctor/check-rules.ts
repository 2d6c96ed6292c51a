import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { parseRule } from "../../permissions/rule.ts";
import { describeFault, findRuleFault } from "../../permissions/rule-fault.ts";
import type { Diagnostic } from "../../skills/schema.ts";
import { readSettingsFile, type SettingsFile } from "../settings/settings-file.ts";
import type { Settings } from "../settings.ts";

/** What permission rules can be about: the built-in tools, without loading them. */
export const ruleTools = [
  ...["Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebFetch"],
  ...["Skill", "SearchSkills", "UnloadSkill", "AskUser", "CompleteStage"],
];

/** Tools that rules of other clients name, too: they do no harm here. */
const FOREIGN_TOOLS = [
  ...["WebSearch", "Task", "Agent", "NotebookEdit", "NotebookRead", "TodoRead", "TodoWrite", "SlashCommand"],
  ...["BashOutput", "KillBash", "KillShell", "ExitPlanMode"],
];

/** A settings file that counts, and whether it may allow. */
interface RuleSource {
  path: string;
  folder: string;
  settings: SettingsFile;
  mayAllow: boolean;
}

/**
 * Looks for what settings files say and nobody can follow: rules that cannot be read, rules for a tool that is
 * not known, and skill folders that are not there. Loads no heavy library.
 *
 * @returns an error for a rule that cannot be read, since no run starts with it; warnings for the others
 */
export function checkRules(settings: Pick<Settings, "configFolder" | "project" | "trusted">): Diagnostic[] {
  return listSources(settings).flatMap((source) => [
    ...checkPermissions(source),
    ...checkProjects(source, settings.configFolder),
    ...checkRoots(source),
  ]);
}

/** The settings file that says where threads are kept, or undefined when none that counts does. */
export function findCheckpointFile(
  settings: Pick<Settings, "configFolder" | "project" | "trusted">,
): string | undefined {
  return listSources(settings).find(
    ({ settings: file, mayAllow }) => mayAllow && file.checkpoint !== undefined,
  )?.path;
}

/** The person's file first: it beats the project's. */
function listSources({
  configFolder,
  project,
  trusted,
}: Pick<Settings, "configFolder" | "project" | "trusted">): RuleSource[] {
  const person = join(configFolder, "settings.json");
  const own = join(project, "skillgraph.json");
  return [
    { path: person, folder: configFolder, mayAllow: true },
    { path: own, folder: project, mayAllow: trusted },
  ].map((source) => ({ ...source, settings: readSettingsFile(source.path).settings }));
}

/** Rules by project: of the person's file only. */
function checkProjects({ path, folder, settings }: RuleSource, configFolder: string): Diagnostic[] {
  if (settings.projects === undefined) return [];
  const warn = (code: string, key: string, message: string): Diagnostic => {
    return { code, severity: "warning", path, line: findLine(path, key), message };
  };
  if (folder !== configFolder) {
    const message = `"projects" counts in your own settings only: ${join(configFolder, "settings.json")}.`;
    return [warn("setting-misplaced", "projects", message)];
  }
  return Object.entries(settings.projects).flatMap(([project, { permissions }]) => {
    const real = toRealPath(resolve(configFolder, project));
    const moved = `"${project}" in projects is the path of no project. Write the real path, such as "${real}".`;
    return [
      ...(real === project ? [] : [warn("project-path", project, moved)]),
      ...(permissions?.allow ?? []).flatMap((text) =>
        checkRule(text, `projects["${project}"].permissions.allow`, path),
      ),
    ];
  });
}

function checkPermissions({ path, settings, mayAllow }: RuleSource): Diagnostic[] {
  // What an untrusted project would allow is not read, so it is nobody's fault.
  const kinds = mayAllow ? (["allow", "ask", "deny"] as const) : (["ask", "deny"] as const);
  return kinds.flatMap((kind) =>
    (settings.permissions?.[kind] ?? []).flatMap((text) => checkRule(text, `permissions.${kind}`, path)),
  );
}

function checkRule(text: string, list: string, path: string): Diagnostic[] {
  const where = { path, line: findLine(path, text) };
  const fault = findRuleFault(text);
  if (fault) {
    const message = `"${text}" in ${list} is no permission rule. ${describeFault(fault)}`;
    return [{ code: "rule-unreadable", severity: "error", ...where, message }];
  }
  const tool = parseRule(text)?.tool ?? "";
  if (ruleTools.includes(tool) || FOREIGN_TOOLS.includes(tool) || tool.startsWith("mcp__")) return [];
  const message = `"${text}" in ${list} is for no built-in tool. Known tools: ${ruleTools.join(", ")}.`;
  return [{ code: "rule-tool-unknown", severity: "warning", ...where, message }];
}

function checkRoots({ path, folder, settings, mayAllow }: RuleSource): Diagnostic[] {
  if (!mayAllow) return [];
  return (settings.skills?.roots ?? [])
    .filter((root) => !existsSync(resolve(folder, root)))
    .map((root) => ({
      code: "root-missing",
      severity: "warning",
      path,
      line: findLine(path, root),
      message: `"${root}" in skills.roots is no folder: nothing is at ${resolve(folder, root)}.`,
    }));
}

/** The line on which a text of a JSON file stands; 1 when it is written another way than JSON writes it. */
function findLine(path: string, text: string): number {
  const content = readFileSync(path, "utf8");
  const index = content.indexOf(JSON.stringify(text));
  return index === -1 ? 1 : content.slice(0, index).split("\n").length;
}
