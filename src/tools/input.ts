import { z } from "zod";
import { isRecord } from "../skills/record.ts";

/**
 * A tool's input schema that forgives what models and forms get wrong: other names of a key, `null` for a key
 * that is left out, numbers, booleans and objects sent as strings. The JSON Schema shows the canonical keys only.
 *
 * @param shape - The canonical keys.
 * @param aliases - Other names, each with its canonical key. A canonical key that is present wins.
 */
export function createInput<Shape extends z.ZodRawShape>(
  shape: Shape,
  aliases: Readonly<Record<string, string>> = {},
): z.ZodType<z.output<z.ZodObject<Shape>>> {
  const canonical = new Map(Object.entries(aliases));
  const fields = new Map(Object.entries(shape));
  return z.preprocess((raw) => (isRecord(raw) ? normalise(raw, canonical, fields) : raw), z.object(shape));
}

function normalise(
  raw: Record<string, unknown>,
  canonical: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, z.core.$ZodType>,
): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(raw)) {
    if (value === null || value === undefined) continue;
    const name = fields.has(key) ? key : (canonical.get(key) ?? key);
    if (name !== key && hasValue(raw, name)) continue;
    values.set(name, revive(value, fields.get(name)));
  }
  return Object.fromEntries(values);
}

function hasValue(raw: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(raw, key) && raw[key] !== null && raw[key] !== undefined;
}

/** Chat front ends send edited values back as strings. */
function revive(value: unknown, field: z.core.$ZodType | undefined): unknown {
  if (typeof value !== "string" || field === undefined) return value;
  const type = withoutOptional(field);
  if (type instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(value.trim())) return Number(value);
  if (type instanceof z.ZodBoolean && /^(true|false)$/i.test(value.trim())) return /true/i.test(value);
  if (type instanceof z.ZodObject && value.trim().startsWith("{")) return parseObject(value);
  return value;
}

function withoutOptional(field: z.core.$ZodType): z.core.$ZodType {
  return field instanceof z.ZodOptional ? withoutOptional(field.unwrap()) : field;
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
