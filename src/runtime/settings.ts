import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SkillgraphError } from "../errors.ts";
import type { CatalogPlace, DriftMode } from "../graph/parts.ts";
import type { AskMode } from "../permissions/decide.ts";
import type { Diagnostic, SkillRoot } from "../skills/schema.ts";
import { findProject } from "./project.ts";
import { type Environment, findHome, withDotEnv } from "./settings/environment.ts";
import { checkIgnored } from "./settings/ignored-settings.ts";
import { mergePermissions } from "./settings/permission-settings.ts";
import {
  checkWritable,
  pickPrivateHosts,
  pickSandbox,
  type SandboxSettings,
} from "./settings/reach-settings.ts";
import { findRoots } from "./settings/roots.ts";
import { readSettingsFile, type SandboxMode, type SettingsFile } from "./settings/settings-file.ts";
import { isTrusted, readTrust } from "./trust/trust.ts";

/** What a caller sets; it beats the environment, which beats the settings files. */
export interface SettingsOptions {
  /** Working folder: the workspace that tools are contained in. Default: the process's. */
  cwd?: string;
  /** Skill folders, stronger than all others and trusted. */
  skills?: readonly string[];
  /** Model name, or `offline`. */
  model?: string;
  /** What becomes of calls that would ask. Default `ask`. */
  mode?: AskMode;
  /** Trusts the project for this run. Default: what `skillgraph trust` recorded. */
  trust?: boolean;
  /** Model calls of one run. Default 50. */
  maxSteps?: number;
  /** What becomes of an active skill whose files changed since it was loaded. Default `pin`. */
  drift?: DriftMode;
  /** Where the model reads the catalog. Default `tool`. */
  catalog?: CatalogPlace;
  /** Whether commands are confined. Default `auto`: where it works. */
  sandbox?: SandboxMode;
  /** Where threads are kept, for example `sqlite:./threads.db`. Default: the project's `.skillgraph/threads.db`. */
  checkpoint?: string;
  /** Default: the process's environment. */
  environment?: Environment;
}

/** Everything in force, from flags, environment and files. Reading it loads no heavy library. */
export interface Settings {
  /** Real path. */
  workspace: string;
  home: string;
  configFolder: string;
  project: string;
  trusted: boolean;
  roots: SkillRoot[];
  /** Roots that the project brings along. */
  projectRoots: string[];
  /** Those of them whose skills are trusted as they were recorded only; none when the run was told to trust. */
  recordedRoots: string[];
  /** Folders in which skills are looked for, there or not. */
  skillPlaces: string[];
  model: { name?: string; from: "flag" | "environment" | "settings" | "default" };
  models: Record<string, string>;
  apiKey?: string;
  baseUrl?: string;
  permissions: { allow: string[]; ask: string[]; deny: string[]; mode: AskMode; restrict: boolean };
  /** Whether and how commands are confined, and who said so. */
  sandbox: SandboxSettings;
  /** Hosts such as `localhost:3000` that may be fetched from although their addresses are private. */
  privateHosts: string[];
  systemPrompt?: string;
  maxSteps: number;
  /** Characters that the catalog may take of a request; absent for a share of the model's window. */
  listingBudget?: number;
  catalogPlace: CatalogPlace;
  /** Absent when nobody chose: `pin`, save for a wizard whose file is gone, which asks. */
  drift?: DriftMode;
  /** Skills that are never offered, in NFC. */
  disabledSkills: string[];
  /** Folders of one root that are searched at most; absent for the default. */
  maxFolders?: number;
  /** Where what was read is remembered between runs. */
  cacheFolder: string;
  checkpoint: string;
  /** True when nobody set another place. */
  isDefaultCheckpoint: boolean;
  stateFolder: string;
  environment: Environment;
  diagnostics: Diagnostic[];
}

const DEFAULT_MAX_STEPS = 50;
/** Beside `.agents` and `.claude`, which are protected wherever they are. */
const SKILL_PLACES = ["skills", ".cursor/skills"];

/** What a caller may set; a list, since a schema library would cost every `list` its loading time. */
const OPTIONS = Object.keys({
  cwd: true,
  skills: true,
  model: true,
  mode: true,
  trust: true,
  maxSteps: true,
  drift: true,
  catalog: true,
  sandbox: true,
  checkpoint: true,
  environment: true,
} satisfies Record<keyof SettingsOptions, true>);

/**
 * Reads what is in force for a folder. Until the project is trusted its files can only tighten: their ask and
 * deny rules and step limit count, everything else of theirs does not, and one diagnostic, `settings-ignored`, names it.
 *
 * @throws SkillgraphError `usage` for an option that is not known and for a folder that is not there, `root-unknown` for a skill folder that is not,
 * `settings-invalid` for a settings file that cannot be used
 * @example
 * ```ts
 * import { loadSettings } from "skillgraph";
 * const settings = loadSettings({ cwd: ".", mode: "deny" });
 * process.stdout.write(`${settings.project} ${settings.trusted}\n`);
 * ```
 */
