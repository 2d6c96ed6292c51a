import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { toMessage } from "../errors.ts";
import { coerceValue } from "./coerce-value.ts";
import { findKeywordFault, toPattern } from "./schema-faults.ts";
import { describeErrors, describeFirst } from "./schema-words.ts";
import type { JsonSchema } from "./stage.ts";

/** Compiled schemas that are kept. */
const CACHE_LIMIT = 100;

let ajv: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction>();

/**
 * Why a value is no JSON Schema that can be used: draft 2020-12, nothing from elsewhere, nested within reason.
 *
 * @returns One sentence that names the place, or undefined when it is one.
 */
export function findSchemaFault(schema: unknown): string | undefined {
  const fault = findKeywordFault(schema);
  if (fault !== undefined) return fault;
  try {
    const engine = openEngine();
    const written = stripIdentity(schema as JsonSchema);
    if (engine.validateSchema(written) !== true) return describeFirst(engine.errors ?? []);
    compile(schema as JsonSchema);
    return undefined;
  } catch (error) {
    return `The schema cannot be used: ${toMessage(error)}.`;
  }
}

/**
 * Checks a value against a schema. The value is never changed.
 *
 * @param options.coerce - Reads text as what the schema wants (`"3"` as a number, JSON text as an object or a
 *   list), takes blank text for no value where text is not wanted, and fills in defaults; for values that people
 *   type. False by default.
 * @returns The value, or at most five errors, each with its place and what was given.
 */
export function checkValue(
  schema: JsonSchema,
  value: unknown,
  options: { coerce?: boolean } = {},
): { ok: true; value: unknown } | { ok: false; errors: string[] } {
  try {
    const validate = compile(schema);
    const given = options.coerce === true ? coerceValue(schema, value) : value;
    if (validate(given)) return { ok: true, value: given };
    return { ok: false, errors: describeErrors(validate.errors ?? []) };
  } catch (error) {
    // A schema that was not looked at before, or one that runs in a circle.
    return { ok: false, errors: [`the value cannot be checked: ${toMessage(error)}`] };
  }
}

function compile(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= CACHE_LIMIT) {
    // The engine remembers all that it compiled, so it goes together with the cache.
    compiled.clear();
    ajv = undefined;
  }
  const validate = openEngine().compile(stripIdentity(schema));
  compiled.set(text, validate);
  return validate;
}

function openEngine(): Ajv2020 {
  if (ajv !== undefined) return ajv;
  ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    verbose: true,
    logger: false,
    code: { regExp: Object.assign((pattern: string) => toPattern(pattern), { code: "toPattern" }) },
  });
  formats.default(ajv);
  return ajv;
}

// Every schema stands alone: two of one "$id" must not meet, and older drafts are read as the current one.
function stripIdentity(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, $async: _async, ...rest } = schema;
  return rest;
}
