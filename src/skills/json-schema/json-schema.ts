import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { toMessage } from "../../errors.ts";
import type { JsonSchema } from "../stages/stage.ts";
import { coerceValue } from "./coerce-value.ts";
import { findKeywordFault, listIdleWords, toPattern } from "./schema-faults.ts";
import { cut, describeErrors, describeFields, describeFirst } from "./schema-words.ts";
import { runWithin } from "./time-limit.ts";

type CheckedValue =
  | { ok: true; value: unknown }
  /** `fields`: why each field of an object does not fit. */
  | { ok: false; errors: string[]; fields?: Record<string, string> };

/** Compiled schemas that are kept. */
const CACHE_LIMIT = 100;
/** How long one check may take: a pattern of a schema can take for ever. */
const TIME_LIMIT_MS = 1000;
/** How often a check is begun anew that was not given the processor. */
const TRIES = 5;

let ajv: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction>();

/**
 * Why a value is no JSON Schema that can be used: draft 2020-12, nothing from elsewhere, nested within reason.
 *
 * @returns One sentence that names the place, or undefined when it is one.
 */
export function findSchemaFault(schema: unknown): string | undefined {
  try {
    const done = runLimited((engine) => findKeywordFault(schema) ?? findEngineFault(engine, schema));
    return done === undefined ? "The schema takes too long to check." : done.value;
  } catch (error) {
    return `The schema cannot be used: ${cut(toMessage(error))}.`;
  }
}

/** How many of them are told. */
const IDLE_LIMIT = 5;

/**
 * What checks nothing in a schema that {@link findSchemaFault} accepts, probably by a slip, in sentences; a few at most.
 */
export function findIdleWords(schema: JsonSchema): string[] {
  return listIdleWords(schema, Object.keys(openEngine().formats)).slice(0, IDLE_LIMIT);
}

/**
 * Checks a value against a schema, for one second at most. The value is never changed.
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
): CheckedValue {
  try {
    const done = runLimited((): CheckedValue => {
      const validate = compile(schema);
      const given = options.coerce === true ? coerceValue(schema, value) : value;
      if (validate(given)) return { ok: true, value: given };
      const found = validate.errors ?? [];
      return { ok: false, errors: describeErrors(found), fields: describeFields(found) };
    });
    return done?.value ?? { ok: false, errors: ["the value takes too long to check"] };
  } catch (error) {
    // A schema that was not looked at before, or one that runs in a circle.
    return { ok: false, errors: [`the value cannot be checked: ${cut(toMessage(error))}`] };
  }
}

function runLimited<T>(work: (engine: Ajv2020) => T): { value: T } | undefined {
  for (let tries = 1; ; tries += 1) {
    // Outside the limit: that the engine is made ready says nothing of the schema.
    const engine = openEngine();
    const before = process.cpuUsage();
    const done = runWithin(TIME_LIMIT_MS, () => work(engine));
    if (done !== undefined) return done;
    forgetSchemas();
    const { user, system } = process.cpuUsage(before);
    // On a busy machine the time went by while others worked.
    const isSlow = (user + system) / 1000 > TIME_LIMIT_MS / 2;
    if (isSlow || tries === TRIES) return undefined;
  }
}

function findEngineFault(engine: Ajv2020, schema: unknown): string | undefined {
  if (engine.validateSchema(stripIdentity(schema as JsonSchema)) !== true)
    return describeFirst(engine.errors ?? []);
  compile(schema as JsonSchema);
  return undefined;
}

function compile(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (compiled.size >= CACHE_LIMIT) forgetSchemas();
  const validate = openEngine().compile(stripIdentity(schema));
  compiled.set(text, validate);
  return validate;
}

/** The engine remembers all that it compiled, so it goes together with the cache. */
function forgetSchemas(): void {
  compiled.clear();
  ajv = undefined;
}

function openEngine(): Ajv2020 {
  if (ajv !== undefined) return ajv;
  ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    // Else what every object inherits, such as "constructor", is a field of it.
    ownProperties: true,
    allErrors: true,
    verbose: true,
    logger: false,
    code: { regExp: Object.assign((pattern: string) => toPattern(pattern), { code: "toPattern" }) },
  });
  formats.default(ajv);
  ajv.validateSchema({});
  return ajv;
}

// Every schema stands alone: two of one "$id" must not meet, and older drafts are read as the current one.
function stripIdentity(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _id, $async: _async, ...rest } = schema;
  return rest;
}
