import { preview } from "./schema-faults.ts";

/** What a validator says about one rule that a value does not keep. */
export interface SchemaError {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string;
  data?: unknown;
  parentSchema?: Record<string, unknown>;
}

/** How many errors are told. */
const ERROR_LIMIT = 5;
/** How many choices, and names of known properties, are told. */
const CHOICE_LIMIT = 20;
/** How long a place, and what is said of it, may be. */
const LENGTH_LIMIT = 300;

/** Keywords that only say that one of their parts failed. */
const SUMMARIES = new Set(["anyOf", "oneOf", "if", "propertyNames"]);
/** Keywords whose message says all, without the value. */
const PLAIN = new Set(["required", "additionalProperties", "unevaluatedProperties", "dependentRequired"]);

/** The errors in plain words, each with its place and what was given. */
export function describeErrors(errors: SchemaError[]): string[] {
  const merged = mergeTypes(errors);
  const parts = merged.filter((error) => !isSummary(error, merged));
  return [...new Set(parts.map((error) => `${toPlace(error)}: ${describe(error)}`))].slice(0, ERROR_LIMIT);
}

/** Why each field of an object does not fit, by its name: the errors of {@link describeErrors} without their place. */
export function describeFields(errors: SchemaError[]): Record<string, string> {
  const merged = mergeTypes(errors);
  const reasons = new Map<string, string>();
  for (const error of merged) {
    const [name, ...inner] = toPath(error);
    if (name === undefined || isSummary(error, merged) || reasons.has(name)) continue;
    reasons.set(name, inner.length === 0 ? describe(error) : `${toPlaceText(inner)}: ${describe(error)}`);
  }
  return Object.fromEntries(reasons);
}

/** The first error of a schema against the rules of its dialect, as a sentence. */
export function describeFirst(errors: SchemaError[]): string {
  const [first] = errors;
  return first === undefined ? "It is no JSON Schema." : `${toPlace(first)} ${describe(first)}.`;
}

function describe(error: SchemaError): string {
  const { keyword, data } = error;
  const told = PLAIN.has(keyword) || (isCompound(data) && keyword !== "type" && keyword !== "enum");
  return told ? wordOf(error) : `${wordOf(error)}, got ${preview(data)}`;
}

function wordOf(error: SchemaError): string {
  return cut(nameRule(error));
}

function nameRule({ keyword, params, message, parentSchema }: SchemaError): string {
  if (keyword === "required") return "is missing";
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const known = Object.keys((parentSchema?.properties as object | undefined) ?? {});
    return `is no known property${known.length === 0 ? "" : `; known: ${listChoices(known)}`}`;
  }
  if (keyword === "enum") {
    return `must be one of ${listChoices(params.allowedValues as unknown[], preview)}`;
  }
  if (keyword === "const") return `must be ${preview(params.allowedValue)}`;
  if (keyword === "type") return `must be ${[params.type].flat().join(" or ")}`;
  return message ?? `does not fit "${keyword}"`;
}

function listChoices(choices: unknown[], toText: (choice: unknown) => string = String): string {
  const more = choices.length > CHOICE_LIMIT ? ` and ${choices.length - CHOICE_LIMIT} more` : "";
  const listed = choices.slice(0, CHOICE_LIMIT).map(toText).join(", ");
  return `${cut(listed, LENGTH_LIMIT - 40)}${more}`;
}

/** Text of a length that can be read. */
export function cut(text: string, limit = LENGTH_LIMIT): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

// `anyOf: [{type: string}, {type: null}]` is one rule to whoever reads the error.
function mergeTypes(errors: SchemaError[]): SchemaError[] {
  const merged = new Map<string, SchemaError>();
  for (const [index, error] of errors.entries()) {
    const isBranch = error.keyword === "type" && /\/(?:any|one)Of\/\d+\/type$/.test(error.schemaPath);
    const key = isBranch ? `type ${error.instancePath}` : String(index);
    const first = merged.get(key);
    const types = [...[first?.params.type ?? []].flat(), ...[error.params.type ?? []].flat()];
    merged.set(key, isBranch ? { ...error, params: { type: types } } : error);
  }
  return [...merged.values()];
}

function isSummary(error: SchemaError, errors: SchemaError[]): boolean {
  if (!SUMMARIES.has(error.keyword)) return false;
  return errors.some(
    (other) => !SUMMARIES.has(other.keyword) && other.instancePath.startsWith(error.instancePath),
  );
}

function toPlace(error: SchemaError): string {
  const path = toPath(error);
  return path.length === 0 ? "the value" : toPlaceText(path);
}

function toPath({ instancePath, keyword, params }: SchemaError): string[] {
  const name =
    keyword === "required"
      ? params.missingProperty
      : (params.additionalProperty ?? params.unevaluatedProperty);
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (typeof name === "string") path.push(name);
  return path;
}

function toPlaceText(path: string[]): string {
  const text = path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
  return `"${cut(text.replace(/^\./, ""))}"`;
}

function isCompound(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
