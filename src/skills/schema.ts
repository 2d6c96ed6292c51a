import type { Frontmatter } from "./frontmatter.ts";
import { shorten } from "./header/fields.ts";
import { type Report, readFlag, readMetadata, readName, readText, readTools } from "./header/read-fields.ts";
import { readArgumentNames, readPaths, readVersion } from "./header/read-lists.ts";
import { readMisspelledKeys } from "./header/spelling.ts";

export { NAME_LIMIT } from "./header/read-fields.ts";

/** How strong the place is that a skill came from; see {@link SkillRoot}. */
export type SkillTier = "flag" | "project" | "user" | "bundled";

/** A folder that is searched for skills. Earlier roots win over later ones when two skills share a name. */
export interface SkillRoot {
  path: string;
  tier: SkillTier;
  /** Skills from an untrusted root load only after consent and grant nothing. */
  trusted: boolean;
}

/** What is kept of a skill while it is not chosen: its header. The instructions stay on disk. */
export interface Skill {
  /** NFC, as the header says, or the folder's name where the header says none. */
  name: string;
  description: string;
  /** Absolute path of the SKILL.md, as it was found. */
  path: string;
  /** Real path of the skill's folder. */
  directory: string;
  /** The root it was found under. */
  source: string;
  tier: SkillTier;
  trusted: boolean;
  /** Entries of `allowed-tools`, split but not yet read as rules. */
  allowedTools: string[];
  /** Entries of `disallowed-tools`. */
  disallowedTools: string[];
  model?: string;
  argumentHint?: string;
  license?: string;
  compatibility?: string;
  metadata: Record<string, string>;
  /** False for `disable-model-invocation: true`, and where `paths` cannot be read: only a person can load it. */
  modelInvocable: boolean;
  /** False for `user-invocable: false`: no `/name`. */
  userInvocable: boolean;
  /** Names from `arguments`: `$name` stands for the word at its place. */
  argumentNames: string[];
  /** True for `mode: true`: listed before the others. */
  mode: boolean;
  /** Globs from `paths`: the model is told of the skill once a file that fits is worked with; empty for always. */
  paths: string[];
  version?: string;
}

/** Lines to put in the place of others. */
export interface TextEdit {
  /** One-based; the first line that is replaced, or before which the text goes when `count` is 0. */
  line: number;
  /** Lines that are replaced. */
  count: number;
  /** The new lines, without a line break at the end; nothing when the lines go. */
  text?: string;
}

/** How a fault is mended without a person. */
export interface Fix {
  /** What is done, in a few words: `put the description in quotes`. */
  description: string;
  /** Changes of the file, in its order. */
  edits: TextEdit[];
  /** A new name for the file. */
  rename?: string;
}

/** A fault in a file that was read. It never stops the reading of the others. */
export interface Diagnostic {
  /** Stable, kebab-case. */
  code: string;
  severity: "error" | "warning";
  path: string;
  /** One-based; 1 where the whole file is meant. */
  line: number;
  message: string;
  /** What was read instead, where something was repaired. */
  read?: string;
  /** How `lint --fix` mends it, where it can. */
  fix?: Fix;
}

/** The longest description, in characters (agentskills.io specification, "Frontmatter"). */
export const DESCRIPTION_LIMIT = 1024;

/** The longest note on compatibility, in characters (agentskills.io specification, "Frontmatter"). */
const COMPATIBILITY_LIMIT = 500;

/** Where a SKILL.md was found. */
export type SkillPlace = Pick<Skill, "path" | "directory" | "source" | "tier" | "trusted"> & {
  /** Name of the folder as it was found, not of what a link points to. */
  folderName: string;
};

/**
 * Turns a header into a skill. What cannot be read never widens what the skill may do: an unreadable header,
 * name or limit refuses the skill, an unreadable grant grants nothing.
 *
 * @param frontmatter From `parseFrontmatter`.
 * @param place Where the file was found.
 * @returns No `skill` when it was refused; `diagnostics` say why, and what was repaired.
 */
