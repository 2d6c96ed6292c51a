import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLSeq } from "yaml";
import { depthMessage, measureDepth } from "./depth.ts";
import type { HeaderSource } from "./entries.ts";
import {
  createError,
  createWarning,
  DEPTH_LIMIT,
  foldLines,
  type HeaderFault,
  TEXT_KEYS,
  TYPED_KEYS,
  toReadText,
} from "./fields.ts";
import { toRemovalFix } from "./fix.ts";
import { isLimit, isToolList } from "./limits.ts";
import { isBalanced } from "./tool-entries.ts";
import { type Context, lineAt, rangeOf, spellScalar } from "./yaml-nodes.ts";
import { readText } from "./yaml-text.ts";

/** A header as YAML reads it, without any repair. */
export interface HeaderReading {
  values: Map<string, unknown>;
  /** The line of each key. */
  lines: Map<string, number>;
  faults: HeaderFault[];
  /** Why it is no valid YAML; empty when it is. */
  errors: HeaderFault[];
}

/**
 * Reads a header as strict YAML 1.2. Text keeps the spelling of the file (`007`, `1.10`); only the keys in
 * `TYPED_KEYS` keep YAML's types. Of two equal keys the first one wins.
 *
 * @param source The header without its fences.
 * @param firstLine The line of the file at which the header begins.
 */
export function readHeaderYaml(source: string, firstLine: number): HeaderReading {
  const reading: HeaderReading = { values: new Map(), lines: new Map(), faults: [], errors: [] };
  if (measureDepth(source) > DEPTH_LIMIT) {
    reading.errors.push(createError("header-too-deep", firstLine, depthMessage()));
    return reading;
  }
  // The level is not "silent", because then a second document ("...") would be dropped without an error.
  const document = parseDocument(source, { uniqueKeys: false, prettyErrors: false, logLevel: "error" });
  const written: HeaderSource = { lines: source.split("\n"), firstLine, pending: [] };
  const context: Context = {
    ...{ document, source, written, firstLine },
    ...{ faults: reading.faults, errors: reading.errors, budget: source.length + 1 },
  };
  const fail = (position: number, message: string): void => {
    reading.errors.push(createError("header-unreadable", lineAt(context, position), message));
  };
  for (const error of document.errors) fail(error.pos[0], `The header is not valid YAML: ${error.message}`);
  if (reading.errors.length > 0 || document.contents === null) return reading;
  if (!isMap(document.contents)) {
    if (!isScalar(document.contents) || document.contents.value !== null)
      fail(0, "The header is not a list of keys.");
    return reading;
  }
  try {
    for (const pair of document.contents.items) readPair(context, pair, reading);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reading.errors.push(createError("header-too-deep", firstLine, error.message));
  }
  return reading;
}

/** Whether a piece of a header is valid YAML by itself. */
export function isValidYaml(source: string): boolean {
  return readHeaderYaml(source, 1).errors.length === 0;
}

function readPair(context: Context, pair: Pair, reading: HeaderReading): void {
  const key = spellKey(context, pair.key);
  const line = lineAt(context, rangeOf(pair.key)[0]);
  if (reading.values.has(key)) {
    if (isLimit(key)) {
      const message = `The key "${key}" stands here a second time, and it sets a limit: keep one.`;
      reading.errors.push(createError("header-duplicate-limit", line, message));
      return;
    }
    warnDuplicate(context, key, line, reading.values.get(key));
    return;
  }
  reading.lines.set(key, line);
  reading.values.set(key, readValue(context, key, pair));
}

function readValue(context: Context, key: string, pair: Pair): unknown {
  if (TEXT_KEYS.has(key)) return readText(context, key, pair);
  if (isToolList(key) && isSeq(pair.value)) return readToolList(context, pair.value);
  if (key === "metadata" && isMap(pair.value)) return readMetadata(context, pair.value.items);
  return toValue(context, pair.value, TYPED_KEYS.has(key), 0);
}

// `[Bash(a, b), Read]`: YAML splits at the comma inside the parentheses, so the pieces are joined again.
function readToolList(context: Context, list: YAMLSeq): unknown[] {
  const items: string[] = [];
  let from: number | undefined;
  for (const written of list.items) {
    const item = isAlias(written) ? resolveAlias(context, written) : written;
    const [start, end] = rangeOf(isScalar(item) || isMap(item) || isSeq(item) ? item : undefined);
    const quoted = isScalar(item) && item.type !== "PLAIN";
    const begin = from ?? start;
    const text =
      quoted && from === undefined ? String(item.value) : foldLines([context.source.slice(begin, end)]);
    from = list.flow === true && !isBalanced(text) ? begin : undefined;
    if (from === undefined || written === list.items.at(-1)) items.push(text);
  }
  return items;
}

// "paths: **/*.ts" is the name of something to YAML, and the parser reads a name without its thing as nothing.
function resolveAlias(context: Context, alias: Alias): unknown {
  const node = alias.resolve(context.document);
  if (node !== undefined) return node;
  const line = lineAt(context, rangeOf(alias)[0]);
  const message = `The header is not valid YAML: nothing is called "${alias.source}".`;
  context.errors.push(createError("header-unreadable", line, message));
  return undefined;
}

function readMetadata(context: Context, pairs: Pair[]): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const { key, value } of pairs) {
    const name = spellKey(context, key);
    if (metadata.has(name)) {
      warnDuplicate(context, name, lineAt(context, rangeOf(key)[0]), metadata.get(name));
      continue;
    }
    const [start, end] = rangeOf(value);
    metadata.set(name, isScalar(value) ? spellScalar(value) : context.source.slice(start, end).trim());
  }
  return metadata;
}

function toValue(context: Context, node: unknown, typed: boolean, depth: number): unknown {
  context.budget -= 1;
  if (depth > DEPTH_LIMIT || context.budget < 0) throw new RangeError(depthMessage());
  if (isAlias(node)) return toValue(context, resolveAlias(context, node), typed, depth + 1);
  if (isScalar(node)) return typed ? node.value : spellScalar(node);
  if (isSeq(node)) return node.items.map((item) => toValue(context, item, typed, depth + 1));
  if (!isMap(node)) return typed ? null : "";
  const values = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    const name = spellKey(context, key);
    if (values.has(name)) warnDuplicate(context, name, lineAt(context, rangeOf(key)[0]), values.get(name));
    else values.set(name, toValue(context, value, typed, depth + 1));
  }
  return typed ? Object.fromEntries(values) : values;
}

function warnDuplicate(context: Context, key: string, line: number, first: unknown): void {
  const message = `The key "${key}" stands here a second time; the first one is used.`;
  const fix = toRemovalFix(context.written, key, line);
  context.faults.push(createWarning("header-duplicate-key", line, message, { read: toReadText(first), fix }));
}

function spellKey(context: Context, key: unknown): string {
  if (isScalar(key)) return spellScalar(key);
  const [start, end] = rangeOf(key);
  return context.source.slice(start, end);
}