export function loadSettings(options: SettingsOptions = {}): Settings {
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw new SkillgraphError("usage", `Unknown option "${unknown}". Known: ${OPTIONS.join(", ")}.`);
  }
  const workspace = findWorkspace(options.cwd);
  const shell = options.environment ?? process.env;
  const { home, configFolder, cacheFolder } = findHome(shell);
  const project = findProject(workspace);
  const trusted = options.trust ?? isTrusted(project, readTrust(configFolder).folders);
  const environment = withDotEnv(shell, project, trusted);
  const person = readSettingsFile(join(configFolder, "settings.json"));
  const own = readSettingsFile(join(project, "skillgraph.json"));
  const full: SettingsFile = { ...(trusted ? own.settings : {}), ...person.settings };
  const stateFolder = join(project, ".skillgraph");
  const baseUrl = environment.OPENAI_BASE_URL ?? full.baseUrl;
  const checkpoint = options.checkpoint ?? environment.SKILLGRAPH_CHECKPOINT ?? full.checkpoint;
  const found = findRoots(options, { person, own, workspace, home, configFolder, project, trusted });
  return {
    workspace,
    home,
    configFolder,
    project,
    trusted,
    ...found,
    skillPlaces: [...found.roots.map(({ path }) => path), ...listSkillPlaces(workspace, project)],
    model: pickModel(options.model, environment, full),
    models: { ...(trusted ? own.settings.models : {}), ...person.settings.models },
    ...(environment.OPENAI_API_KEY ? { apiKey: environment.OPENAI_API_KEY } : {}),
    ...(baseUrl ? { baseUrl } : {}),
    permissions: mergePermissions(options.mode ?? "ask", person.settings, {
      settings: own.settings,
      project,
      trusted,
    }),
    sandbox: pickSandbox(
      options.sandbox,
      { ...person, folder: configFolder },
      { ...own, folder: project, trusted },
    ),
    privateHosts: pickPrivateHosts(person.settings, own.settings, trusted),
    ...(full.systemPrompt ? { systemPrompt: full.systemPrompt } : {}),
    maxSteps: pickMaxSteps(options.maxSteps, person.settings.maxSteps, own.settings.maxSteps, trusted),
    ...(full.skills?.budget === undefined ? {} : { listingBudget: full.skills.budget }),
    ...pickSkillSettings(options, { person, own, trusted }),
    cacheFolder,
    checkpoint: checkpoint ?? `sqlite:${join(stateFolder, "threads.db")}`,
    isDefaultCheckpoint: checkpoint === undefined,
    stateFolder,
    environment,
    diagnostics: [
      ...person.diagnostics,
      ...own.diagnostics,
      ...checkWritable({ ...person, folder: configFolder }, "settings.json"),
      ...(trusted
        ? checkWritable({ ...own, folder: project }, "skillgraph.json")
        : checkIgnored(own.settings, project)),
    ],
  };
}

/** The environment of this process. */
export function readEnvironment(): Environment {
  return process.env;
}

function findWorkspace(cwd = "."): string {
  const folder = resolve(cwd);
  if (existsSync(folder) && statSync(folder).isDirectory()) return realpathSync(folder);
  throw new SkillgraphError("usage", `No folder "${cwd}" to work in.`);
}

interface Sources {
  person: { settings: SettingsFile };
  own: { settings: SettingsFile };
  trusted: boolean;
}

/** `skills` and its like beside the workspace and above it, up to the project. */
function listSkillPlaces(workspace: string, project: string): string[] {
  const places: string[] = [];
  for (let folder = workspace; ; folder = dirname(folder)) {
    places.push(...SKILL_PLACES.map((place) => join(folder, place)));
    if (folder === project || dirname(folder) === folder) return places;
  }
}

function pickModel(
  flag: string | undefined,
  environment: Environment,
  file: SettingsFile,
): Settings["model"] {
  if (flag) return { name: flag, from: "flag" };
  if (environment.SKILLGRAPH_MODEL) return { name: environment.SKILLGRAPH_MODEL, from: "environment" };
  return file.model ? { name: file.model, from: "settings" } : { from: "default" };
}

/** An untrusted project can ask where nobody would, hide skills and search less; it widens nothing. */
function pickSkillSettings(
  options: SettingsOptions,
  { person, own, trusted }: Pick<Sources, "person" | "own" | "trusted">,
): Pick<Settings, "catalogPlace" | "drift" | "disabledSkills" | "maxFolders"> {
  const [mine, theirs] = [person.settings.skills ?? {}, own.settings.skills ?? {}];
  const full = { ...(trusted ? theirs : {}), ...mine };
  const drift = options.drift ?? (!trusted && theirs.drift === "ask" ? "ask" : full.drift);
  const disabled = [...(mine.disabled ?? []), ...(theirs.disabled ?? [])];
  return {
    catalogPlace: options.catalog ?? full.catalog ?? "tool",
    ...(drift === undefined ? {} : { drift }),
    disabledSkills: [...new Set(disabled.map((name) => name.normalize("NFC")))],
    ...(full.maxFolders === undefined ? {} : { maxFolders: full.maxFolders }),
  };
}

function pickMaxSteps(
  flag: number | undefined,
  person: number | undefined,
  own: number | undefined,
  trusted: boolean,
): number {
  if (flag !== undefined) return flag;
  const mine = person ?? (trusted ? own : undefined) ?? DEFAULT_MAX_STEPS;
  return trusted || own === undefined ? mine : Math.min(mine, own);
}
