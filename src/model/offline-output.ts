import { checkValue } from "../skills/json-schema/json-schema.ts";
import { isRecord } from "../skills/record.ts";
import type { JsonSchema } from "../skills/stages/stage.ts";

/** What the commands of a stage printed, read as the stage's output. */
export interface Output {
  values: Record<string, unknown>;
  /** What the schema requires and nobody printed, in its order. */
  missing: Property[];
  /** What the commands themselves say of their result. */
  summary?: string;
}

/** A value that a person can give. */
export interface Property {
  name: string;
  question: string;
}

/** The property that stands for the whole output where that is no object. */
export const WHOLE = "value";

/**
 * Reads the output of a stage from what its commands printed: the last JSON object of each, later ones over
 * earlier ones, without what the schema does not know.
 *
 * @param schema - Of an object; for another output there is {@link readWholeOutput}.
 * @param printed - What each command printed, in order.
 */
export function readOutput(schema: JsonSchema | undefined, printed: string[]): Output {
  const objects = printed.map(findObject).filter((object) => object !== undefined);
  const all: Record<string, unknown> = Object.fromEntries(objects.flatMap(Object.entries));
  const summary = typeof all.summary === "string" ? all.summary.trim() : "";
  const said = summary === "" ? {} : { summary };
  if (!schema) return { values: {}, missing: [], ...said };
  const known = keepKnown(all, schema);
  // What was printed comes first, so that a person reads it in the order of the command.
  const values = { ...known, ...readDefaults(schema), ...known };
  const missing = listRequired(schema).filter((name) => !Object.hasOwn(values, name));
  return { values, missing: missing.map((name) => toProperty(name, schema)), ...said };
}

/**
 * Reads an output that is no object, such as a list: the last text that fits, as JSON or as it stands.
 *
 * @param schema - As {@link wrapSchema} gives it.
 * @param printed - What each command printed, in order.
 */
export function readWholeOutput(schema: JsonSchema, printed: string[]): Output {
  const last = printed.findLast((text) => text.trim() !== "")?.trim() ?? "";
  for (const text of [last, last.split("\n").at(-1) ?? ""]) {
    const checked = text === "" ? undefined : checkAnswer(WHOLE, text, schema);
    // A person's words may be a list; what a program prints is one in JSON only.
    const isProse = checked?.ok === true && Array.isArray(checked.value) && !text.startsWith("[");
    if (checked?.ok && !isProse) return { values: { [WHOLE]: checked.value }, missing: [] };
  }
  return { values: {}, missing: [toProperty(WHOLE, schema)] };
}

/** Whether the output is an object; a schema that does not say is one of an object. */
export function isOfObject(schema: JsonSchema): boolean {
  return schema.type === undefined || [schema.type].flat().includes("object");
}

/** A schema of an object with the one property {@link WHOLE}, for an output that is no object. */
export function wrapSchema(schema: JsonSchema, title: string): JsonSchema {
  return {
    ...keepDefinitions(schema),
    type: "object",
    properties: { [WHOLE]: { title: `the result of the stage "${title}"`, ...schema } },
    required: [WHOLE],
  };
}

/** Reads a person's answer as the value of one property; the rest of the schema is not asked. */
export function checkAnswer(name: string, answer: string, schema: JsonSchema): ReturnType<typeof checkValue> {
  const properties = toRecord(schema.properties);
  const alone = { ...keepDefinitions(schema), type: "object", properties, required: [name] };
  const checked = checkValue(alone, { [name]: answer }, { coerce: true });
  return checked.ok ? { ok: true, value: toRecord(checked.value)[name] } : checked;
}

/**
 * The JSON object that a text is, or the last that stands in it on lines of its own. What is set in belongs to
 * something larger, which may have lost its beginning or its end.
 */
export function findObject(text: string): Record<string, unknown> | undefined {
  const whole = toObject(text);
  if (whole) return whole;
  const lines = text.split("\n").map((line) => line.trimEnd());
  let found: Record<string, unknown> | undefined;
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("{")) continue;
    const end = lines.indexOf("}", index + 1);
    found = toObject(line) ?? toObject(lines.slice(index, end + 1).join("\n")) ?? found;
  }
  return found;
}

function toObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function keepKnown(values: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const isOpen = schema.properties === undefined && schema.additionalProperties !== false;
  if (isOpen || schema.patternProperties !== undefined) return values;
  const known = new Set([...Object.keys(toRecord(schema.properties)), ...listRequired(schema)]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));
}

function readDefaults(schema: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(toRecord(schema.properties)).flatMap(([name, property]) =>
      isRecord(property) && Object.hasOwn(property, "default") ? [[name, property.default]] : [],
    ),
  );
}

function listRequired(schema: JsonSchema): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function toProperty(name: string, schema: JsonSchema): Property {
  const properties = toRecord(schema.properties);
  const property = Object.hasOwn(properties, name) ? toRecord(properties[name]) : {};
  const title = readText(property.title);
  const description = readText(property.description);
  const label = name === WHOLE && title !== "" ? title : title === "" ? `"${name}"` : `${title} ("${name}")`;
  const sentences = [`What is ${label}?`, description, toHint(property)];
  return { name, question: sentences.filter((sentence) => sentence !== "").join(" ") };
}

/** What an answer may be, in words. */
function toHint({ enum: choices, type }: Record<string, unknown>): string {
  if (Array.isArray(choices)) return `One of: ${choices.map(toChoice).join(", ")}.`;
  if (type === "boolean") return "Answer true or false.";
  if (type === "array" || type === "object") return "Answer with JSON.";
  return "";
}

function toChoice(choice: unknown): string {
  return typeof choice === "string" && choice !== "" ? choice : JSON.stringify(choice);
}

function keepDefinitions({ $defs, definitions }: JsonSchema): JsonSchema {
  return { ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
}

function readText(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
