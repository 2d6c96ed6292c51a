import { isDeepStrictEqual } from "node:util";
import { listChoices, listProperties, resolveReference } from "../skills/json-schema/schema-parts.ts";
import { isRecord } from "../skills/record.ts";
import { toSafeLine } from "./safe-text.ts";

/** One part of a form, as far as a command line can ask for it. */
export interface FormField {
  name: string;
  type?: string;
  title?: string;
  choices?: unknown[];
  /** What the choices are called, in their order. */
  labels?: string[];
  /** True where several of the choices can be taken. */
  isSeveral?: true;
  /** True for a text such as 2026-01-31. */
  isDate?: true;
  required: boolean;
  /** What stands there before anybody types. */
  fallback?: unknown;
  /** Why the last answer did not fit. */
  fault?: string;
}

/**
 * The parts of a form, which is a JSON Schema of type object that a model wrote: nothing in it is sure.
 *
 * @param values what is known already, stronger than the defaults of the schema
 * @param faults why fields of the last answer did not fit
 */
export function readFormFields(
  form: Record<string, unknown> | undefined,
  values: Record<string, unknown> = {},
  faults: Record<string, string> = {},
): FormField[] {
  if (form === undefined) return [];
  const { properties, required } = listProperties(form, form);
  return [...properties].map(([name, raw]) => {
    const schema = resolveReference(form, raw) ?? {};
    const title = schema.title ?? schema.description;
    const fallback = Object.hasOwn(values, name) ? values[name] : schema.default;
    return {
      name,
      ...(typeof schema.type === "string" ? { type: schema.type } : {}),
      ...(typeof title === "string" ? { title } : {}),
      ...readChoices(form, schema),
      ...(schema.type === "string" && schema.format === "date" ? { isDate: true as const } : {}),
      required: required.has(name),
      ...(fallback === undefined ? {} : { fallback }),
      ...(Object.hasOwn(faults, name) ? { fault: String(faults[name]) } : {}),
    };
  });
}

/** The fields that are to be asked for: those that did not fit, if there are some, else all. */
export function pickOpenFields(fields: FormField[]): FormField[] {
  const wrong = fields.filter(({ fault }) => fault !== undefined);
  return wrong.length > 0 ? wrong : fields;
}

/** Choices by their numbers, counted from one: `2`, or `1, 3` of several. Undefined for anything else. */
export function readNumbers({ choices = [], isSeveral }: FormField, typed: string): unknown {
  // Where a choice is a number itself, that is what is meant.
  if (choices.some((choice) => /^\s*\d/.test(String(choice)))) return undefined;
  if (!/^\s*\d{1,3}(\s*,\s*\d{1,3})*\s*$/.test(typed)) return undefined;
  const numbers = typed.split(",").map(Number);
  if (numbers.some((number) => number < 1 || number > choices.length)) return undefined;
  const chosen = [...new Set(numbers)].map((number) => choices[number - 1]);
  return isSeveral ? chosen : chosen.length === 1 ? chosen[0] : undefined;
}

/** True for a day that there is, written as 2026-01-31. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  );
}

function readChoices(
  form: Record<string, unknown>,
  schema: Record<string, unknown>,
): Pick<FormField, "choices" | "labels" | "isSeveral"> {
  const item = schema.type === "array" ? resolveReference(form, schema.items) : undefined;
  const found = listChoices(form, item ?? schema) ?? [];
  if (found.length === 0 || (schema.type === "array" && !item)) return {};
  return {
    choices: found.map(({ value }) => value),
    ...(found.some(({ title }) => title !== undefined)
      ? { labels: found.map(({ value, title }) => title ?? toShown(value)) }
      : {}),
    ...(item ? { isSeveral: true as const } : {}),
  };
}

/** The parts of a form, a line each. */
export function renderFormFields(fields: FormField[]): string[] {
  return fields.map(
    ({ name, type, title, choices, labels, isSeveral, isDate, required, fallback, fault }) => {
      const list = choices?.map((choice, index) => {
        const label = labels?.[index];
        return label === undefined || label === choice ? toShown(choice) : `${toShown(choice)} (${label})`;
      });
      const facts = [
        isDate ? "date as YYYY-MM-DD" : isSeveral ? undefined : type,
        list &&
          (isSeveral ? `several of ${list.join(", ")}; by name or number` : `one of ${list.join(", ")}`),
        required ? "required" : undefined,
        fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`,
      ];
      const shown = facts.filter((fact) => fact !== undefined).join("; ");
      const why = fault === undefined ? "" : ` - not taken: ${fault}`;
      return `  - ${toSafeLine(`${name}${title === undefined ? "" : `: ${title}`}${shown === "" ? "" : ` (${shown})`}${why}`)}`;
    },
  );
}

/** An answer to a form as it could look. */
export function toFormExample(fields: FormField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const { name, fallback } = field;
      return [name, fits(field) ? fallback : toSample(field)];
    }),
  );
}

/** A model leaves blanks and texts where it knows no value. */
function fits({ type, choices, isSeveral, isDate, fallback }: FormField): boolean {
  if (isBlank(fallback)) return false;
  const isChoice = (value: unknown) => choices?.some((choice) => isDeepStrictEqual(choice, value));
  if (isSeveral) return Array.isArray(fallback) && fallback.every(isChoice);
  if (choices) return isChoice(fallback) === true;
  if (isDate) return typeof fallback === "string" && isDay(fallback);
  if (type === "integer") return Number.isInteger(fallback);
  if (type === "array") return Array.isArray(fallback);
  if (type === "object") return isRecord(fallback);
  // Of other types a schema may have, and of none, nothing is known here.
  return !["string", "number", "boolean"].includes(type ?? "") || typeof fallback === type;
}

/** True for what says nothing: a field that holds it is still to be filled in. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "string" ? value.trim() === "" : Array.isArray(value) && value.length === 0;
}

function toSample({ type, choices, isSeveral, isDate }: FormField): unknown {
  if (choices) return isSeveral ? [choices[0]] : choices[0];
  if (isDate) return "2026-01-31";
  if (type === "boolean") return true;
  if (type === "array") return ["…"];
  if (type === "object") return {};
  return type === "number" || type === "integer" ? 1 : "…";
}

function toShown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
