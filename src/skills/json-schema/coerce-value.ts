import { isRecord } from "../record.ts";
import type { JsonSchema } from "../stages/stage.ts";
import {
  type Choice,
  DEPTH_LIMIT,
  listChoices,
  listSchemas,
  listTypes,
  resolveReference,
} from "./schema-parts.ts";

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
  const read = typeof value === "string" ? readText(place.root, schema, value) : value;
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

function readText(root: JsonSchema, schema: JsonSchema, text: string): unknown {
  const types = listTypes(root, schema);
  const choice = findChoice(listChoices(root, schema) ?? [], text);
  if (choice) return choice.value;
  const word = text.trim();
  if (types.has("string")) return schema.format === "date" ? word : text;
  if ((types.has("number") || types.has("integer")) && NUMBER.test(word)) return toNumber(word) ?? text;
  if (types.has("boolean") && YES.has(word.toLowerCase())) return true;
  if (types.has("boolean") && NO.has(word.toLowerCase())) return false;
  if (types.has("null") && /^(?:null)?$/.test(word)) return null;
  const [mark] = word;
  if ((mark === "{" && types.has("object")) || (mark === "[" && types.has("array")))
    return parse(word) ?? text;
  return types.has("array") && mark !== "{" && mark !== "[" ? splitList(root, schema, word) : text;
}

/** The value that a person means: itself, its JSON, or what it is called. */
function findChoice(choices: Choice[], text: string): Choice | undefined {
  const word = text.trim();
  const isMeant = ({ value }: Choice) =>
    typeof value === "string" ? value === word : JSON.stringify(value) === word;
  return (
    choices.find(({ value }) => value === text) ??
    choices.find(isMeant) ??
    choices.find(({ title }) => title?.toLowerCase() === word.toLowerCase())
  );
}

/** Several values on one line, with commas; choices also one on each of several lines. */
function splitList(root: JsonSchema, { items }: JsonSchema, text: string): unknown {
  const item = resolveReference(root, items);
  const types = item === undefined ? new Set<string>() : listTypes(root, item);
  if (types.has("object") || types.has("array")) return text;
  const choices = item && listChoices(root, item);
  if (choices?.some(({ value, title }) => value === text || title === text)) return [text];
  // Lines of free text are prose, or what a program printed before its result.
  if (choices === undefined && /\n/.test(text)) return text;
  return text
    .split(/\n/.test(text) ? /\r?\n/ : ",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
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
