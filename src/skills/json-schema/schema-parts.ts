import { isRecord } from "../record.ts";
import type { JsonSchema } from "../stages/stage.ts";

/** How deep a schema is followed, and how many references in a row. */
export const DEPTH_LIMIT = 64;

/** One of several values, and what people call it. */
export interface Choice {
  value: unknown;
  title?: string;
}

/** The schema that a part stands for: itself, or what its reference names. Undefined where there is none. */
export function resolveReference(root: JsonSchema, written: unknown): JsonSchema | undefined {
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

/** The types that a schema takes, its choices included. */
export function listTypes(root: JsonSchema, schema: JsonSchema, depth = 0): Set<string> {
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

/**
 * The values that a schema lets one choose from: `enum`, `const`, or `oneOf` and `anyOf` of nothing but these.
 * Undefined where others fit, too.
 */
export function listChoices(root: JsonSchema, schema: JsonSchema, depth = 0): Choice[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map((value: unknown) => ({ value }));
  if ("const" in schema) {
    const { const: value, title } = schema;
    return [typeof title === "string" ? { value, title } : { value }];
  }
  const branches = [...listSchemas(schema.oneOf), ...listSchemas(schema.anyOf)];
  if (branches.length === 0 || depth > DEPTH_LIMIT) return undefined;
  const choices = branches.map((branch) => {
    const part = resolveReference(root, branch);
    return part === undefined ? undefined : listChoices(root, part, depth + 1);
  });
  return choices.every((each) => each !== undefined) ? choices.flat() : undefined;
}

/** The fields of an object by its schema, those that `allOf` and references add included. */
export function listProperties(
  root: JsonSchema,
  written: unknown,
  depth = 0,
): { properties: Map<string, unknown>; required: Set<string> } {
  const schema = resolveReference(root, written);
  const properties = new Map<string, unknown>();
  const required = new Set<string>();
  if (schema === undefined || depth > DEPTH_LIMIT) return { properties, required };
  const parts = listSchemas(schema.allOf).map((part) => listProperties(root, part, depth + 1));
  for (const part of parts) {
    for (const [name, field] of part.properties) properties.set(name, field);
    for (const name of part.required) required.add(name);
  }
  for (const [name, field] of Object.entries(isRecord(schema.properties) ? schema.properties : {}))
    properties.set(name, field);
  for (const name of Array.isArray(schema.required) ? schema.required : []) required.add(String(name));
  return { properties, required };
}

export function listSchemas(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
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
