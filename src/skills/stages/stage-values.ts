import { coerceValue } from "../json-schema/coerce-value.ts";
import { checkValue } from "../json-schema/json-schema.ts";
import { findNearest } from "../nearest.ts";
import { isRecord } from "../record.ts";
import type { JsonSchema, Stage } from "./stage.ts";

/** Keywords that give an object more fields than `properties` names. */
const OPENING = [
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "dependentSchemas",
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
];

/** What a stage hands over. */
export interface HandedOver {
  summary: string;
  output?: unknown;
}

/** Whether the form at the stage's gate completes the output itself. */
export function fillsOutput(stage: Stage): boolean {
  return stage.gate === "form" && stage.form === undefined;
}

/** Why an output does not fit the stage's schema, as a sentence. */
export function findMisfit(stage: Stage, output: unknown): string | undefined {
  if (stage.output === undefined) return undefined;
  const checked = checkValue(stage.output, output);
  return checked.ok ? undefined : describeMisfit(stage, checked.errors);
}

/** What a stage hands over when a person changes the output. */
export function readEdit(
  stage: Stage,
  handed: HandedOver | undefined,
  written: unknown,
): HandedOver | { error: string } {
  const summary = handed?.summary ?? "Written by the person.";
  if (stage.output !== undefined) {
    return readOutput(stage, handed, written, summary);
  }
  // Where nothing but a summary was asked for, the summary is what a person sees and changes.
  if (handed?.output === undefined && isRecord(written) && Object.keys(written).join() === "summary") {
    return { summary: String(written.summary) };
  }
  return { summary, output: written };
}

/** What a stage hands over when a person fills in the form at its gate. */
export function readAnswer(
  stage: Stage,
  handed: HandedOver | undefined,
  values: unknown,
): (HandedOver & { answer?: unknown }) | { error: string } {
  const summary = handed?.summary ?? "Filled in by the person.";
  if (stage.form === undefined) {
    const isPartial = isRecord(handed?.output) && isRecord(values);
    const output = isPartial ? merge(handed.output as Record<string, unknown>, values) : values;
    return readOutput(stage, handed, output, summary);
  }
  const checked = checkValue(stage.form, values, { coerce: true });
  const stray = findStray(stage.form, checked.ok ? checked.value : values);
  if (stray !== undefined) return { error: describeStray(stray, `the form of the stage "${stage.id}"`) };
  if (!checked.ok) return { error: `The form of the stage "${stage.id}": ${checked.errors.join("; ")}.` };
  const misfit = findMisfit(stage, handed?.output);
  if (misfit !== undefined) return { error: `${misfit} Edit the output first, or reject the stage.` };
  return { ...handed, summary, answer: checked.value };
}

/** Values of a form that do not fit yet. */
export interface Draft {
  /** What was given and fits, as it was read. */
  values: Record<string, unknown>;
  /** Why the others do not, by the name of the field. */
  faults: Record<string, string>;
}

/** Which of the values that a person gave fit, and why the others do not. */
export function readDraft(schema: JsonSchema, given: Record<string, unknown>): Draft {
  const checked = checkValue(schema, given, { coerce: true });
  const stray = findStray(schema, given)?.keys ?? [];
  const unknown = stray.map((name) => [name, "is no field of the form"] as const);
  const faults = { ...(checked.ok ? {} : checked.fields), ...Object.fromEntries(unknown) };
  const read = coerceValue(schema, given);
  const fitting = Object.entries(isRecord(read) ? read : {}).filter(
    ([name]) => Object.hasOwn(given, name) && !Object.hasOwn(faults, name),
  );
  return { values: Object.fromEntries(fitting), faults };
}

/** A typing mistake in a key would leave the field as it was, and pass for a change. */
function readOutput(
  stage: Stage,
  handed: HandedOver | undefined,
  written: unknown,
  summary: string,
): HandedOver | { error: string } {
  const schema = stage.output ?? {};
  const checked = checkValue(schema, written, { coerce: true });
  const stray = findStray(schema, checked.ok ? checked.value : written, handed?.output);
  if (stray !== undefined) return { error: describeStray(stray, `the output of the stage "${stage.id}"`) };
  return checked.ok ? { summary, output: checked.value } : { error: describeMisfit(stage, checked.errors) };
}

interface Stray {
  keys: string[];
  fields: string[];
}

/**
 * The keys of a value that its schema does not name, where it names fields and leaves no room for others.
 *
 * @param before What was there before: its keys were taken already.
 */
function findStray(schema: JsonSchema, value: unknown, before?: unknown): Stray | undefined {
  const { properties } = schema;
  if (!isRecord(properties) || !isRecord(value)) return undefined;
  const fields = Object.keys(properties);
  const isOpen = OPENING.some((keyword) => schema[keyword] !== undefined && schema[keyword] !== false);
  if (fields.length === 0 || isOpen) return undefined;
  const known = new Set([...fields, ...(isRecord(before) ? Object.keys(before) : [])]);
  const keys = Object.keys(value).filter((key) => !known.has(key));
  return keys.length > 0 ? { keys, fields } : undefined;
}

function describeStray({ keys, fields }: Stray, place: string): string {
  const named = keys.map((key) => JSON.stringify(key)).join(", ");
  const nearest = [...new Set(keys.flatMap((key) => findNearest(key, fields, 1)))];
  const hint = nearest.length > 0 ? ` Nearest: ${nearest.join(", ")}.` : "";
  const subject = keys.length === 1 ? `${named} is no field` : `${named} are no fields`;
  return `${subject} of ${place}. Fields: ${fields.join(", ")}.${hint}`;
}

function describeMisfit(stage: Stage, errors: string[]): string {
  return `The output of the stage "${stage.id}" does not fit: ${errors.join("; ")}.`;
}

/** A part of a form's values over what was there. */
// Not by spreading into a literal: a key such as "__proto__" must stay a key.
export function merge(
  base: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries([...Object.entries(base), ...Object.entries(change)]);
}
