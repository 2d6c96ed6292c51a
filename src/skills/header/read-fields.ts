import type { Fix } from "../schema.ts";
import type { HeaderSource } from "./entries.ts";
import { toNameFix, toValueFix } from "./fix.ts";
import { splitToolEntries } from "./tool-entries.ts";

/** Adds a diagnostic at the line of a key, with what was read instead and how the header is mended. */
export type Report = (
  severity: "error" | "warning",
  code: string,
  key: string,
  message: string,
  mending?: { read?: string; fix?: (source: HeaderSource) => Fix | undefined },
) => void;

/** The longest name, in characters (agentskills.io specification, "Frontmatter"). */
export const NAME_LIMIT = 64;

const PLAIN_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const NAME = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u;
// Nothing that a person cannot see may tell two names apart or turn the text around it.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
// Control characters, bidi marks and tag characters steer a terminal or hide words from the reader.
const UNSAFE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}\u{e0000}-\u{e007f}]/gu;

// Most texts hold nothing else, and the expression above costs more than all the rest of a header.
const PLAIN_TEXT = /^[\t\n -~]*$/;

/** The name in NFC, or the folder's name; undefined, with an error, for a name that cannot be used. */
export function readName(value: unknown, folderName: string, report: Report): string | undefined {
  const written = typeof value === "string" ? value.trim().normalize("NFC") : "";
  const folder = folderName.normalize("NFC");
  const name = written === "" ? folder : written;
  // Most names are of this form; a process's first look at the classes of Unicode takes milliseconds.
  if (name === written && name === folder && name.length <= NAME_LIMIT && PLAIN_NAME.test(name)) return name;
  if (INVISIBLE.test(name)) {
    const message = `The name ${escapeInvisible(name)} holds a control, format or invisible character.`;
    report("error", "name-invisible", "name", message);
    return undefined;
  }
  if (name === "" || /[/\\]/.test(name)) {
    report("error", "name-path", "name", `The name "${name}" is empty or holds a slash.`);
    return undefined;
  }
  const isMendable = isGoodName(folder);
  const fix = (source: HeaderSource): Fix | undefined => (isMendable ? toNameFix(source, folder) : undefined);
  if (written === "") {
    const message = `The header has no name; the folder's name "${folder}" is used.`;
    report("warning", "name-missing", "name", message, { read: folder, fix });
  } else if (name !== folder) {
    const message = `The name "${name}" is not the folder's name "${folder}".`;
    report("warning", "name-folder", "name", message, { read: name, fix });
  }
  if (!NAME.test(name)) {
    const message = `The name "${name}" should be lower-case letters and digits, joined by single hyphens.`;
    const isMeant = toSlug(name) === folder;
    report("warning", "name-form", "name", message, { read: name, ...(isMeant && { fix }) });
  }
  if ([...name].length > NAME_LIMIT) {
    report("warning", "name-long", "name", `The name "${name}" is longer than ${NAME_LIMIT} characters.`);
  }
  return name;
}

/** Whether a name needs no warning, whatever folder it stands in. */
function isGoodName(name: string): boolean {
  return NAME.test(name) && [...name].length <= NAME_LIMIT && !INVISIBLE.test(name);
}

function toSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

/** A field of text without characters that steer a terminal; undefined when it is absent or empty. */
export function readText(header: Map<string, unknown>, key: string, report?: Report): string | undefined {
  const value = header.get(key);
  if (typeof value !== "string") return undefined;
  const text = (PLAIN_TEXT.test(value) ? value : value.replace(UNSAFE, "")).trim();
  if (text.length < value.trim().length) {
    const fix = (source: HeaderSource) =>
      toValueFix(source, key, text, undefined, `take the control characters out of "${key}"`);
    const message = `"${key}" holds control characters; they are left out.`;
    report?.("warning", "text-control", key, message, { read: text, fix });
  }
  return text === "" ? undefined : text;
}

/**
 * The entries of a tool list, whatever form it has. An unbalanced entry grants nothing, and forbids the whole
 * tool. Undefined, with an error, when a list of forbidden tools cannot be read.
 */
export function readTools(
  header: Map<string, unknown>,
  key: "allowed-tools" | "disallowed-tools",
  report: Report,
): string[] | undefined {
  const value = header.get(key) ?? "";
  const forbids = key === "disallowed-tools";
  const items = Array.isArray(value) ? value : [value];
  const tools: string[] = [];
  for (const item of items) {
    if (typeof item !== "string") {
      report(forbids ? "error" : "warning", "tools-form", key, `"${key}" is not a list of tool names.`);
      return forbids ? undefined : [];
    }
    for (const entry of splitToolEntries(item)) {
      const text = entry.text.replace(/^(["'`])(.*)\1$/s, "$2");
      const tool = /^[^()]*/.exec(text)?.[0] ?? "";
      if (entry.balanced && tool !== "") {
        tools.push(text);
        continue;
      }
      const effect = forbids && tool !== "" ? `all of ${tool} is forbidden` : "it has no effect";
      const message = `The entry "${text}" of "${key}" is not balanced: ${effect}.`;
      report("warning", "tools-unbalanced", key, message, { read: forbids ? tool : "" });
      if (forbids && tool !== "") tools.push(tool);
    }
  }
  return tools;
}

/** A switch. `unclear` is what a value stands for that is neither yes nor no. */
export function readFlag(
  header: Map<string, unknown>,
  key: string,
  options: { default: boolean; unclear: boolean },
  report: Report,
): boolean {
  const value = header.get(key);
  if (value === undefined || value === null || value === "") return options.default;
  if (["true", "yes", "on", "1"].includes(String(value).toLowerCase())) return true;
  if (isNo(value)) return false;
  const message = `"${key}" should be true or false; read as ${options.unclear}.`;
  report("warning", "flag-form", key, message, { read: String(options.unclear) });
  return options.unclear;
}

/** Whether a switch is off, or says nothing. */
export function isNo(value: unknown): boolean {
  return ["", "false", "no", "off", "0"].includes(String(value ?? "").toLowerCase());
}

/** `metadata` as strings, in the spelling of the file. */
export function readMetadata(value: unknown, report: Report): Record<string, string> {
  if (value === undefined || value === "") return {};
  if (!(value instanceof Map)) {
    report("warning", "metadata-form", "metadata", '"metadata" is not a map of strings; it is left out.');
    return {};
  }
  return Object.fromEntries([...value].map(([key, text]) => [String(key), String(text)]));
}

function escapeInvisible(name: string): string {
  const shown = [...name].map((character) =>
    INVISIBLE.test(character) ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character,
  );
  return `"${shown.join("")}"`;
}