export function parseHeader(
  frontmatter: Frontmatter,
  place: SkillPlace,
): { skill?: Skill; diagnostics: Diagnostic[] } {
  const { faults, readable, source } = frontmatter;
  // What is read of them may stand under other keys than in the file.
  const [header, keyLines] = [new Map(frontmatter.header), new Map(frontmatter.keyLines)];
  const { path, directory, tier, trusted, folderName } = place;
  const diagnostics: Diagnostic[] = faults.map((fault) => ({ ...fault, path }));
  const report: Report = (severity, code, key, message, { read, fix: toFix } = {}) => {
    const fix = toFix?.(source);
    diagnostics.push({
      ...{ code, severity, path, line: keyLines.get(key) ?? 1, message },
      ...(read === undefined ? {} : { read: shorten(read) }),
      ...(fix === undefined ? {} : { fix }),
    });
  };
  if (!readable) return { diagnostics };
  readMisspelledKeys(header, keyLines, report);

  const name = readName(header.get("name"), folderName, report);
  const description = readDescription(header, report);
  const allowedTools = readTools(header, "allowed-tools", report);
  const disallowedTools = readTools(header, "disallowed-tools", report);
  const compatibility = readText(header, "compatibility");
  if (compatibility !== undefined && compatibility.length > COMPATIBILITY_LIMIT) {
    report("warning", "compatibility-long", "compatibility", tooLong("compatibility", COMPATIBILITY_LIMIT));
  }
  const model = readText(header, "model");
  const license = readText(header, "license");
  const metadata = readMetadata(header.get("metadata"), report);
  // The specification knows the key in metadata only; clients write it beside the name.
  const argumentHint = readText(header, "argument-hint") ?? readOwn(metadata, "argument-hint");
  const disabled = readFlag(header, "disable-model-invocation", { default: false, unclear: true }, report);
  const userInvocable = readFlag(header, "user-invocable", { default: true, unclear: true }, report);
  const mode = readFlag(header, "mode", { default: false, unclear: false }, report);
  const argumentNames = readArgumentNames(header, report);
  const paths = readPaths(header, report);
  const version = readVersion(header, metadata);
  if (name === undefined || description === undefined) return { diagnostics };
  if (allowedTools === undefined || disallowedTools === undefined) return { diagnostics };

  const skill: Skill = {
    name,
    description,
    path,
    directory,
    source: place.source,
    tier,
    trusted,
    allowedTools,
    disallowedTools,
    ...(model !== undefined && { model }),
    ...(argumentHint !== undefined && { argumentHint }),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    metadata,
    // Nobody knows when the model was meant to be told of it.
    modelInvocable: !disabled && paths !== undefined,
    userInvocable,
    argumentNames,
    mode,
    paths: paths ?? [],
    ...(version !== undefined && { version }),
  };
  return { skill, diagnostics };
}

function readOwn(metadata: Record<string, string>, key: string): string | undefined {
  const value = Object.hasOwn(metadata, key) ? metadata[key]?.trim() : undefined;
  return value === "" ? undefined : value;
}

function readDescription(header: Map<string, unknown>, report: Report): string | undefined {
  const what = readText(header, "description", report);
  const whenKey = header.has("when_to_use") ? "when_to_use" : "when-to-use";
  const when = readText(header, whenKey, report);
  const description = [what, when].filter((part) => part !== undefined).join(" - ");
  if (description === "") {
    report("error", "description-missing", "description", "The skill has no description to choose it by.");
    return undefined;
  }
  if (description.length > DESCRIPTION_LIMIT) {
    report("warning", "description-long", "description", tooLong("description", DESCRIPTION_LIMIT));
  }
  return description;
}

function tooLong(key: string, limit: number): string {
  return `The ${key} is longer than the ${limit} characters that the specification allows.`;
}
