import { isRecord } from "../record.ts";
import type { JsonSchema } from "../stages/stage.ts";

/** How deep a value is followed, and how many references in a row. */
const DEPTH_LIMIT = 64;

const YES = new Set(["true", "yes"]);
const NO = new Set(["false", "no"]);
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/**
 * Reads what a person typed as what the schema wants, and fills in its defaults. What does not fit stays as it
 * is, for the check to name. The given value is not changed.
 */
export function coerceValue(schema: JsonSchema, value: unknown): unknown {
  return coerce({ root: schema, depth: 0 }, schema, value);
}

interface Place {
  root: JsonSchema;
  depth: number;
}

function coerce(place: Place, written: unknown, value: unknown): unknown {
  const schema = resolveReference(place.root, written);
  if (schema === undefined || place.depth > DEPTH_LIMIT) return value;
  const read = typeof value === "string" ? readText(schema, listTypes(place.root, schema), value) : value;
  const inner = { root: place.root, depth: place.depth + 1 };
  const chosen = chooseBranch(place.root, schema, read);
  const parts = [...listSchemas(schema.allOf), ...(chosen === undefined ? [] : [chosen])];
  const own = isRecord(read) ? fillObject(inner, schema, read) : readItems(inner, schema, read);
  return parts.reduce((current: unknown, part) => coerce(inner, part, current), own);
}

function fillObject(place: Place, schema: JsonSchema, value: Record<string, unknown>): unknown {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const entries = new Map<string, unknown>();
  for (const [key, given] of Object.entries(value)) {
    const part = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (isBlank(place.root, part, given)) continue;
    entries.set(key, coerce(place, part, given));
  }
  for (const [key, part] of Object.entries(properties)) {
    const fallback = resolveReference(place.root, part)?.default;
    if (!entries.has(key) && fallback !== undefined) entries.set(key, structuredClone(fallback));
  }
  return Object.fromEntries(entries);
}

function readItems(place: Place, schema: JsonSchema, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return value.map((item, index) => coerce(place, first[index] ?? schema.items, item));
}

/** A field that was left empty, where empty text is no answer. */
function isBlank(root: JsonSchema, written: unknown, value: unknown): boolean {
  if (typeof value !== "string" || value.trim() !== "") return false;
  const schema = resolveReference(root, written);
  if (schema === undefined) return false;
  const types = listTypes(root, schema);
  return types.size > 0 && !types.has("string") && !types.has("null");
}

function readText(schema: JsonSchema, types: Set<string>, text: string): unknown {
  const choices = Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : undefined;
  if (choices?.includes(text) || types.has("string")) return text;
  const choice = choices?.find((each) => typeof each !== "string" && JSON.stringify(each) === text.trim());
  if (choice !== undefined) return choice;
  const word = text.trim();
  if ((types.has("number") || types.has("integer")) && NUMBER.test(word)) return toNumber(word) ?? text;
  if (types.has("boolean") && YES.has(word.toLowerCase())) return true;
  if (types.has("boolean") && NO.has(word.toLowerCase())) return false;
  if (types.has("null") && /^(?:null)?$/.test(word)) return null;
  const [mark] = word;
  if ((mark === "{" && types.has("object")) || (mark === "[" && types.has("array")))
    return parse(word) ?? text;
  return text;
}

/** Undefined for what a number cannot hold: it must not become another one without notice. */
function toNumber(word: string): number | undefined {
  const number = Number(word);
  if (!Number.isFinite(number)) return undefined;
  return /^[-+]?\d+$/.test(word) && !Number.isSafeInteger(number) ? undefined : number;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // It stays text, and the check says that it is no object or list.
  }
}

/** The types that a schema takes, its choices included. */
function listTypes(root: JsonSchema, schema: JsonSchema, depth = 0): Set<string> {
  const own = [schema.type ?? []].flat().filter((type): type is string => typeof type === "string");
  if (own.length > 0 || depth > DEPTH_LIMIT)
    return new Set(schema.nullable === true ? [...own, "null"] : own);
  const branches = [...listSchemas(schema.anyOf), ...listSchemas(schema.oneOf), ...listSchemas(schema.allOf)];
  const types = branches.flatMap((branch) => {
    const part = resolveReference(root, branch);
    return part === undefined ? [] : [...listTypes(root, part, depth + 1)];
  });
  if (types.length > 0) return new Set(types);
  return new Set(isRecord(schema.properties) ? ["object"] : []);
}

/** Of several choices, the only one that takes an object or a list. */
function chooseBranch(root: JsonSchema, schema: JsonSchema, value: unknown): unknown {
  const kind = Array.isArray(value) ? "array" : isRecord(value) ? "object" : undefined;
  if (kind === undefined) return undefined;
  const fitting = [...listSchemas(schema.anyOf), ...listSchemas(schema.oneOf)].filter((branch) => {
    const part = resolveReference(root, branch);
    return part !== undefined && listTypes(root, part).has(kind);
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function resolveReference(root: JsonSchema, written: unknown): JsonSchema | undefined {
  let schema = written;
  for (let steps = 0; steps < DEPTH_LIMIT; steps += 1) {
    if (!isRecord(schema)) return undefined;
    const target = schema.$ref;
    if (typeof target !== "string") return schema;
    if (target !== "#" && !target.startsWith("#/")) return schema;
    schema = followPointer(root, target.slice(1));
  }
  return undefined;
}

function followPointer(root: unknown, pointer: string): unknown {
  let current = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = readStep(step);
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function readStep(step: string): string {
  const text = /%(?![0-9a-f]{2})/i.test(step) ? step : decodeURIComponent(step);
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function listSchemas(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
