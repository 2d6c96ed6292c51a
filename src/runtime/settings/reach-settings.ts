import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { toRealPath } from "../../permissions/places/real-path.ts";
import { isRecord } from "../../skills/record.ts";
import type { Diagnostic } from "../../skills/schema.ts";
import type { SandboxMode, SettingsFile } from "./settings-file.ts";

/** Whether and how commands are confined. */
export interface SandboxSettings {
  /** `auto`: where it works · `required`: no command runs without · `off`. */
  mode: SandboxMode;
  /** Whether commands reach the network. Default false. */
  network: boolean;
  /** Real folders that commands may write beside the workspace. */
  writable: string[];
  from: "default" | "flag" | "settings";
}

/** A settings file that counts, and the folder that its relative paths start from. */
interface Source {
  settings: SettingsFile;
  folder: string;
}

/**
 * What commands may reach. Flags beat the person, who beats the project; of a project that is not trusted only
 * `required` counts, since it only tightens.
 */
export function pickSandbox(
  flag: SandboxMode | undefined,
  person: Source,
  project: Source & { trusted: boolean },
): SandboxSettings {
  const mine = readSandbox(person);
  const theirs = readSandbox(project);
  const tightens = !project.trusted && theirs.mode === "required";
  const full = project.trusted ? { ...theirs, ...mine } : mine;
  const set = flag ?? (tightens ? "required" : full.mode);
  return {
    mode: set ?? "auto",
    network: full.network ?? false,
    writable: full.writable ?? [],
    from: flag !== undefined ? "flag" : set === undefined ? "default" : "settings",
  };
}

/** Hosts that a person, or a project they trust, lets be fetched from although their addresses are private. */
export function pickPrivateHosts(person: SettingsFile, project: SettingsFile, trusted: boolean): string[] {
  const hosts = [
    ...(person.webFetch?.privateHosts ?? []),
    ...(trusted ? (project.webFetch?.privateHosts ?? []) : []),
  ];
  return [...new Set(hosts.map((host) => host.toLowerCase()))];
}

/** Folders of `sandbox.writable` that are not there, and so cannot be written. */
export function checkWritable({ settings, folder }: Source, file: string): Diagnostic[] {
  const { sandbox } = settings;
  const named = isRecord(sandbox) ? (sandbox.writable ?? []) : [];
  return named
    .map((name) => ({ name, place: resolve(folder, name) }))
    .filter(({ place }) => !existsSync(place))
    .map(({ name, place }) => {
      const message = `"${name}" in sandbox.writable is not there: ${place}.`;
      return { code: "settings-folder", severity: "warning", path: join(folder, file), line: 1, message };
    });
}

function readSandbox({ settings, folder }: Source): Partial<Omit<SandboxSettings, "from">> {
  const { sandbox } = settings;
  if (sandbox === undefined) return {};
  if (!isRecord(sandbox)) return { mode: sandbox };
  const { writable, ...rest } = sandbox;
  if (writable === undefined) return rest;
  const paths = writable.map((path) => toRealPath(resolve(folder, path))).filter((path) => existsSync(path));
  return { ...rest, writable: paths };
}
