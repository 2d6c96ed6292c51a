import { findSpelling } from "../header/limits.ts";
import { isRecord } from "../record.ts";

/** The deepest nesting of a schema. */
const DEPTH_LIMIT = 32;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

const ONE = [
  ...["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems"],
];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const RULES = [
  ...["type", "enum", "const", "$ref", "$dynamicRef", "required", "dependentRequired", "pattern", "format"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties"],
];
const NOTES = [
  ...["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"],
  ...["nullable", "contentEncoding", "contentMediaType"],
];
/** Words about the schema itself. */
const CORE = ["$schema", "$id", "$ref", "$defs", "$anchor", "$comment", "$dynamicRef", "$dynamicAnchor"];
const ASSERTIONS: ReadonlySet<string> = new Set([...ONE, ...MAPS, ...LISTS, ...RULES]);
const KEYWORDS: ReadonlySet<string> = new Set([...ASSERTIONS, ...NOTES]);
/** An "id" is hardly an "if". */
const LONG_WORDS = [...KEYWORDS, ...CORE].filter((word) => word.length > 3);

/**
 * What in a schema would be ignored, or would lead out of it, without anyone noticing: misplaced fields, unknown
 * types, patterns that are none, references to elsewhere.
 */
export function findKeywordFault(schema: unknown): string | undefined {
  if (isRecord(schema)) return findIn(schema, [], 0);
  return `The schema must be an object, not ${preview(schema)}.`;
}

/**
 * What checks nothing in a schema that is valid: keywords and formats that nobody knows and that are spelled nearly like
 * known ones. Others may be notes of another program.
 *
 * @param formats Names of the formats that are checked.
 */
export function listIdleWords(
  schema: Record<string, unknown>,
  formats: readonly string[],
  path: string[] = [],
): string[] {
  const { format } = schema;
  const idle = Object.keys(schema).flatMap((key) => {
    if (KEYWORDS.has(key) || CORE.includes(key)) return [];
    const meant = findSpelling(key, LONG_WORDS);
    const what = `${place([...path, key])} is no keyword and checks nothing`;
    return meant === undefined ? [] : [`${what}. Did you mean "${meant}"?`];
  });
  if (typeof format === "string" && !formats.includes(format)) {
    idle.push(
      `the format ${preview(format)} of ${place([...path, "format"])} is not known and checks nothing.`,
    );
  }
  const parts = listParts(schema, path).filter(({ part }) => isRecord(part));
  return [
    ...idle,
    ...parts.flatMap((each) => listIdleWords(each.part as Record<string, unknown>, formats, each.path)),
  ];
}

/** The pattern as JSON Schema wants it, else as most people write it: `[\w\-]` is no pattern in Unicode mode. */
export function toPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Throws again when it is no pattern in either mode.
    return new RegExp(pattern);
  }
}

/** A value in a few words of JSON. */
export function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function findIn(schema: Record<string, unknown>, path: string[], depth: number): string | undefined {
  if (depth > DEPTH_LIMIT) return `The schema is nested more than ${DEPTH_LIMIT} levels deep.`;
  return (
    findMisplaced(schema, path) ??
    findBadType(schema, path) ??
    findBadReference(schema, path) ??
    findBadPattern(schema, path) ??
    findBadValue(schema, path) ??
    findInParts(schema, path, depth + 1)
  );
}

/** Values that would come into a thread by themselves, and that no thread can keep. */
function findBadValue(schema: Record<string, unknown>, path: string[]): string | undefined {
  const bad = ["default", "const", "enum"].find(
    (key) => Object.hasOwn(schema, key) && !isPlain(schema[key], 0),
  );
  if (bad === undefined) return undefined;
  return `${place([...path, bad])} must be plain JSON, without the key "lc" and nested at most ${DEPTH_LIMIT} levels.`;
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value === null || typeof value !== "function";
  if (depth > DEPTH_LIMIT || Object.hasOwn(value, "lc")) return false;
  return Object.values(value).every((part) => isPlain(part, depth + 1));
}

