import { readFileSync } from "node:fs";
import { SkillgraphError, toMessage } from "../../errors.ts";
import { isRecord } from "../../skills/record.ts";
import type { Diagnostic } from "../../skills/schema.ts";

/** `auto`: commands are confined where it works · `required`: none runs without · `off`. */
export type SandboxMode = "auto" | "required" | "off";

/** A settings file, checked. Every key is optional. */
export interface SettingsFile {
  model?: string;
  /** Names that skills may use for models, for example `{"sonnet": "gpt-5"}`. */
  models?: Record<string, string>;
  baseUrl?: string;
  systemPrompt?: string;
  checkpoint?: string;
  maxSteps?: number;
  permissions?: { allow?: string[]; ask?: string[]; deny?: string[] };
  /** A mode alone, or with what commands may reach. */
  sandbox?: SandboxMode | { mode?: SandboxMode; network?: boolean; writable?: string[] };
  webFetch?: { privateHosts?: string[] };
  /** Of the person's file only: rules for one project, by its real path. */
  projects?: Record<string, { permissions?: { allow?: string[] } }>;
  skills?: {
    roots?: string[];
    restrict?: boolean;
    /** Characters that the catalog may take of a request. */
    budget?: number;
    /** Where the model reads the catalog. */
    catalog?: "tool" | "system-prompt";
    /** What becomes of an active skill whose files changed since it was loaded. */
    drift?: "pin" | "ask" | "refresh";
    /** Names of skills that are never offered. */
    disabled?: string[];
    /** Folders of one root that are searched at most. */
    maxFolders?: number;
  };
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isFlag: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isOneOf =
  (...choices: string[]): Check =>
  (value) =>
    choices.includes(String(value));
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
/** With a scheme, a path, a user name or a wildcard it would match no host. */
const isHosts: Check = (value) =>
  isTexts(value) &&
  (value as string[]).every((host) => /^(?:\[[\da-f:.]+\]|[^\s/*@:[\]]+)(?::\d+)?$/i.test(host));

const isSandboxMode = isOneOf("auto", "required", "off");
const isProjectRules: Check = (value) =>
  isRecord(value) &&
  Object.keys(value).every((key) => key === "permissions") &&
  (value.permissions === undefined ||
    (isRecord(value.permissions) && isTexts(value.permissions.allow ?? [])));

/** What each key must hold. A schema library would cost every `list` its loading time. */
const KEYS = new Map<string, { check: Check; wants: string }>([
  ["model", { check: isText, wants: "a model name" }],
  [
    "models",
    {
      check: (value) => isRecord(value) && Object.values(value).every(isText),
      wants: "an object of model names",
    },
  ],
  ["baseUrl", { check: isText, wants: "a URL" }],
  ["systemPrompt", { check: isText, wants: "a text" }],
  ["checkpoint", { check: isText, wants: "a checkpoint URL" }],
  ["maxSteps", { check: isCount, wants: "a whole number above 0" }],
  ["permissions", { check: isRecord, wants: "an object with allow, ask and deny" }],
  ["permissions.allow", { check: isTexts, wants: "a list of rules" }],
  ["permissions.ask", { check: isTexts, wants: "a list of rules" }],
  ["permissions.deny", { check: isTexts, wants: "a list of rules" }],
  [
    "sandbox",
    {
      check: (value) => isRecord(value) || isSandboxMode(value),
      wants: "auto, required or off, or an object with mode, network and writable",
    },
  ],
  ["sandbox.mode", { check: isSandboxMode, wants: "auto, required or off" }],
  ["sandbox.network", { check: isFlag, wants: "true or false" }],
  ["sandbox.writable", { check: isTexts, wants: "a list of folders" }],
  ["webFetch", { check: isRecord, wants: "an object with privateHosts" }],
  ["webFetch.privateHosts", { check: isHosts, wants: "a list of hosts such as localhost:3000" }],
  [
    "projects",
    {
      check: (value) => isRecord(value) && Object.values(value).every(isProjectRules),
      wants: 'an object of {"permissions": {"allow": [rules]}} by the path of the project',
    },
  ],
  [
    "skills",
    {
      check: isRecord,
      wants: "an object with roots, restrict, budget, catalog, drift, disabled and maxFolders",
    },
  ],
  ["skills.roots", { check: isTexts, wants: "a list of folders" }],
  ["skills.budget", { check: isCount, wants: "a whole number above 0" }],
  ["skills.catalog", { check: isOneOf("tool", "system-prompt"), wants: "tool or system-prompt" }],
  ["skills.drift", { check: isOneOf("pin", "ask", "refresh"), wants: "pin, ask or refresh" }],
  ["skills.disabled", { check: isTexts, wants: "a list of skill names" }],
  ["skills.maxFolders", { check: isCount, wants: "a whole number above 0" }],
  ["skills.restrict", { check: isFlag, wants: "true or false" }],
]);

/**
 * Reads a settings file; a file that is not there has no settings.
 *
 * @throws SkillgraphError `settings-invalid` for what is no JSON or holds a value of the wrong kind: a
 * permission rule must never be lost silently.
 */
export function readSettingsFile(path: string): { settings: SettingsFile; diagnostics: Diagnostic[] } {
  const text = readText(path);
  if (text === undefined) return { settings: {}, diagnostics: [] };
  const value = parse(text, path);
  const diagnostics: Diagnostic[] = [];
  checkKeys(value, "", path, diagnostics);
  return { settings: value as SettingsFile, diagnostics };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new SkillgraphError("settings-invalid", `Cannot read ${path}: ${toMessage(error)}.`, {
      cause: error,
    });
  }
}

function parse(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const line = findLooseComma(text);
    const message =
      line === undefined
        ? `${path} is no JSON: ${toMessage(error)}.`
        : `${path}:${line}: This is no JSON: nothing follows the comma at the end of the line.`;
    throw new SkillgraphError("settings-invalid", message, { cause: error });
  }
  if (isRecord(value)) return value;
  throw new SkillgraphError("settings-invalid", `${path} must hold a JSON object.`);
}

/** The line of a comma before a closing bracket: what is left when the last rule of a list is removed. */
function findLooseComma(text: string): number | undefined {
  const blanked = text.replace(/"(?:\\.|[^"\\\n])*"/g, (string) => "x".repeat(string.length));
  const at = /,\s*[\]}]/.exec(blanked)?.index;
  return at === undefined ? undefined : blanked.slice(0, at).split("\n").length;
}

function checkKeys(
  value: Record<string, unknown>,
  prefix: string,
  path: string,
  diagnostics: Diagnostic[],
): void {
  for (const [name, entry] of Object.entries(value)) {
    const key = KEYS.get(prefix + name);
    if (!key) {
      if (name === "$schema") continue;
      diagnostics.push({
        code: "unknown-setting",
        severity: "warning",
        path,
        line: 1,
        message: `Unknown setting "${prefix}${name}". Known: ${listKeys(prefix)}.`,
      });
      continue;
    }
    if (!key.check(entry)) {
      const shown = JSON.stringify(entry).slice(0, 80);
      throw new SkillgraphError(
        "settings-invalid",
        `${path}: "${prefix}${name}" is ${shown}, not ${key.wants}.`,
      );
    }
    const isParent = [...KEYS.keys()].some((each) => each.startsWith(`${prefix}${name}.`));
    if (isParent && isRecord(entry)) checkKeys(entry, `${prefix}${name}.`, path, diagnostics);
  }
}

function listKeys(prefix: string): string {
  return [...KEYS.keys()]
    .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes("."))
    .map((key) => key.slice(prefix.length))
    .join(", ");
}
