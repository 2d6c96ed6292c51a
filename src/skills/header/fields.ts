import type { Fix } from "../schema.ts";
import { LIST_KEYS } from "./limits.ts";

/** A fault or a repair in a header, before it is known which file the header came from. */
export interface HeaderFault {
  /** Stable, kebab-case. */
  code: string;
  severity: "error" | "warning";
  /** One-based line in the file. */
  line: number;
  message: string;
  /** What was read instead, where something was repaired. */
  read?: string;
  /** How `lint --fix` mends it, where it can. */
  fix?: Fix;
}

/** The longest header that is read, in characters, fences not counted. */
export const HEADER_LIMIT = 16 * 1024;

/** The deepest nesting of lists and maps that is read in a header. */
export const DEPTH_LIMIT = 32;

/** Keys whose value is a sentence: ` #` belongs to the text and is no comment. */
export const PROSE_KEYS: ReadonlySet<string> = new Set([
  "description",
  "when_to_use",
  "when-to-use",
  "argument-hint",
  "compatibility",
  "title",
]);

/** Keys whose value is text in the spelling of the file, whatever YAML would make of it. */
export const TEXT_KEYS: ReadonlySet<string> = new Set([
  ...PROSE_KEYS,
  "name",
  "license",
  "model",
  "version",
  "author",
  "gate",
  "check",
]);

/** Keys whose value keeps the types of YAML: switches, numbers, JSON Schema. All others are read as text. */
export const TYPED_KEYS: ReadonlySet<string> = new Set([
  "disable-model-invocation",
  "user-invocable",
  "restrict",
  "max-attempts",
  "output",
  "form",
]);

/** Every key that means something here. */
export const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...TEXT_KEYS,
  ...LIST_KEYS,
  ...TYPED_KEYS,
  "arguments",
  "metadata",
  "mode",
  "needs",
  "paths",
]);

/** What was read in the place of a faulty value, and how the file is mended. */
export interface Mending {
  read?: string | undefined;
  fix?: Fix | undefined;
}

/** A repair, or something that was read in another way than strict YAML would. */
export function createWarning(
  code: string,
  line: number,
  message: string,
  { read, fix }: Mending = {},
): HeaderFault {
  return {
    ...{ code, severity: "warning", line, message },
    ...(read === undefined ? {} : { read: shorten(read) }),
    ...(fix === undefined ? {} : { fix }),
  };
}

/** The longest value that a fault quotes, in characters. */
const READ_LIMIT = 200;

/** A value as a fault quotes it. */
export function shorten(value: string): string {
  const characters = [...value];
  return characters.length > READ_LIMIT ? `${characters.slice(0, READ_LIMIT - 1).join("")}…` : value;
}

/** A value of a header in words. */
export function toReadText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toReadText).join(", ");
  if (value instanceof Map) return [...value].map(([key, each]) => `${key}: ${toReadText(each)}`).join(", ");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A fault because of which the header is not used. */
export function createError(code: string, line: number, message: string): HeaderFault {
  return { code, severity: "error", line, message };
}

/** Joins wrapped lines as YAML folds plain text: a line break is a blank, an empty line a line break. */
export function foldLines(lines: string[]): string {
  return lines
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replace(/(\n+)/g, (breaks) => (breaks.length === 1 ? " " : breaks.slice(1)));
}