// `output: {version: {type: string}}` is valid and means nothing: the fields belong under "properties".
function findMisplaced(schema: Record<string, unknown>, path: string[]): string | undefined {
  const unknown = Object.keys(schema).filter((key) => !KEYWORDS.has(key) && !/^\$|^x-/.test(key));
  const isEmpty = !Object.keys(schema).some((key) => ASSERTIONS.has(key));
  const field = unknown.find((key) => isEmpty || looksLikeSchema(schema[key]));
  if (field === undefined) return undefined;
  return `${place([...path, field])} is no keyword of JSON Schema; fields stand under "properties".`;
}

function findBadType({ type }: Record<string, unknown>, path: string[]): string | undefined {
  if (type === undefined) return undefined;
  const bad = (Array.isArray(type) ? type : [type]).find((each) => !TYPES.includes(each as string));
  if (bad === undefined) return undefined;
  const hint = bad === null ? ' Put "null" in quotes.' : "";
  return `${place([...path, "type"])} must be one of ${TYPES.join(", ")}, not ${preview(bad)}.${hint}`;
}

function findBadReference(schema: Record<string, unknown>, path: string[]): string | undefined {
  for (const key of ["$ref", "$dynamicRef"]) {
    const target = schema[key];
    if (target === undefined || (typeof target === "string" && target.startsWith("#"))) continue;
    return `${place([...path, key])} must lead to a place in the schema itself, such as "#/$defs/x", not to ${preview(target)}.`;
  }
  if (path.length === 0 || schema.$id === undefined) return undefined;
  return `${place([...path, "$id"])} is not supported; only the whole schema may have an "$id".`;
}

function findBadPattern(schema: Record<string, unknown>, path: string[]): string | undefined {
  const { pattern, patternProperties } = schema;
  const written: [string, unknown][] = [
    ...(pattern === undefined ? [] : [["pattern", pattern] as [string, unknown]]),
    ...(isRecord(patternProperties)
      ? Object.keys(patternProperties).map((key): [string, unknown] => ["patternProperties", key])
      : []),
  ];
  for (const [key, text] of written) {
    if (typeof text === "string" && isPattern(text)) continue;
    return `${place([...path, key])} must be a regular expression, not ${preview(text)}.`;
  }
  return undefined;
}

function findInParts(schema: Record<string, unknown>, path: string[], depth: number): string | undefined {
  for (const { path: where, part } of listParts(schema, path)) {
    if (!isRecord(part)) return `${place(where)} must be a schema, not ${preview(part)}.`;
    const fault = findIn(part, where, depth);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The schemas that a schema is made of, each with its place. */
function listParts(schema: Record<string, unknown>, path: string[]): { path: string[]; part: unknown }[] {
  const parts: [string[], unknown][] = [
    ...ONE.filter((key) => key in schema).map((key): [string[], unknown] => [[key], schema[key]]),
    ...MAPS.flatMap((key) =>
      listEntries(schema[key]).map(([name, part]): [string[], unknown] => [[key, name], part]),
    ),
    ...LISTS.flatMap((key) =>
      listItems(schema[key]).map((part, index): [string[], unknown] => [[key, `${index}`], part]),
    ),
  ];
  return (
    parts
      // A list under "items" is left to the dialect's own schema to refuse.
      .filter(([[key], part]) => typeof part !== "boolean" && !(key === "items" && Array.isArray(part)))
      .map(([keys, part]) => ({ path: [...path, ...keys], part }))
  );
}

function looksLikeSchema(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { type } = value;
  return TYPES.includes(type as string) || Array.isArray(value.enum) || isRecord(value.properties);
}

function isPattern(text: string): boolean {
  try {
    toPattern(text);
    return true;
  } catch {
    return false; // The caller says where.
  }
}

function listEntries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function listItems(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function place(path: string[]): string {
  return `"${path.join(".")}"`;
}
