import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../skills/record.ts";
import { toSafeLine } from "./safe-text.ts";

/** One part of a form, as far as a command line can ask for it. */
export interface FormField {
  name: string;
  type?: string;
  title?: string;
  choices?: unknown[];
  required: boolean;
  /** What stands there before anybody types. */
  fallback?: unknown;
}

/**
 * The parts of a form, which is a JSON Schema of type object that a model wrote: nothing in it is sure.
 *
 * @param values what is known already, stronger than the defaults of the schema
 */
export function readFormFields(
  form: Record<string, unknown> | undefined,
  values: Record<string, unknown> = {},
): FormField[] {
  const properties = form?.properties;
  if (typeof properties !== "object" || properties === null) return [];
  const required = Array.isArray(form?.required) ? form.required : [];
  return Object.entries(properties).map(([name, raw]) => {
    const schema = (typeof raw === "object" && raw !== null ? raw : {}) as Record<string, unknown>;
    const title = schema.title ?? schema.description;
    const fallback = Object.hasOwn(values, name) ? values[name] : schema.default;
    return {
      name,
      ...(typeof schema.type === "string" ? { type: schema.type } : {}),
      ...(typeof title === "string" ? { title } : {}),
      ...(Array.isArray(schema.enum) && schema.enum.length > 0 ? { choices: schema.enum } : {}),
      required: required.includes(name),
      ...(fallback === undefined ? {} : { fallback }),
    };
  });
}

/** The parts of a form, a line each. */
export function renderFormFields(fields: FormField[]): string[] {
  return fields.map(({ name, type, title, choices, required, fallback }) => {
    const facts = [
      type,
      choices && `one of ${choices.map(toShown).join(", ")}`,
      required ? "required" : undefined,
      fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`,
    ];
    const shown = facts.filter((fact) => fact !== undefined).join("; ");
    return `  - ${toSafeLine(`${name}${title === undefined ? "" : `: ${title}`}${shown === "" ? "" : ` (${shown})`}`)}`;
  });
}

/** An answer to a form as it could look. */
export function toFormExample(fields: FormField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const { name, type, choices, fallback } = field;
      return [name, fits(field) ? fallback : (choices?.[0] ?? toSample(type))];
    }),
  );
}

/** A model leaves blanks and texts where it knows no value. */
function fits({ type, choices, fallback }: FormField): boolean {
  if (isBlank(fallback)) return false;
  if (choices) return choices.some((choice) => isDeepStrictEqual(choice, fallback));
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

function toSample(type: string | undefined): unknown {
  if (type === "boolean") return true;
  if (type === "array") return ["…"];
  if (type === "object") return {};
  return type === "number" || type === "integer" ? 1 : "…";
}

function toShown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
