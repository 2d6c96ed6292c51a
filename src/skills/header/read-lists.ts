import { ARGUMENT_NAME } from "../arguments/argument-names.ts";
import { toReadText } from "./fields.ts";
import type { Report } from "./read-fields.ts";

/**
 * The names of a skill's arguments, from a text or a list. A name that cannot be used keeps its place, as empty
 * text, so that the others still stand for their own words.
 */
export function readArgumentNames(header: Map<string, unknown>, report: Report): string[] {
  const key = "arguments";
  const items = readItems(header.get(key), (text) => text.split(/[\s,]+/));
  if (items === undefined) {
    const message = '"arguments" is not a list of names; it is not read.';
    report("warning", "arguments-form", key, message, { read: "" });
    return [];
  }
  const names: string[] = [];
  const dropped: string[] = [];
  for (const item of items) {
    const name = item.trim();
    const isUsable = ARGUMENT_NAME.test(name) && name !== "ARGUMENTS" && !names.includes(name);
    names.push(isUsable ? name : "");
    if (!isUsable) dropped.push(`"${name}"`);
  }
  if (dropped.length > 0) {
    const rule =
      "a name is letters, digits, _ and -, begins with a letter, stands once, and is not ARGUMENTS";
    const message = `No argument can be named ${dropped.join(", ")}: ${rule}.`;
    const read = names.filter((name) => name !== "").join(" ");
    report("warning", "arguments-form", key, message, { read });
  }
  return names.slice(0, names.findLastIndex((name) => name !== "") + 1);
}

/** The globs of `paths`, from a text parted by commas or a list; undefined when they cannot be read. */
export function readPaths(header: Map<string, unknown>, report: Report): string[] | undefined {
  const items = readItems(header.get("paths"), splitGlobs);
  if (items !== undefined) return items.map((item) => item.trim()).filter((item) => item !== "");
  const message =
    '"paths" is not a list of globs; the skill is not offered to the model, only a person can load it.';
  report("warning", "paths-form", "paths", message, { read: "" });
  return undefined;
}

/** The version in the spelling of the file. */
export function readVersion(
  header: Map<string, unknown>,
  metadata: Record<string, string>,
): string | undefined {
  const beside = header.get("version");
  const below = Object.hasOwn(metadata, "version") ? metadata.version : undefined;
  for (const value of [beside, below]) {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "") return text;
  }
  return undefined;
}

/** Undefined when it is neither a text nor a list of texts. */
function readItems(value: unknown, split: (text: string) => string[]): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") {
    const inner = isBracketed(value.trim()) ? value.trim().slice(1, -1) : value;
    return split(inner)
      .map((item) => item.trim().replace(/^(["'])(.*)\1$/s, "$2"))
      .filter((item) => item !== "");
  }
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) return undefined;
  return value.map(toReadText);
}

/** Whether brackets hold all of a text: a list that YAML could not read. */
function isBracketed(text: string): boolean {
  if (!text.startsWith("[") || !text.endsWith("]")) return false;
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth === 0) return index === [...text].length - 1 && text.includes(",");
  }
  return false;
}

/** Splits at commas that stand outside of braces and brackets: `src/*.{ts,tsx}, docs/**` are two globs. */
function splitGlobs(text: string): string[] {
  const globs: string[] = [""];
  let depth = 0;
  for (const character of text) {
    if (/[{[(]/.test(character)) depth += 1;
    if (/[}\])]/.test(character)) depth = Math.max(0, depth - 1);
    if (/[,\n]/.test(character) && depth === 0) globs.push("");
    else globs[globs.length - 1] += character;
  }
  return globs;
}
