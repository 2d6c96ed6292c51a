import { isRecord } from "../skills/record.ts";
import { parseJson } from "./json-text.ts";
import { toSafeLines, toSafeText } from "./safe-text.ts";

/** Longest object that is shown on one line, in characters. */
const LINE_LIMIT = 160;

/** Named values for people: every key, texts as they are, an object of a list on one line where it fits. */
export function renderValues(values: Record<string, unknown>, margin: string): string[] {
  return Object.entries(values).flatMap(([key, value]) => renderValue(`${toKey(key)}:`, value, margin));
}

function renderValue(label: string, value: unknown, margin: string): string[] {
  if (typeof value === "string" && value.includes("\n")) {
    return [`${margin}${label}`, ...toSafeLines(value.replace(/\n$/, ""), `${margin}  `)];
  }
  if (!isNested(value)) return toSafeLines(`${label} ${toScalar(value)}`, margin);
  const line = toLine(value);
  if (line !== undefined) return toSafeLines(`${label} ${line}`, margin);
  const inner = `${margin}  `;
  if (!Array.isArray(value)) return [`${margin}${label}`, ...renderValues(value, inner)];
  return [`${margin}${label}`, ...value.flatMap((entry) => renderValue("-", entry, inner))];
}

/** `{from: a.md, to: b.md}`, or undefined for what takes more than a line. A list of a top key has a line an entry. */
function toLine(value: unknown[] | Record<string, unknown>): string | undefined {
  const entries = Array.isArray(value) ? value : Object.values(value);
  if (entries.length === 0) return Array.isArray(value) ? "[]" : "{}";
  if (Array.isArray(value) || entries.some((entry) => isNested(entry) || hasBreak(entry))) return undefined;
  const parts = Object.entries(value).map(([key, entry]) => `${toKey(key)}: ${toWord(entry)}`);
  const line = `{${parts.join(", ")}}`;
  return line.length <= LINE_LIMIT ? line : undefined;
}

function isNested(value: unknown): value is unknown[] | Record<string, unknown> {
  return Array.isArray(value) || isRecord(value);
}

function hasBreak(value: unknown): boolean {
  return typeof value === "string" && value.includes("\n");
}

/** A text that reads like another type, or like nothing, is quoted. */
function toScalar(value: unknown): string {
  if (typeof value !== "string") return String(JSON.stringify(value));
  return parseJson(value) === undefined && value.trim() === value && value !== ""
    ? value
    : JSON.stringify(value);
}

/** On a line with others, a text that could be taken for more than one is quoted. */
function toWord(value: unknown): string {
  return typeof value === "string" && /[,:{}"]/.test(value) ? JSON.stringify(value) : toScalar(value);
}

/** A key is a word; one with signs in it is quoted, so that it cannot pass for a line of its own. */
function toKey(key: string): string {
  return /^[\p{L}\p{N}_.$-][\p{L}\p{N}_.$ -]*$/u.test(key) ? key : toSafeText(JSON.stringify(key));
}
