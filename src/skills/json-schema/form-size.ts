import type { JsonSchema } from "../stages/stage.ts";
import { listProperties } from "./schema-parts.ts";

/** Fields that a person is asked to fill in at once. */
export const FIELD_LIMIT = 16;

/** Why a schema cannot be shown as a form, as a sentence; undefined for one that can. */
export function findFormSizeFault(schema: JsonSchema): string | undefined {
  const count = listProperties(schema, schema).properties.size;
  if (count <= FIELD_LIMIT) return undefined;
  return `A form has at most ${FIELD_LIMIT} fields, not ${count}.`;
}
