import { DEPTH_LIMIT, TYPED_KEYS } from "./fields.ts";
import type { HeaderReading } from "./yaml.ts";

// Without control characters and line ends of any standard.
const TEXT = "[^\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff]";
const DOUBLE_QUOTED = `"((?:(?!["\\\\])${TEXT})*)"`;
const SINGLE_QUOTED = `'((?:(?!')${TEXT})*)'`;
// Only signs of ASCII mean something to YAML at the beginning of a text.
const UNQUOTED = `((?=[^\\0-\\x7f]|[\\w.$(/<])${TEXT}+)`;
const ENTRY = new RegExp(
  `^( *)([A-Za-z_][\\w-]{0,63}):(?: +(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${UNQUOTED}))?$`,
);
/** A second colon, a comment, or a blank that YAML might drop. */
const UNCLEAR = /: | #|[\s:]$/;
const NULL = /^null$/i;

/**
 * Reads a header that is nothing but lines of a key and a text, with a map of such lines under `metadata` at most.
 * Most headers are, and YAML has one reading for them. The whole parser takes many times longer.
 *
 * @returns what `readHeaderYaml` returns for it; undefined for every other header
 */
export function readPlainHeader(source: string, firstLine: number): HeaderReading | undefined {
  // The whole parser counts brackets, whatever they mean.
  if ((source.match(/[[{]/g)?.length ?? 0) > DEPTH_LIMIT) return undefined;
  const values = new Map<string, unknown>();
  const lines = new Map<string, number>();
  const metadata = new Map<string, string>();
  let inner: string | undefined;
  let isInMetadata = false;
  for (const [index, line] of source.split("\n").entries()) {
    if (line === "") continue;
    const entry = readEntry(line);
    if (entry === undefined) return undefined;
    const { indent, key, text } = entry;
    if (indent !== "") {
      inner ??= indent;
      if (!isInMetadata || indent !== inner || text === undefined || metadata.has(key)) return undefined;
      metadata.set(key, text);
      continue;
    }
    if (values.has(key)) return undefined;
    isInMetadata = text === undefined;
    const value = isInMetadata ? metadata : toValue(key, entry);
    if (value === undefined || (isInMetadata && key !== "metadata")) return undefined;
    values.set(key, value);
    lines.set(key, firstLine + index);
  }
  const isComplete = values.size > 0 && (values.get("metadata") !== metadata || metadata.size > 0);
  return isComplete ? { values, lines, faults: [], errors: [] } : undefined;
}

interface PlainEntry {
  indent: string;
  key: string;
  /** Absent when nothing follows the colon. */
  text: string | undefined;
  isQuoted: boolean;
}

function readEntry(line: string): PlainEntry | undefined {
  const match = ENTRY.exec(line);
  if (match === null) return undefined;
  const [, indent = "", key = "", doubleQuoted, singleQuoted, unquoted] = match;
  if (NULL.test(key)) return undefined;
  if (unquoted !== undefined && (UNCLEAR.test(unquoted) || NULL.test(unquoted))) return undefined;
  return { indent, key, text: doubleQuoted ?? singleQuoted ?? unquoted, isQuoted: unquoted === undefined };
}

function toValue(key: string, { text, isQuoted }: PlainEntry): string | boolean | undefined {
  if (!TYPED_KEYS.has(key)) return text;
  if (isQuoted || (text !== "true" && text !== "false")) return undefined;
  return text === "true";
}
