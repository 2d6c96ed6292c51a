import { existsSync } from "node:fs";
import { join } from "node:path";
import { SkillgraphError, toMessage } from "../../errors.ts";
import type { Catalog } from "../../skills/catalog.ts";
import type { Diagnostic, SkillRoot } from "../../skills/schema.ts";
import { openCatalog } from "../catalog.ts";
import { findPackage } from "../project.ts";
import { listIgnored } from "../settings/ignored-settings.ts";
import { readSettingsFile } from "../settings/settings-file.ts";
import { loadSettings, type Settings, type SettingsOptions } from "../settings.ts";
import type { Check } from "./check.ts";
import { checkListing } from "./check-listing.ts";
import { checkModel } from "./check-model.ts";
import { checkRules } from "./check-rules.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { checkShell } from "./check-shell.ts";
import { checkSkillTrust } from "./check-skill-trust.ts";
import { describeStore } from "./check-store.ts";

/** Faulty skills that are told one by one. */
const MAX_FAULTS = 5;

/**
 * Looks at everything that is in force for a folder and says why it is, and what is wrong. Changes nothing and
 * asks no server.
 *
 * @throws SkillgraphError what `loadSettings` throws, but for `settings-invalid`, which is a check
 */
export async function examine(options: SettingsOptions = {}): Promise<Check[]> {
  const settings = readSettings(options);
  if ("status" in settings) return [...checkProgram(), settings];
  // Who only looks leaves nothing behind, so nothing is remembered of what is read.
  const { cacheFolder: _cacheFolder, ...place } = settings;
  const catalog = openCatalog(place);
  return [
    ...checkProgram(),
    ...checkPlace(settings, catalog),
    ...checkFiles(settings),
    ...checkModel(settings),
    await checkThreads(settings, options),
    checkPermissions(settings),
    ...checkSkills(settings, catalog),
    ...(await checkShell(settings)),
    await checkSandbox(settings),
  ];
}

function readSettings(options: SettingsOptions): Settings | Check {
  try {
    return loadSettings(options);
  } catch (error) {
    if (!(error instanceof SkillgraphError) || error.code !== "settings-invalid") throw error;
    return { name: "settings", status: "error", text: error.message };
  }
}

function checkProgram(): Check[] {
  const { folder, version, node } = findPackage();
  if (folder === undefined) {
    const text =
      "another program has bundled it without its folder: version and bundled skills are not known";
    return [{ name: "skillgraph", status: "warning", text }];
  }
  const [major = 0, minor = 0] =
    /\d+\.\d+/
      .exec(node ?? "")?.[0]
      .split(".")
      .map(Number) ?? [];
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  const isOld = ownMajor < major || (ownMajor === major && ownMinor < minor);
  return [
    { name: "skillgraph", status: "ok", text: `${version}, in ${folder}` },
    {
      name: "node",
      status: isOld ? "error" : "ok",
      text: `${process.versions.node} (needed: ${node})`,
    },
  ];
}

function checkPlace(settings: Settings, catalog: Catalog): Check[] {
  const { workspace, project } = settings;
  const mark = ["skillgraph.json", ".git"].find((name) => existsSync(join(project, name)));
  const why = mark === undefined ? "no skillgraph.json or .git is above it" : `it holds ${mark}`;
  return [
    { name: "workspace", status: "ok", text: workspace },
    { name: "project", status: "ok", text: `${project} (${why})` },
    checkTrust(settings, catalog),
  ];
}

/** Not to trust is no fault; a setting that is written and does not count may surprise. */
function checkTrust(settings: Settings, catalog: Catalog): Check {
  const name = "trust";
  const { project, trusted } = settings;
  if (trusted) return checkSkillTrust(settings, catalog);
  const idle = listIgnored(readSettingsFile(join(project, "skillgraph.json")).settings, project);
  const base = "not trusted: its settings can only tighten, its skills load after consent and grant nothing";
  if (idle.length === 0) return { name, status: "ok", text: base };
  const text = `${base}. Without effect: ${idle.join(", ")}. See "skillgraph trust".`;
  return { name, status: "warning", text };
}

function checkFiles(settings: Settings): Check[] {
  const { project } = settings;
  const files = [
    { name: "your settings", path: toPersonFile(settings) },
    { name: "project settings", path: join(project, "skillgraph.json") },
  ].map(({ name, path }): Check => {
    return { name, status: "ok", text: existsSync(path) ? path : `none (${path})` };
  });
  return [
    ...files,
    // What is ignored stands with the trust.
    ...[...settings.diagnostics, ...checkRules(settings)]
      .filter(({ code }) => code !== "settings-ignored")
      .map((fault) => toCheck("settings", fault)),
  ];
}

async function checkThreads(settings: Settings, options: SettingsOptions): Promise<Check> {
  try {
    return { name: "threads", status: "ok", text: await describeStore(settings, options) };
  } catch (error) {
    return { name: "threads", status: "error", text: toMessage(error) };
  }
}

function checkPermissions(settings: Settings): Check {
  const { mode, restrict, ...rules } = settings.permissions;
  const person = readSettingsFile(toPersonFile(settings)).settings;
  const counts = (["allow", "ask", "deny"] as const).map((kind) => {
    const all = rules[kind].length;
    const added =
      kind === "allow" ? (person.projects?.[settings.project]?.permissions?.allow?.length ?? 0) : 0;
    return all === 0
      ? `no ${kind}`
      : `${all} ${kind} (${toShares(all, person.permissions?.[kind]?.length ?? 0, added)})`;
  });
  const limit = restrict ? "; skills are limited to their allowed-tools" : "";
  return { name: "permissions", status: "ok", text: `mode ${mode}; rules: ${counts.join(", ")}${limit}` };
}

function toShares(all: number, own: number, added: number): string {
  if (own === all) return "yours";
  const theirs = all - own - added;
  if (theirs === all) return "the project's";
  const shares = [`${own} yours`, `${added} added for this project`, `${theirs} the project's`];
  return shares.filter((share) => !share.startsWith("0 ")).join(", ");
}

function checkSkills(settings: Settings, catalog: Catalog): Check[] {
  const roots = settings.roots.map((root): Check => {
    const count = [...catalog.files.values()].filter(
      ({ file, skill }) => skill && file.root.path === root.path,
    ).length;
    return { name: "skills", status: "ok", text: `${count} in ${root.path} (${toMark(root)})` };
  });
  const faults = catalog.diagnostics.filter(({ severity }) => severity === "error");
  const more = faults.length - MAX_FAULTS;
  const rest = more > 0 ? [`${more} more faults: see "skillgraph list"`] : [];
  return [
    ...roots,
    ...faults
      .slice(0, MAX_FAULTS)
      .map((fault) => ({ ...toCheck("skills", fault), status: "warning" as const })),
    ...rest.map((text) => ({ name: "skills", status: "warning" as const, text })),
    ...checkListing(catalog, settings).map((fault) => toCheck("skills", fault)),
  ];
}

function toMark({ tier, trusted }: SkillRoot): string {
  return trusted ? tier : `${tier}, not trusted`;
}

function toCheck(name: string, { severity, path, line, message }: Diagnostic): Check {
  return { name, status: severity, text: `${path}:${line}: ${message}` };
}

function toPersonFile({ configFolder }: Settings): string {
  return join(configFolder, "settings.json");
}
